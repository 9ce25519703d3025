"""`chiptrail log` prints the keys of the log and begins a new log; `serve` refuses keys with which it must not sign."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from service import __version__
from service.database import engines
from service.secrets.receipts import Receipt, verify
from service.transparency import signed_note
from service.transparency.log_keeper import LogKeeper
from tests.cli.commands import Instance, Said, running_server
from tests.cli.played import Originals
from tests.http.service import Service, Table, accepted, running

KEY, HEAD = "log-key.txt", "log-key.txt.head"


@pytest.fixture
def signed(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Instance]:
    """Yield an instance with a table whose leaves a signed checkpoint covers."""
    with originals.copied(kind, _signed, tmp_path / "data") as original:
        yield original.instance


def _signed(service: Service) -> None:
    Table(service, 2).started()
    _keep(service)


def _keep(service: Service) -> None:
    LogKeeper(service.parts.engine, service.parts.log_signer, service.parts.clock).look()


def opens_a_table(instance: Instance) -> str:
    """Open another table and sign the log; return the table's id."""
    with running(instance.data, instance.database) as service:
        table = Table(service)
        _keep(service)
    return str(table.id)


def owner(instance: Instance, *statements: str) -> None:
    engine = engines.make_engine(instance.database)
    with engines.migrating(engine) as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def report(said: Said) -> list[tuple[str, str]]:
    """Return the check and the table of each finding about the whole log."""
    return [(one["check"], one["table"]) for one in json.loads(said.out)["log"]["findings"]]


def test_the_keys_of_the_log_verify_its_checkpoints_and_receipts(signed: Instance) -> None:
    keys = json.loads(signed.run("log", "key", "--json").out)
    vkey = signed_note.parse_key(keys["vkey"])
    assert keys["origin"] == vkey.name
    signed_note.must_be_signed(signed_note.parse((signed.data / HEAD).read_bytes()), vkey)
    with running(signed.data, signed.database) as service:
        table = Table(service, 3)
        receipt = accepted(table.host.do(table.path, "close_table")).json["receipt"]
    assert verify(Receipt(**receipt), keys["receipt_key"])
    said = signed.run("log", "key")
    assert [line.split() for line in said.out.splitlines()] == [[name, value] for name, value in keys.items()]


def test_without_a_log_key_no_key_is_printed(instance: Instance) -> None:
    said = instance.run("log", "key")
    assert (said.code, said.out) == (1, "")
    assert f"The log key {instance.data / KEY} can't be read" in said.err


@pytest.mark.walk
def test_verify_checks_the_whole_log_and_counts_its_leaves(signed: Instance) -> None:
    said = json.loads(signed.run("verify", "--json").out)
    log = said["log"]
    assert (said["verdict"], log["findings"]) == ("clean", [])
    reasons = [reason.partition(":")[0] for reason in log["not_checked"]]
    assert reasons == ["API keys and imports"], "no server has started yet"
    assert (log["indexed"], log["waiting"], log["checkpoints"]) == (said["events"], 0, 2)
    owner(signed, "UPDATE tree_tiles SET number = 7")
    said = signed.run("verify", "--json")
    assert (said.code, json.loads(said.out)["verdict"]) == (3, "failed")
    assert "tile_must_fit_the_indexes" in dict(report(said))
    assert "tile_must_fit_the_indexes" in signed.run("verify").out
    mended = signed.run("rebuild")
    assert (mended.code, "2 tiles of the tree were missing or wrong" in mended.out) == (0, True)
    assert signed.run("verify").code == 0


def test_a_saved_checkpoint_is_compared_if_this_log_signed_it(signed: Instance, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    shutil.copy(signed.data / HEAD, saved)
    opens_a_table(signed)
    assert signed.run("verify", "--checkpoint", str(saved)).code == 0
    content = saved.read_text()
    saved.write_text(content.replace("\n", "0\n", 2))
    said = signed.run("verify", "--checkpoint", str(saved))
    assert (said.code, f"{saved} has no checkpoint of this log" in said.err) == (1, True)
    assert signed.run("verify", "--checkpoint", str(saved), "--table", "tbl_" + "0" * 32).code == 2
    (signed.data / KEY).unlink()
    said = signed.run("verify", "--checkpoint", str(saved))
    assert (said.code, f"The signature in {saved} can't be checked" in said.err) == (1, True)
    assert f"copy {signed.data / KEY} from its backup" in said.err


def test_one_table_is_verified_with_its_indexes(signed: Instance) -> None:
    engine = engines.make_engine(signed.database)
    with engines.reading(engine) as connection:
        (stream_id,) = connection.execute(text("SELECT stream_id FROM streams")).scalars()
    engine.dispose()
    table = f"tbl_{bytes(stream_id).hex()}"
    assert signed.run("verify", "--table", table).code == 0
    is_sqlite = signed.database.startswith("sqlite")
    owner(
        signed,
        *(
            ["DROP TRIGGER leaf_indexes_only_grows_delete"]
            if is_sqlite
            else ["ALTER TABLE leaf_indexes DISABLE TRIGGER USER"]
        ),
        "DELETE FROM leaf_indexes WHERE position = 2",
    )
    said = signed.run("verify", "--table", table, "--json")
    assert (said.code, report(said)) == (3, [("leaf_must_have_an_index", table)])


def test_a_key_or_head_that_is_gone_is_a_finding_once_something_is_signed(signed: Instance, instance: Instance) -> None:
    (signed.data / HEAD).unlink()
    said = signed.run("verify", "--json")
    assert (said.code, report(said)) == (3, [("log_key_and_head_must_be_usable", "log")])
    assert instance.run("verify").code == 0
    assert "not checked: signatures, because nothing is signed yet" in instance.run("verify").out


def test_a_log_without_a_fault_is_restarted_only_if_the_operator_insists(signed: Instance) -> None:
    before = {name: (signed.data / name).read_bytes() for name in (KEY, HEAD)}
    old = json.loads(signed.run("log", "key", "--json").out)
    said = signed.run("log", "restart")
    assert (said.code, "can go on: nothing was changed" in said.err, "--yes" in said.err) == (1, True, True)
    assert {name: (signed.data / name).read_bytes() for name in (KEY, HEAD)} == before
    said = signed.run("log", "restart", "--yes")
    assert said.code == 0, said.err
    assert "Clients, auditors and witnesses notice the new origin" in said.err
    assert {name: (signed.data / f"{name}.old-1").read_bytes() for name in (KEY, HEAD)} == before
    new = json.loads(signed.run("log", "key", "--json").out)
    assert (new["origin"] != old["origin"], new["receipt_key"] == old["receipt_key"]) == (True, True)
    set_aside = str(signed.data / f"{HEAD}.old-1")
    compared = signed.run("verify", "--checkpoint", set_aside)
    assert (compared.code, compared.out) == (1, "")
    assert f"has no checkpoint of this log, {new['origin']}: it names the log {old['origin']}, which" in compared.err
    assert "by --head the .head file of a backup" in compared.err
    refused = signed.run("verify", "--head", set_aside)
    assert (refused.code, refused.out) == (1, "")
    assert f"is a checkpoint of the log {old['origin']}, and has no heads" in refused.err
    assert "by --head the .head file of a backup" in refused.err
    assert new["vkey"] in said.out
    verified = signed.run("verify")
    assert (verified.code, f"the checkpoints of earlier logs: {old['origin']}" in verified.out) == (0, True)
    assert opens_a_table(signed)
    assert signed.run("verify").code == 0
    assert signed.run("log", "restart", "--yes").code == 0
    assert (signed.data / f"{KEY}.old-2").exists()


@pytest.mark.parametrize("kind", ["sqlite"])
def test_the_log_of_a_restored_older_database_is_restarted_without_asking(signed: Instance, tmp_path: Path) -> None:
    assert signed.run("backup", str(tmp_path / "backup")).code == 0
    lost = opens_a_table(signed)
    Path(signed.database.removeprefix("sqlite:///")).unlink()
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", signed.data)
    (signed.data / KEY).rename(tmp_path / KEY)
    too_early = there.run("restore", str(tmp_path / "backup"))
    assert (too_early.code, f"copy {signed.data / KEY} from its backup" in too_early.err) == (3, True)
    (tmp_path / KEY).rename(signed.data / KEY)
    (tmp_path / "there.db").unlink()
    restored = there.run("restore", str(tmp_path / "backup"))
    assert (restored.code, "log_must_have_what_was_signed" in restored.out) == (3, True)
    doctor = json.loads(there.run("doctor", "--json").out)
    (finding,) = [one for one in doctor if one["state"] == "wrong"]
    assert (finding["check"], "log" in finding["cure"]) == ("last checkpoint", True)
    assert "the database is older than the checkpoint" in finding["said"]
    with running_server([*there.flags, "--workers", "1"], tmp_path / "log") as server:
        assert server.url
        said = there.run("log", "restart")
        assert (said.code, "stop every server" in said.err) == (1, True)
    assert "no checkpoint will be signed. The log has" in (tmp_path / "log").read_text()
    said = there.run("log", "restart")
    assert (said.code, "The old log can't go on: The log" in said.err) == (0, True)
    assert there.run("verify").code == 0
    assert lost not in there.run("export").out
    opens_a_table(there)
    assert there.run("verify").code == 0


def _gone(instance: Instance) -> None:
    (instance.data / KEY).unlink()


def _headless(instance: Instance) -> None:
    (instance.data / HEAD).unlink()


def _open_to_others(instance: Instance) -> None:
    (instance.data / KEY).chmod(0o644)


def _no_key(instance: Instance) -> None:
    (instance.data / KEY).write_text("key\n")


def _anew(instance: Instance) -> None:
    """Remove the log key and its head file, and start a service: it makes new files, without `log restart`."""
    for name in (KEY, HEAD):
        (instance.data / name).unlink()
    with running(instance.data, instance.database):
        pass


@pytest.mark.parametrize(
    ("spoil", "message", "cure"),
    [
        (_gone, "is gone", "log restart"),
        (_headless, "can't be read: No such file", "log restart"),
        (_open_to_others, "accessible to users other than its owner", "chmod 600"),
        (_no_key, "has no log key", "log restart"),
        (_anew, "and the database to the log", "log restart"),
    ],
)
def test_a_server_does_not_start_without_the_log_key_of_its_database(
    signed: Instance, spoil: object, message: str, cure: str
) -> None:
    assert callable(spoil)
    spoil(signed)
    files = {path: path.read_bytes() for path in signed.data.iterdir()}
    said = signed.run("serve")
    assert (said.code, message in said.err, cure in said.err) == (1, True, True), said
    assert "Traceback" not in said.err
    assert {path: path.read_bytes() for path in signed.data.iterdir()} == files, "no key was made"
    found = {one["check"]: one for one in json.loads(signed.run("doctor", "--json").out)}
    assert "wrong" in {found[name]["state"] for name in ("log key", "last checkpoint") if name in found}


def test_a_log_key_that_is_lost_is_replaced_by_a_restart(signed: Instance) -> None:
    (signed.data / KEY).unlink()
    assert signed.run("log", "restart").code == 0
    assert [path.name for path in sorted(signed.data.glob("log-key.txt*.old-*"))] == [f"{HEAD}.old-1"]
    assert signed.run("verify").code == 0


def test_no_new_log_begins_with_a_damaged_tree(signed: Instance) -> None:
    owner(
        signed,
        "DROP TRIGGER tree_head_only_grows" + ("" if signed.database.startswith("sqlite") else " ON tree_head"),
        "UPDATE tree_head SET size = 1",
    )
    before = sorted(signed.data.iterdir())
    said = signed.run("log", "restart", "--yes")
    assert (said.code, "The tree is damaged, so nothing was changed" in said.err) == (1, True)
    assert sorted(signed.data.iterdir()) == before
    said = signed.run("rebuild")
    assert (said.code, "but not the tiles of the tree" in said.err) == (1, True)


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_start_opens_the_services_own_stream_and_later_starts_add_nothing(signed: Instance, tmp_path: Path) -> None:
    for _ in range(2):
        with running_server([*signed.flags, "--workers", "1"], tmp_path / "log") as server:
            assert server.url
    opened, *others = signed.service_events()
    keys = json.loads(signed.run("log", "key", "--json").out)
    assert opened["type"] == "log_opened"
    assert opened["pub"] == {
        "log_key": keys["vkey"],
        "origin": keys["origin"],
        "receipt_key": keys["receipt_key"],
        "release": __version__,
    }
    assert [one["type"] for one in others] == [*["key_adopted"] * (len(others) - 1), "key_made"], "the first key"
    assert signed.run("verify").code == 0


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_new_log_names_the_old_checkpoint_and_the_streams_that_are_shorter(signed: Instance, tmp_path: Path) -> None:
    with running_server([*signed.flags, "--workers", "1"], tmp_path / "log") as server:
        assert server.url
    assert signed.run("backup", str(tmp_path / "backup")).code == 0
    lost = opens_a_table(signed)
    assert signed.run("keys", "make").code == 0
    (tmp_path / "newer").write_text(signed.run("export").out)
    old_checkpoint = (signed.data / HEAD).read_text()
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", signed.data)
    there.run("restore", str(tmp_path / "backup"))
    before = len(there.service_events())
    assert before < len(signed.service_events()), "the database lacks the newest keys"
    said = there.run("log", "restart", "--head", str(tmp_path / "newer"))
    assert said.code == 0
    opened, *others = there.service_events()[before:]
    assert (opened["type"], opened["pub"]["checkpoint"]) == ("log_opened", old_checkpoint)
    assert opened["pub"]["origin"] != there.service_events()[0]["pub"]["origin"]
    assert opened["pub"]["origin"] in said.out
    (shortened,) = others
    assert shortened["pub"]["stream"] == f"table/{lost}"
    assert shortened["pub"]["position"] == 0
    assert (there.run("verify").code, there.run("log", "key").code) == (0, 0)
    with running_server([*there.flags, "--workers", "1"], tmp_path / "log") as server:
        assert server.url
    assert len(there.service_events()) == before + 2, "a start after the restart has nothing to record"
