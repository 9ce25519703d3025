"""`chiptrail export` and `import`: tables move from one service to another, and the commands report on each table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Instance, leaves_of
from tests.cli.played import Originals, Played, play_to
from tests.http.service import Service, Table
from tests.play.hearts import over


def _two_tables(service: Service) -> tuple[str, str]:
    """Play a table to its end, and start the game of a second table; return both ids."""
    return play_to(service, Table(service, 2).started(), over, 1).id, Table(service, 2).started().id


@pytest.fixture
def played(originals: Originals, kind: str, tmp_path: Path) -> Iterator[Played]:
    """Yield an instance with a finished table and a running table; `known` has their ids."""
    with originals.copied(kind, _two_tables, tmp_path / "data") as original:
        yield original


@pytest.mark.walk
def test_an_export_is_imported_elsewhere_and_verified(played: Played, tmp_path: Path) -> None:
    instance, (ended, live) = played
    exported = instance.run("export")
    assert exported.code == 0
    file = tmp_path / "tables.ndjson"
    file.write_text(exported.out)
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", tmp_path / "there")
    assert there.run("migrate").code == 0
    done = there.run("import", str(file))
    assert (done.code, done.err) == (0, "")
    said = {line.split()[0]: line for line in done.out.splitlines()[:-1]}
    assert said[ended].endswith("clean: imported, read-only")
    assert said[live].endswith("pending: imported, read-only; its game was not over")
    assert leaves_of(there.run("export").out) == leaves_of(exported.out)
    assert there.run("verify").code == 0
    assert there.run("rebuild").code == 0
    assert there.run("verify").code == 0
    again = there.run("import", str(file))
    assert (again.code, again.out.count("no new events")) == (0, 2)


def test_a_table_that_was_not_imported_is_named_at_the_end_and_by_the_exit_code(played: Played, tmp_path: Path) -> None:
    instance, (ended, live) = played
    lines = [line for line in instance.run("export").out.splitlines(keepends=True) if '"stream"' in line]
    spoilt = [line for line in lines if live not in line or '"position":3,' not in line]
    assert len(spoilt) == len(lines) - 1
    file = tmp_path / "tables.ndjson"
    file.write_text("".join(spoilt))
    there = Instance(f"sqlite:///{tmp_path / 'there.db'}", tmp_path / "there")
    assert there.run("migrate").code == 0
    done = there.run("import", str(file))
    assert done.code == 1
    assert "1 tables imported, 0 continued, 0 unchanged, 1 rejected" in done.out
    assert done.out.splitlines()[0].startswith(f"{ended}  ")
    assert done.err.startswith(f"chiptrail: Not everything was imported:\n  {live}: line ")
    assert "Position 3 must come here, not 4." in done.err
    file.write_text("".join(lines))
    done = there.run("import", str(file))
    assert (done.code, done.err) == (0, "")
    assert "1 tables imported, 0 continued, 1 unchanged, 0 rejected" in done.out


def test_a_file_that_fails_ends_with_the_exit_code_of_its_fault(instance: Instance, tmp_path: Path) -> None:
    file = tmp_path / "empty"
    file.write_text("")
    done = instance.run("import", str(file))
    assert (done.code, "The file has no table." in done.err) == (1, True)
    file.write_text("chips\n")
    done = instance.run("import", str(file))
    assert (done.code, "line 1: This is not JSON" in done.err) == (1, True)
    assert instance.run("import", str(tmp_path / "nowhere")).code == 2
