"""A reader can distinguish the first and the last line of an export from leaves, and from each other."""

import pytest

from service.event_store import export_format
from service.event_store.export_format import Begin, BrokenStream, End, StreamHead

BEGIN = Begin(release="1.2.3", viewer="spectator", lines="leaves")
END = End(
    is_whole=False,
    streams=2,
    leaves=5,
    heads=(StreamHead("table/tbl_1", 5, "ab"),),
    broken=(BrokenStream("table/tbl_2", 1, "an event is missing"),),
)
LEAF = b'{"at":"2026-01-01T00:00:00.000Z","by":"host","position":1,"prev":"00","pub":{"begin":1,"end":2},"v":1}'


def test_each_written_line_is_read_unchanged() -> None:
    assert export_format.parse_begin(export_format.begin_line(BEGIN)) == BEGIN
    assert export_format.parse_end(export_format.end_line(END)) == END


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(LEAF, id="a leaf"),
        pytest.param(b'{"leaf":' + LEAF + b',"hash":"ab","openings":[],"fields":[]}', id="an envelope"),
        pytest.param(b'{"begin":{},"end":{}}', id="both at once"),
        pytest.param(b'{"end":{"is_whole":true},"leaf":{}}', id="with another member"),
        pytest.param(b'{"begin":{"format":"chiptrail/export/v2","release":"","viewer":"","lines":"leaves"}}', id="v2"),
        pytest.param(b"[]", id="no object"),
        pytest.param(b'{"end":', id="no JSON"),
        pytest.param(b"[" * 100_000, id="nested too deep"),
    ],
)
def test_no_other_line_is_accepted_as_a_line_of_the_format(line: bytes) -> None:
    assert export_format.parse_begin(line) is None
    assert export_format.parse_end(line) is None


def test_a_later_release_may_add_members() -> None:
    line = export_format.begin_line(BEGIN).replace(b'"release"', b'"origin":"example.org/log","release"')
    assert export_format.parse_begin(line) == BEGIN
