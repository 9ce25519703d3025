"""`chiptrail key` backs up, restores and rotates the service key; nothing is overwritten, lost or half done."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from service import settings
from service.cli.support import open_database, worker
from service.cli.support.exit_codes import CommandFailed
from service.database.engines import make_engine, reading
from service.database.exclusive import KEY_ROTATION, SEQUENCING, exclusive_work, without_servers
from service.dossier.kept_files import KeptFile
from service.entropy import Entropy
from service.event_store.log_tables import sealed
from service.secrets import key_rotation, keyring
from service.secrets.key_check import service_keys
from service.secrets.key_rotation import NextKey
from service.secrets.receipts import Receipt, verify
from service.service_log import recorded_rotation
from tests.cli.commands import Instance
from tests.cli.played import Originals
from tests.dossier.made import dossier, must_pass, play, start
from tests.http.service import Person, Service, Table, accepted, running

KEY = "service-key.json"
PASSPHRASE = "correct horse battery staple"


@pytest.fixture
def served(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance whose database is bound to a service key."""
    with originals.copied(kind, start, tmp_path / "data") as original:
        yield original.instance


def private(path: Path, content: str) -> Path:
    path.write_text(content)
    path.chmod(0o600)
    return path


def in_use(instance: Instance) -> tuple[str, int]:
    """Return the id of the key to which the database is bound, and how many rotations are on record."""
    engine = make_engine(instance.database)
    with reading(engine) as connection:
        key = connection.scalar(select(service_keys.c.key_id))
    engine.dispose()
    rotations = [one for one in instance.service_events() if one["type"] == "service_key_rotated"]
    return f"svk_{(key or b'').hex()}", len(rotations)


def test_a_backup_of_the_key_is_restored_with_its_passphrase_alone(tmp_path: Path) -> None:
    there, backup = Instance(f"sqlite:///{tmp_path / 'nothing.db'}", tmp_path / "data"), tmp_path / "key.backup"
    path = there.data / KEY
    keyring.load_or_make(path, Entropy())
    content = path.read_bytes()
    right, wrong = (
        private(tmp_path / name, f"{text}\n") for name, text in (("right", PASSPHRASE), ("wrong", "x" * 12))
    )

    def run(command: str, file: Path = backup, passphrase: Path = right) -> tuple[int, str]:
        said = there.run("key", command, str(file), "--passphrase-file", str(passphrase))
        return said.code, said.err

    assert run("backup") == (0, "")
    written = backup.read_bytes()
    assert backup.stat().st_mode & 0o777 == 0o600
    assert json.loads(content)["secret"].encode() not in written
    assert [run(command)[0] for command in ("backup", "restore")] == [1, 1]  # both files are there already
    assert (backup.read_bytes(), path.read_bytes()) == (written, content)
    path.unlink()
    cut, changed = tmp_path / "cut", tmp_path / "changed"
    cut.write_bytes(written[:-80])
    changed.write_bytes(written.replace(b"ciphertext ", b"ciphertext 00", 1))
    refusals = [run("restore", cut), run("restore", changed), run("restore", passphrase=wrong), run("backup")]
    for (code, said), why in zip(
        refusals, ("was cut", "was changed", "another passphrase", "no service key"), strict=True
    ):
        assert (code, why in said, "nothing was" in said) == (1, True, True), said
    assert not path.exists()
    assert run("restore") == (0, "")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (content, 0o600)


@pytest.mark.parametrize("content", ["too short\n", f"{PASSPHRASE}\nsecond line\n", "", "\x00" * 11])
def test_a_passphrase_must_be_one_long_line_that_nobody_else_can_read(tmp_path: Path, content: str) -> None:
    there = Instance(f"sqlite:///{tmp_path / 'nothing.db'}", tmp_path / "data")
    keyring.load_or_make(there.data / KEY, Entropy())
    file = private(tmp_path / "passphrase", content)
    asked = ("key", "backup", str(tmp_path / "key.backup"), "--passphrase-file", str(file))
    assert there.run(*asked).code == 2
    file.chmod(0o640)
    said = there.run(*asked)
    assert (said.code, f"chmod 600 {file}" in said.err, (tmp_path / "key.backup").exists()) == (1, True, False)


def test_after_a_rotation_everything_goes_on_and_what_is_old_stays_provable(instance: Instance) -> None:
    with running(instance.data, instance.database) as service:
        start(service)
        table = Table(service, 2)
        first = sits_down(table)
        accepted(table.players[2].post(f"{table.path}/seats", {"chips": table.buy_in, "seat": 2}), 201)
        accepted(table.host.do(table.path, "start_game"))
        play(service, table, 1, Random(1))
        signed_in = service.parts.browser_sessions.begin(bytes.fromhex(table.host.token.split("_")[1]))
        service.keep_log()
        old = accepted(service.spectator.get("/v1/log/key")).data
        before, position = dossier(service.spectator, table.path), table.position
    earlier, _ = in_use(instance)
    said = instance.run("key", "rotate")
    assert (said.code, earlier in said.out) == (0, True), said.err
    assert in_use(instance) == (key_rotation.newest(instance.data / KEY).key_id, 1)
    with running(instance.data, instance.database) as service:
        service.numbers = count(100)  # The ids of new API keys must differ from the ids of the existing keys.
        move_to(service, table)
        start(service)
        again = sits_down(table)
        assert (again.headers["Idempotent-Replayed"], table.position) == ("true", position)
        assert service.parts.browser_sessions.key_of(signed_in)
        play(service, table, 3, Random(2))  # The next cards come from the deck that the earlier key has sealed.
        Table(service, 2).started()
        service.keep_log()
        new = accepted(service.spectator.get("/v1/log/key")).data
        after = dossier(service.spectator, table.path)
    for answer, own, other in ((first, old, new), (again, new, old)):
        receipt = Receipt(**json.loads(answer.data)["receipt"])
        assert [verify(receipt, json.loads(one)["receipt_key"]) for one in (own, other)] == [True, False]
    of_keys = [KeptFile("old", old), KeptFile("new", new)]
    of_receipts = [KeptFile(f"receipt {number}", one.data) for number, one in enumerate((first, again))]
    must_pass(before, *of_keys, *of_receipts)
    must_pass(after, *of_keys, *of_receipts)
    assert len(sealing_keys(instance)) == 2
    assert instance.run("verify").code == 0
    types = [one["type"] for one in instance.service_events()]
    assert types.count("signing_key_changed") == types.count("service_key_rotated") == 1


def sits_down(table: Table) -> TestResponse:
    """Take seat 1, under the same Idempotency-Key at each call; return the response."""
    body = {"chips": table.buy_in, "seat": 1}
    done: TestResponse = accepted(table.players[1].post(f"{table.path}/seats", body, key="sit down"), 201)
    return done


def move_to(service: Service, table: Table) -> None:
    """Let the people at *table* send their requests to *service*, with the same API keys."""
    table.service = service
    table.host = Person(service, table.host.owner, table.host.token)
    table.players = {seat: Person(service, one.owner, one.token) for seat, one in table.players.items()}


def sealing_keys(instance: Instance) -> set[bytes]:
    """Return the ids of the service keys under which the values of the database are sealed."""
    engine = make_engine(instance.database)
    with reading(engine) as connection:
        found = {bytes(one) for one in connection.scalars(select(sealed.c.key_id))}
    engine.dispose()
    return found


def test_a_rotation_that_is_killed_has_changed_nothing_and_the_next_one_ends_it(
    served: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = in_use(served)
    with monkeypatch.context() as patch:
        patch.setattr(recorded_rotation, "rotate", _killed)
        with pytest.raises(Killed):
            served.run("key", "rotate")
        assert keyring.read(served.data / KEY).earlier == ()
    with monkeypatch.context() as patch:
        patch.setattr(NextKey, "store", _killed_afterwards)
        with pytest.raises(Killed):
            served.run("key", "rotate")
    assert in_use(served) == before
    waiting = key_rotation.newest(served.data / KEY).key_id
    with running(served.data, served.database) as service:
        assert service.parts.service_key.key_id == before[0]
        service.parts.readiness.check()
    assert served.run("verify").code == 0
    (note,) = [one for one in json.loads(served.run("doctor", "--json").out) if one["check"] == "fingerprint"]
    assert (note["state"], " key rotate --data" in note["cure"]) == ("note", True), note
    assert served.run("key", "rotate").code == 0
    assert in_use(served) == (waiting, 1)
    assert len(keyring.read(served.data / KEY).earlier) == 1


class Killed(BaseException):
    """The command ends at this place without any further step."""


def _killed(*_: object) -> None:
    raise Killed


def _killed_afterwards(following: NextKey, store: Callable[[NextKey], None] = NextKey.store) -> None:
    store(following)
    raise Killed


def test_a_key_rotates_only_while_no_server_runs_and_a_server_that_was_missed_stops(
    served: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, content = in_use(served), (served.data / KEY).read_bytes()
    engine = make_engine(served.database)
    with exclusive_work(engine, SEQUENCING):  # as a server does
        said = served.run("key", "rotate")
    assert (said.code, "stop every server" in said.err) == (1, True)
    with without_servers(engine, KEY_ROTATION):  # as another command does
        said = served.run("key", "rotate")
    assert said == (1, "", "chiptrail: Another key rotation is running on this database; nothing was changed.\n")
    assert (in_use(served), (served.data / KEY).read_bytes()) == (before, content)
    signals: list[int] = []
    monkeypatch.setattr(os, "kill", lambda _, number: signals.append(number))
    with running(served.data, served.database) as service:
        service.parts.readiness.require_own_key()
        own_key = service.parts.service_key
        assert served.run("key", "rotate").code == 0
        worker.end_with_database(engine, service.parts.readiness.require_own_key)  # This returns within two seconds.
    assert signals == [signal.SIGTERM]
    chosen = settings.load({}, data_folder=served.data, database_url=served.database)
    with pytest.raises(CommandFailed, match=f"no longer bound to the service key {own_key.fingerprint[:16]}"):
        open_database.must_be_bound(chosen, own_key.fingerprint)
    engine.dispose()


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_restored_database_from_before_a_rotation_goes_on_and_is_rotated_to_the_same_key(
    served: Instance, tmp_path: Path
) -> None:
    before, _ = in_use(served)
    assert served.run("backup", str(tmp_path / "backup")).code == 0
    assert served.run("key", "rotate").code == 0
    newest, _ = in_use(served)
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", served.data)
    said = there.run("restore", str(tmp_path / "backup"))
    assert (said.code, "chiptrail key rotate" in said.err) == (0, True), said.err
    assert in_use(there) == (before, 0)
    assert there.run("key", "rotate").code == 0
    assert in_use(there) == (newest, 1)
    assert there.run("key", "rotate").code == 0
    assert there.run("verify").code == 0
