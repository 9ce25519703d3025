"""A client keeps receipts and the newest checkpoint, and so finds events that a server changes or forgets."""

# ruff: noqa: ANN401 -- JSON may be any value

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from service.client.client import Client
from service.client.client_errors import KeptFileError, LogContradiction
from service.client.endpoints import Api
from service.client.kept.kept_file import KeptFile, LogKeys
from service.client.kept.kept_log import KeptLog
from service.entropy import Entropy
from service.secrets import keyring, receipts
from service.secrets.receipts import Receipt
from service.transparency import checkpoint, signed_note
from tests.client.lying import Liar, copied, grow, lying, restored
from tests.databases import Databases
from tests.http.service import Service, Table, running


class World:
    """A service, its folder, its `Liar` and its URL; `table` opens a table for two players."""

    def __init__(self, service: Service, folder: Path, liar: Liar, url: str) -> None:
        self.service = service
        self.folder = folder
        self.liar = liar
        self.url = url

    def table(self) -> Table:
        return Table(self.service, 2, buy_in=5)


@pytest.fixture(scope="module")
def world(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("lying")
    with all_databases.migrated("sqlite") as url, running(folder, url) as service, lying(service) as (liar, served):
        yield World(service, folder, liar, served)


@pytest.fixture(autouse=True)
def honest_again(world: World) -> Iterator[None]:
    yield
    world.liar.lies.clear()


@contextmanager
def keeping(path: Path, url: str, token: str, **more: Any) -> Iterator[tuple[KeptLog, Api]]:
    """Yield the `KeptLog` in the file *path*, and the API of a client with *token* that uses this `KeptLog`."""
    with (
        closing(KeptLog(path, Entropy(), **more)) as kept,
        closing(Client(url, token, Entropy(), kept=kept)) as client,
    ):
        yield kept, Api(client)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept.sqlite"


def seated(world: World, api: Api) -> str:
    """Let the client of *api* take a seat at a new table; return the table's id."""
    table = world.table()
    api.take_seat(table.id, 5)
    return str(table.id)


def player(world: World) -> str:
    return str(world.service.person("host", "play").token)


def finds(code: str, words: str = "") -> pytest.RaisesExc[LogContradiction]:
    return pytest.raises(LogContradiction, match=f"(?s){code}: .*{words}")


def test_receipts_wait_for_a_checkpoint_and_are_proven_by_it(world: World, path: Path) -> None:
    with keeping(path, world.url, player(world)) as (kept, api):
        table = seated(world, api)
        assert kept.check(api.client).waiting == 1
        api.act(table, {"type": "leave_seat"})
        grow(world.service)
        checked = kept.check(api.client)
        assert (checked.waiting, checked.hidden) == (0, ())
        (receipt,) = kept.file.receipts(f"table/{table}")
        assert receipt.is_proven
        assert receipt.receipt.position == api.table(table).position, "the last receipt binds the earlier ones"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_client_that_starts_again_goes_on_with_its_file(world: World, path: Path) -> None:
    token = player(world)
    with keeping(path, world.url, token) as (kept, api):
        table = seated(world, api)
        before = kept.check(api.client).size
    grow(world.service)
    with keeping(path, world.url, token) as (kept, api):
        api.act(table, {"type": "leave_seat"})  # the first command checks the log
        assert checkpoint.parsed(signed_note.parse(kept.file.checkpoint().encode())).size > before
        grow(world.service)
        assert kept.check(api.client).waiting == 0


def test_two_processes_keep_in_one_file(world: World, path: Path) -> None:
    with (
        keeping(path, world.url, player(world)) as (kept, api),
        keeping(path, world.url, player(world)) as (other, other_api),
    ):
        tables = [seated(world, each) for each in (api, other_api, api)]
        grow(world.service)
        assert kept.check(api.client).waiting == 0
        grow(world.service)
        assert other.check(other_api.client).size > 0
        assert kept.check(api.client).waiting == 0
        assert all(kept.file.receipts(f"table/{table}")[0].is_proven for table in tables)


def test_a_log_that_was_rewound_is_found(world: World, path: Path, tmp_path: Path) -> None:
    grow(world.service)
    older = copied(world.service, world.folder, tmp_path / "older")
    token = player(world)
    grow(world.service)
    with keeping(path, world.url, token) as (kept, api):
        kept.check(api.client)
    with restored(older) as rewound, lying(rewound) as (_, url), keeping(path, url, "") as (kept, api):
        with finds("log_must_not_shrink", "an older database was restored.*kept.sqlite"):
            kept.check(api.client)
        (finding,) = kept.file.findings()
        assert finding.evidence.count("\N{EM DASH} ") == 2, "the file keeps both signed checkpoints"


def test_an_acknowledged_command_that_is_forgotten_is_found_although_the_log_has_grown(
    world: World, path: Path, tmp_path: Path
) -> None:
    token = player(world)
    table = world.table()
    grow(world.service)
    older = copied(world.service, world.folder, tmp_path / "older")
    with keeping(path, world.url, token) as (kept, api):
        kept.check(api.client)
        api.take_seat(table.id, 5)
    with restored(older) as forgetful, lying(forgetful) as (_, url):
        grow(forgetful)
        with keeping(path, url, token) as (kept, api):
            with finds("event_must_stay", f"acknowledged an event of {table.id} at position 3, but shows none"):
                kept.check(api.client)
            forgetful.person("play").post(f"{table.path}/seats", {"chips": 5})
            with finds("event_must_stay", "acknowledged another event at position 3"):
                kept.check(api.client)


def test_a_second_receipt_for_a_position_is_found_at_once(world: World, path: Path, tmp_path: Path) -> None:
    token, table = player(world), world.table()
    older = copied(world.service, world.folder, tmp_path / "older")
    with keeping(path, world.url, token) as (_, api):
        api.take_seat(table.id, 5)
    with (
        restored(older) as forked,
        lying(forked) as (_, url),
        keeping(path, url, forked.person("play").token) as (_, api),
        finds("history_must_be_one", f"two events at position 3 of table/{table.id}"),
    ):
        api.take_seat(table.id, 5)


@pytest.mark.parametrize("more", [0, 1], ids=["of the same size", "that is larger"])
def test_a_forked_log_is_found(world: World, path: Path, tmp_path: Path, more: int) -> None:
    older = copied(world.service, world.folder, tmp_path / "older")
    grow(world.service)
    with keeping(path, world.url, "") as (kept, api):
        kept.check(api.client)
    words = "begin with" if more else "two different logs"
    with restored(older) as forked, lying(forked) as (_, url), keeping(path, url, "") as (kept, api):
        for _ in range(1 + more):
            grow(forked)
        with finds("log_must_continue", words):
            kept.check(api.client)


def test_a_server_with_another_key_is_found(world: World, path: Path, quick: Service) -> None:
    grow(world.service)
    with keeping(path, world.url, "") as (kept, api):
        kept.check(api.client)
    with (
        lying(quick) as (_, url),
        keeping(path, url, "") as (kept, api),
        finds("log_key_must_stay", "this is another log"),
    ):
        kept.check(api.client)


@pytest.fixture
def quick(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    with all_databases.migrated("sqlite") as url, running(tmp_path / "another", url) as service:
        yield service


def test_a_log_key_that_the_author_names_is_demanded_from_the_first_request_on(world: World, path: Path) -> None:
    expected = f"{checkpoint.signed.__module__}+00000000+{'A' * 44}"
    with keeping(path, world.url, "", log_key=expected) as (kept, api):
        with finds("log_key_must_stay"):
            kept.check(api.client)
        assert kept.file.keys() is None


def test_a_changed_receipt_key_is_found_and_can_be_accepted(world: World, path: Path) -> None:
    grow(world.service)
    with keeping(path, world.url, "") as (kept, api):
        kept.check(api.client)
        other = "ab" * 32
        world.liar.lies["/v1/log/key"] = lambda body: body.replace(
            world.service.parts.signer.public_key.encode(), other.encode()
        )
        with finds("receipt_key_must_stay", other):
            kept.check(api.client)
    with keeping(path, world.url, "", receipt_keys=[other]) as (kept, api):
        assert kept.check(api.client).waiting == 0


def test_a_receipt_key_that_changes_between_two_commands_is_named(world: World, path: Path) -> None:
    with keeping(path, world.url, player(world)) as (_, api):
        table = seated(world, api)
        world.liar.lies["POST .*/actions"] = changed(signature="00" * 64)
        ours = world.service.parts.signer.public_key.encode()
        world.liar.lies["/v1/log/key"] = lambda body: body.replace(ours, b"cd" * 32)
        with finds("receipt_key_must_stay", "cd" * 32):
            api.act(table, {"type": "leave_seat"})


def test_a_command_that_is_repeated_after_a_rotation_has_a_receipt_with_another_signature(
    world: World, path: Path
) -> None:
    later = keyring.derive(f"svk_{'7' * 32}", bytes(32))
    with keeping(path, world.url, player(world), receipt_keys=[receipts.public_key(later)]) as (kept, api):
        table = seated(world, api)
        api.act(table, {"type": "leave_seat"}, idempotency_key="leave-once")
        (*_, before) = kept.file.receipts(f"table/{table}")
        world.liar.lies["POST .*/actions"] = signed_by(later)
        api.act(table, {"type": "leave_seat"}, idempotency_key="leave-once")
        (*_, after) = kept.file.receipts(f"table/{table}")
        assert after == before


def signed_by(key: keyring.ServiceKey) -> Callable[[bytes], bytes]:
    """Return a lie that signs the receipt in a response with *key*, as the service does after a rotation."""

    def lie(body: bytes) -> bytes:
        answer = msgspec.json.decode(body)
        given = answer["receipt"]
        signer = receipts.Signer(key, given["origin"])
        signed = signer.receipt(given["stream"], given["position"], bytes.fromhex(given["leaf_hash"]), given["cmd"])
        answer["receipt"] = msgspec.to_builtins(signed)
        return msgspec.json.encode(answer)

    return lie


def changed(**members: Any) -> Callable[[bytes], bytes]:
    """Return a lie that changes members of the receipt in a response to a command."""

    def lie(body: bytes) -> bytes:
        answer = msgspec.json.decode(body)
        answer["receipt"] |= members
        return msgspec.json.encode(answer)

    return lie


def without_receipt(body: bytes) -> bytes:
    answer = msgspec.json.decode(body)
    del answer["receipt"]
    return msgspec.json.encode(answer)


def of_another_event(body: bytes) -> bytes:
    answer = msgspec.json.decode(body)
    answer["events"][-1]["leaf"]["at"] = "2020-01-01T00:00:00.000Z"
    return msgspec.json.encode(answer)


@pytest.mark.parametrize(
    ("lie", "code", "words"),
    [
        (changed(signature="00" * 64), "receipt_must_be_genuine", "is not signed"),
        (changed(position=99), "receipt_must_be_genuine", "is not signed"),
        (changed(origin="chiptrail/another"), "receipt_must_be_genuine", "is not signed"),
        (of_another_event, "receipt_must_be_genuine", "another hash than the last event"),
        (without_receipt, "receipt_must_be_given", "must have a receipt"),
    ],
    ids=["signature", "position", "origin", "event", "none"],
)
def test_a_response_without_a_genuine_receipt_is_found(
    world: World, path: Path, lie: Callable[[bytes], bytes], code: str, words: str
) -> None:
    table = world.table()
    world.liar.lies["POST .*/seats"] = lie
    with keeping(path, world.url, player(world)) as (_, api), finds(code, words):
        api.take_seat(table.id, 5)


def test_the_receipt_of_another_command_is_found(world: World, path: Path) -> None:
    old: list[bytes] = []
    world.liar.lies["POST .*/seats"] = lambda body: old.append(body) or old[0]  # type: ignore[func-returns-value]
    with keeping(path, world.url, player(world)) as (_, api):
        seated(world, api)
        with finds("receipt_must_be_genuine", "names position 3 of table/"):
            seated(world, api)


def test_an_old_receipt_for_a_new_command_at_the_same_table_is_found(world: World, path: Path) -> None:
    with keeping(path, world.url, player(world)) as (_, api):
        table = seated(world, api)
        old = api.client.post(f"/v1/tables/{table}/actions", Raw, {"type": "leave_seat"}, idempotency_key="leave")
        assert api.client.post(f"/v1/tables/{table}/actions", Raw, {"type": "leave_seat"}, idempotency_key="leave")
        api.take_seat(table, 5)
        world.liar.lies["POST .*/actions"] = lambda _: bytes(old)
        with finds("receipt_must_be_genuine", "is the receipt of an earlier command"):
            api.act(table, {"type": "leave_seat"})


def test_a_log_that_was_begun_again_is_named_by_the_next_command(world: World, path: Path) -> None:
    ours, table = world.service.parts.signer.public_key, world.table()
    with closing(KeptFile(path, Entropy())) as file:
        file.keep_keys(LogKeys("chiptrail/old", f"chiptrail/old+00000000+{'A' * 44}", ours))
    with keeping(path, world.url, player(world)) as (_, api), finds("log_key_must_stay", "the operator has begun"):
        api.take_seat(table.id, 5)


def test_a_proof_that_proves_nothing_is_found(world: World, path: Path) -> None:
    with keeping(path, world.url, player(world)) as (kept, api):
        seated(world, api)
        grow(world.service)
        world.liar.lies["/proof"] = lambda body: body.replace(b"\nindex ", b"\nindex 1", 1)
        with finds("event_must_stay", "does not have the acknowledged event at position 3"):
            kept.check(api.client)


def test_an_old_checkpoint_from_a_cache_is_no_contradiction(world: World, path: Path) -> None:
    grow(world.service)
    with keeping(path, world.url, "") as (kept, api):
        old = api.client.download("/v1/log/checkpoint")
        grow(world.service)
        size = kept.check(api.client).size
        world.liar.lies["/v1/log/checkpoint"] = lambda _: old
        assert kept.check(api.client).size == size


def test_events_that_the_server_does_not_put_into_the_log_keep_waiting(world: World, path: Path) -> None:
    with keeping(path, world.url, player(world)) as (kept, api):
        seated(world, api)
        seated(world, api)
        assert kept.check(api.client).waiting == 2


def test_a_client_is_warned_of_receipts_that_wait_too_long_and_of_a_hidden_table(
    world: World, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    token = player(world)
    with keeping(path, world.url, token, check_seconds=0) as (_, api):
        hidden, shown = seated(world, api), seated(world, api)
        assert not caplog.records
        world.liar.lies[f"GET /v1/tables/{hidden}"] = lambda _: (404, b'{"code":"table_must_exist"}')
        spoil("UPDATE receipts SET kept_at = '2020-01-01T00:00:00.000Z'")(path)
        api.act(shown, {"type": "leave_seat"})
        seated(world, api)
    assert caplog.text.count(f"has acknowledged events of ['{hidden}'], but does not show") == 1
    assert caplog.text.count("Since 2020-01-01T00:00:00.000Z no checkpoint covers") == 2


def test_a_receipt_that_comes_late_is_compared_before_it_is_removed(world: World, path: Path) -> None:
    with keeping(path, world.url, player(world)) as (kept, api):
        table = seated(world, api)
        api.act(table, {"type": "leave_seat"})
        grow(world.service)
        late, last = [one.receipt for one in kept.file.receipts(f"table/{table}")]
        kept.file.prove(late.stream, last.position, [last.position])
        assert [one.receipt for one in kept.file.receipts(late.stream)] == [late, last]
        assert kept.check(api.client).waiting == 0
        assert [one.receipt for one in kept.file.receipts(late.stream)] == [last]


def test_a_check_that_fails_beside_a_command_is_logged_and_made_at_the_next_command(
    world: World, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with keeping(path, world.url, player(world)) as (kept, api):
        world.liar.lies["/v1/log/checkpoint"] = lambda _: (500, b"{}")
        table = seated(world, api)
        assert "The log could not be checked" in caplog.text
        world.liar.lies.clear()
        grow(world.service)
        api.act(table, {"type": "leave_seat"})
        assert kept.file.checkpoint()


def test_a_checkpoint_that_another_key_signed_is_found_and_kept_once(world: World, path: Path) -> None:
    grow(world.service)
    world.liar.lies["/v1/log/checkpoint"] = lambda body: body.replace(b"\xe2\x80\x94 ", b"\xe2\x80\x94 x", 1)
    with keeping(path, world.url, "") as (kept, api):
        for _ in range(2):
            with finds("checkpoint_must_be_signed"):
                kept.check(api.client)
        assert len(kept.file.findings()) == 1


def test_a_table_that_the_server_hides_is_named(world: World, path: Path) -> None:
    with keeping(path, world.url, player(world)) as (kept, api):
        table = seated(world, api)
        hidden = b'{"code":"table_must_exist"}'
        world.liar.lies[f"GET /v1/tables/{table}"] = lambda _: (404, hidden)
        assert kept.check(api.client).hidden == (table,)


def test_a_lost_response_is_asked_for_again_under_the_same_key_and_the_command_happens_once(
    world: World, path: Path
) -> None:
    def lose_the_first(body: bytes) -> bytes | tuple[int, bytes]:
        world.liar.lies.clear()
        return 503, b"{}"

    table = world.table()
    world.liar.answered.clear()
    world.liar.lies["POST .*/seats"] = lose_the_first
    with keeping(path, world.url, player(world)) as (kept, api):
        api.take_seat(table.id, 5)
        first, second = world.liar.answered
        assert first == second
        assert api.table(table.id).position == 3
        assert len(kept.file.receipts(f"table/{table.id}")) == 1


def spoil(statement: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"not a file of a client"),
        lambda path: path.write_bytes(path.read_bytes()[:6000]),
        spoil("PRAGMA application_id = 0"),
        spoil("UPDATE log SET receipt_key = 'ff'"),
        spoil("UPDATE log SET checkpoint = replace(checkpoint, 'chiptrail', 'chiptrial')"),
        spoil("UPDATE receipts SET leaf_hash = replace(leaf_hash, substr(leaf_hash, 1, 1), '.')"),
        spoil("DROP TABLE receipts"),
    ],
    ids=["emptied", "replaced", "cut", "another", "keys", "checkpoint", "receipt", "a table"],
)
def test_a_damaged_file_is_named_and_the_server_is_not_accused(
    world: World, path: Path, damage: Callable[[Path], None]
) -> None:
    token = player(world)
    with keeping(path, world.url, token) as (kept, api):
        seated(world, api)
        grow(world.service)
        KeptLog.check(kept, api.client)
        seated(world, api)
    damage(path)
    with pytest.raises(KeptFileError, match=r"kept\.sqlite") as named, keeping(path, world.url, token) as (kept, api):
        kept.check(api.client)
    assert "damaged" in str(named.value) or "no file of a client" in str(named.value) or "used" in str(named.value)


def test_a_file_that_a_killed_process_left_in_the_middle_of_a_commit_is_whole(path: Path, tmp_path: Path) -> None:
    with closing(KeptFile(path, Entropy())) as file:
        file.keep_keys(LogKeys("origin", "log", "receipts"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_spill = 1")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE log SET checkpoint = hex(randomblob(100000))")
        left = shutil.copytree(tmp_path, tmp_path / "left")
        connection.execute("ROLLBACK")
    assert (left / f"{path.name}-journal").stat().st_size > 0
    assert (left / path.name).stat().st_size > path.stat().st_size, "half of the commit is in the file"
    with closing(KeptFile(left / path.name, Entropy())) as file:
        assert file.checkpoint() == ""
        assert file.keys() == LogKeys("origin", "log", "receipts")


def test_a_file_in_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KeptFileError, match="can't be used"):
        KeptFile(tmp_path / "file" / "kept.sqlite", Entropy())


@contextmanager
def full(path: Path, part: str) -> Iterator[KeptFile]:
    """Yield the file *path*, whose table *part* refuses each new row as if the disk were full."""
    with closing(KeptFile(path, Entropy())) as file:
        file.keep_keys(LogKeys("origin", "log", "receipts"))
        spoil(f"CREATE TRIGGER full BEFORE INSERT ON {part} BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END")(
            path
        )
        yield file


def test_a_full_disk_is_named(path: Path) -> None:
    receipt = Receipt(origin="origin", stream="table/tbl_1", position=1, leaf_hash="00", cmd="00", signature="00")
    with full(path, "receipts") as file, pytest.raises(KeptFileError, match="the disk is full"):
        file.add(receipt)


def test_a_full_disk_hides_no_contradiction(path: Path) -> None:
    with full(path, "findings") as file:
        found = str(file.contradiction("event_must_stay", "It is gone.", "a signed text"))
        assert not file.findings()
    assert all(one in found for one in ("event_must_stay", "It is gone.", "the disk is full", "a signed text"))


def test_a_file_may_have_the_name_of_a_database_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    secrets = set()
    for _ in range(2):
        with closing(KeptFile(Path(":memory:"), Entropy())) as file:
            secrets.add(file.seeds_secret())
    assert len(secrets) == 1
