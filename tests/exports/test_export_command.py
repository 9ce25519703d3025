"""`chiptrail export` refuses unfit options, replaces no file, leaves no file if it fails, and names damage."""

import errno
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from service.event_store.entries import disputes_stream
from service.exports.export_writing import ExportWriting
from tests.cli.commands import Instance
from tests.damage import damage, lose_head
from tests.databases import Databases
from tests.exports.conftest import Minutes
from tests.exports.played_tables import World
from tests.http.service import Table, running


@pytest.mark.parametrize(
    "arguments",
    [
        ("--owner", f"own_{'0' * 32}"),
        ("--from", "2026-01-01"),
        ("--to", "2026-01-01"),
        ("--sheet", "hands"),
        ("--format", "hledger", "--openings"),
        ("--format", "text", "--sheet", "hands"),
        ("--format", "csv", "--owner", "own_1"),
        ("--format", "csv", "--from", "yesterday"),
        ("--format", "csv", "--from", "0001-01-01T00:00:00+05:00"),
        ("--format", "csv", "--from", "2026-01-02", "--to", "2026-01-01"),
        ("--format", "text", "--from", "2026-01-02", "--to", "2026-01-02T02:00:00+02:00"),
        ("--format", "xls"),
    ],
)
def test_options_that_do_not_fit_the_format_are_refused(world: World, arguments: tuple[str, ...]) -> None:
    said = world.instance.run("export", *arguments)
    assert (said.code, said.out) == (2, "")


def test_a_full_disk_behind_standard_output_is_named(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ExportWriting, "parts", refuse)
    said = world.export("csv")
    assert said == (1, "", "chiptrail: Standard output can't be written: No space left on device.\n")


@pytest.mark.parametrize("form", ["ndjson", "hledger", "text", "csv"])
def test_a_file_has_the_bytes_of_standard_output_and_replaces_no_file(world: World, tmp_path: Path, form: str) -> None:
    file = tmp_path / "export"
    said = world.export(form, "--output", str(file))
    assert (said.code, said.out, said.err) == (0, "", "")
    assert file.read_text() == world.export(form).out
    assert (b"\r\n" in file.read_bytes()) == (form == "csv")
    again = world.export(form, "--output", str(file))
    assert (again.code, "is not overwritten" in again.err) == (1, True)
    unknown = world.export(form, "--table", f"tbl_{'0' * 32}", "--output", str(tmp_path / "unknown"))
    assert unknown.code == 1
    assert [one.name for one in tmp_path.iterdir()] == ["export"]


def test_a_damaged_table_is_written_up_to_the_damage_and_named(all_databases: Databases, tmp_path: Path) -> None:
    with all_databases.migrated("sqlite") as url:
        instance = Instance(url, tmp_path)
        with running(tmp_path, url, entropy=Minutes()) as service:
            first, second, third = (Table(service).started() for _ in range(3))
            whole = {form: instance.run("export", "--format", form).out for form in ("hledger", "text", "csv")}
            damage(service, second.id, 5)
            damage(service, third.id, 1, leaf=b"no leaf")
            lose_head(service, third.id)
        for form, before in whole.items():
            said = instance.run("export", "--format", form)
            assert said.code == 3
            assert f"{second.id} at position 5" in said.err
            assert f"{third.id} at position 1 (the stream has events and no head)" in said.err
            assert f"{second.id}" in said.out
            assert "from position 5 on" in said.out
            assert "not whole" in said.out.splitlines()[-1]
            assert said.out.count(first.id) == before.count(first.id)
            seats = [f"{second.id}:stack:{seat}" in said.out for seat in (1, 2, 3)]
            assert seats == [form == "hledger", form == "hledger", False]


def test_damage_among_the_disputes_of_a_table_is_named_and_the_table_itself_is_whole(
    world: World, tmp_path: Path
) -> None:
    table = world.tables["bankrupt"]
    disputes = disputes_stream(bytes.fromhex(table.id.removeprefix("tbl_")))
    whole = world.export("hledger", "--table", table.id).out
    shutil.copytree(world.instance.data, tmp_path / "data")
    copy, original = tmp_path / "copy.db", world.instance.database.removeprefix("sqlite:///")
    with closing(sqlite3.connect(original)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    instance = Instance(f"sqlite:///{copy}", tmp_path / "data")
    with running(instance.data, instance.database) as service:
        damage(service, disputes.hex(), 2)
    said = instance.run("export", "--format", "hledger", "--table", table.id)
    assert said.code == 3
    assert f"; not whole: {table.id} from position 2 on: " in said.out
    assert "in the stream of its disputes" in said.err
    assert [one for one in whole.splitlines() if " * (" in one and "dispute:" not in one] == [
        one for one in said.out.splitlines() if " * (" in one
    ]
