"""`chiptrail archive` exports ended tables once, and again after new events or with `--again`; it removes no table."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from service.database.engines import make_engine
from service.database.exclusive import ARCHIVE, exclusive_work
from service.event_store import export_format
from service.exchange.archiving import Archiver
from tests.cli.commands import Instance, leaves_of
from tests.cli.played import Originals, play_to
from tests.damage import damage
from tests.http.service import Service, Table, running
from tests.play.hearts import ALL_RULES, over

Played = tuple[Instance, list[str], str]


def _two_tables(service: Service) -> tuple[list[str], str]:
    """Play a table of Insurance Hearts to its end, and start another; return both ids and the first table's host."""
    options: dict[str, Any] = {**ALL_RULES, "target": 1}
    tables = [Table(service, 4, game="insurance_hearts", **options).started() for _ in range(2)]
    play_to(service, tables[0], over, 5)
    return [table.id for table in tables], tables[0].host.owner


@pytest.fixture
def played(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Played]:
    """Yield an instance with a finished table and a running table, the ids of both, and the first table's host."""
    with originals.copied(kind, _two_tables, tmp_path / "data") as original:
        yield original.instance, *original.known


def archived(instance: Instance) -> list[dict[str, Any]]:
    """Return the members of the events that record archived tables."""
    return [one["pub"] for one in instance.service_events() if one["type"] == "table_archived"]


def test_an_archive_has_each_ended_table_once_and_again_after_new_events(played: Played, tmp_path: Path) -> None:
    instance, (ended, live), host = played
    files = [tmp_path / f"{number}.ndjson" for number in range(5)]
    exported = leaves_of(instance.run("export", "--openings", "--table", ended).out)
    for flags in (("--older-than", "1"), ("--owner", f"own_{'f' * 32}")):
        said = instance.run("archive", str(files[0]), *flags)
        assert (said.code, "no file was written" in said.out, files[0].exists()) == (0, True, False)
    assert instance.run("archive", str(files[0]), "--owner", host, "--older-than", "0").code == 0
    assert leaves_of(files[0].read_text()) == exported
    assert instance.run("archive", str(files[0])).code == 1
    assert "no file was written" in instance.run("archive", str(files[1])).out
    assert instance.run("archive", str(files[2]), "--again").code == 0
    assert files[2].read_bytes() == files[0].read_bytes()
    assert instance.run("erase", "--older-than", "0").code == 0
    assert instance.run("archive", str(files[3])).code == 0
    events = archived(instance)
    assert [one["table"] for one in events] == [ended] * 3
    assert [one["file_hash"] for one in events] == [sha256(files[n].read_bytes()).hexdigest() for n in (0, 2, 3)]
    assert events[2]["position"] > events[1]["position"] == events[0]["position"]
    assert ended in instance.run("export").out
    for file in (files[0], files[3]):
        assert instance.run("verify", "--head", str(file)).code == 0
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", tmp_path / "there")
    assert there.run("migrate").code == 0
    imported = there.run("import", str(files[0]))
    assert (imported.code, f"{ended} " in imported.out, live in imported.out) == (0, True, False)
    assert "clean: imported, read-only" in imported.out
    assert there.run("verify").code == 0


def test_a_table_that_fails_is_in_no_archive_and_an_archived_leaf_that_was_changed_is_named(
    played: Played, tmp_path: Path
) -> None:
    instance, (ended, _), _ = played
    assert instance.run("archive", str(tmp_path / "before.ndjson")).code == 0
    end = export_format.read_end(tmp_path / "before.ndjson")
    assert end
    with running(instance.data, instance.database) as service:
        damage(service, ended, end.heads[0].position)
    said = instance.run("archive", str(tmp_path / "after.ndjson"), "--again")
    assert (said.code, f"These tables fail and are in no archive: {ended}" in said.err) == (3, True)
    assert not (tmp_path / "after.ndjson").exists()
    assert len(archived(instance)) == 1
    report = json.loads(instance.run("verify", "--json").out)
    named = [(one["check"], one["table"], one["position"]) for one in report["log"]["findings"]]
    assert ("archived_leaf_must_be_there", ended, end.heads[0].position) in named


def test_an_archive_that_is_killed_before_its_record_is_a_whole_file_and_is_made_again(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, (ended, _), _ = played
    with monkeypatch.context() as patch:
        patch.setattr(Archiver, "_record", _killed)
        with pytest.raises(Killed):
            instance.run("archive", str(tmp_path / "first.ndjson"))
    assert archived(instance) == []
    assert instance.run("archive", str(tmp_path / "second.ndjson")).code == 0
    assert [one["table"] for one in archived(instance)] == [ended]
    assert (tmp_path / "first.ndjson").read_bytes() == (tmp_path / "second.ndjson").read_bytes()


def test_a_second_archive_at_the_same_time_is_refused(played: Played, tmp_path: Path) -> None:
    instance, _, _ = played
    engine = make_engine(instance.database)
    with exclusive_work(engine, ARCHIVE):  # as the first archive does
        said = instance.run("archive", str(tmp_path / "second.ndjson"))
    engine.dispose()
    assert (said.code, "Another archive is running on this database" in said.err) == (1, True)
    assert (archived(instance), list(tmp_path.glob("*second*"))) == ([], [])
    assert instance.run("archive", str(tmp_path / "second.ndjson")).code == 0


class Killed(BaseException):
    """The command ends at this place without any further step."""


def _killed(*_: object) -> None:
    raise Killed
