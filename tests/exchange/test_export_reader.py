"""Reading export files: the reader reports each fault, and groups the readable lines by table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.event_store import export_format
from service.event_store.entries import Head
from service.event_store.export_format import Begin, BrokenStream, End
from service.exchange.export_reader import TableLines, tables
from tests.databases import Databases
from tests.exchange.exported_tables import CODEC, bare
from tests.http.service import Table, running

BEGIN = export_format.begin_line(Begin(release="1.0", viewer="spectator", lines="leaves")) + b"\n"


@pytest.fixture
def played(tmp_path: Path, all_databases: Databases) -> Iterator[tuple[Table, ...]]:
    """Yield two tables of four events each."""
    with all_databases.migrated("sqlite") as url, running(tmp_path / "there", url) as service:
        yield Table(service, 2).seated(), Table(service, 2).seated()


def ended(*played: Table, leaves: int = 0, broken: tuple[BrokenStream, ...] = ()) -> bytes:
    """Return the last line of an export of the tables *played*."""
    heads = []
    for table in played:
        last = CODEC.decode(bare(table)[-1].strip())
        heads.append(
            export_format.stream_head(bytes.fromhex(table.id.removeprefix("tbl_")), Head(last.position, last.hash))
        )
    end = End(
        is_whole=not broken, streams=len(heads), leaves=leaves or 4 * len(heads), heads=tuple(heads), broken=broken
    )
    return export_format.end_line(end) + b"\n"


def faults(found: list[TableLines]) -> list[str]:
    return [str(one.fault) for one in found if one.fault]


def test_a_whole_file_has_no_fault(played: tuple[Table, ...]) -> None:
    first, second = played
    whole = [BEGIN, *bare(first), *bare(second), ended(*played)]
    for lines in (whole, [*whole, *whole], [*bare(first), *bare(second)], [*bare(first), ended(first)]):
        found = list(tables(lines, CODEC))
        assert faults(found) == []
        assert {len(one.lines) for one in found} == {4}


def test_a_truncated_file_is_reported_and_its_readable_lines_are_returned(played: tuple[Table, ...]) -> None:
    first, second = played
    found = list(tables([BEGIN, *bare(first), *bare(second)], CODEC))
    assert [len(one.lines) for one in found] == [4, 4, 0]
    assert faults(found) == ["line 9: The file is incomplete: its last line is missing, and perhaps more tables."]
    found = list(tables([BEGIN, *bare(first), BEGIN, *bare(second), ended(second)], CODEC))
    assert faults(found) == ["line 6: The export before this line is incomplete: its last line is missing."]


@pytest.mark.parametrize("leaves", [7, 8])
def test_a_file_that_has_lost_a_line_is_reported(played: tuple[Table, ...], leaves: int) -> None:
    first, second = played
    found = list(tables([BEGIN, *bare(first), *bare(second)[:-1], ended(*played, leaves=leaves)], CODEC))
    assert faults(found) == ["line 9: The file has other leaves than its last line names."]


def test_a_table_that_was_damaged_at_its_export_is_named(played: tuple[Table, ...]) -> None:
    first, _ = played
    broken = BrokenStream("table/tbl_" + "0" * 32, 68, "an event is missing")
    found = list(tables([BEGIN, *bare(first), ended(first, broken=(broken,))], CODEC))
    why = "was damaged at position 68 when it was exported: an event is missing."
    assert faults(found) == [f"line 6: tbl_{'0' * 32} {why}"]


def test_a_line_that_cannot_be_read_is_a_fault_of_the_table_before_it(played: tuple[Table, ...]) -> None:
    first, second = played
    found = list(tables([b"{}\n", *bare(first), b"chips\n", b"and more\n", *bare(second)], CODEC))
    assert [bool(one.fault) for one in found] == [True, True, False]
    assert [one.fault.line for one in found if one.fault] == [1, 6]
