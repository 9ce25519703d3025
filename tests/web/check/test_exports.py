"""An export, and the lines of the events endpoint, are checked in the browser; each changed line is refused."""

import json
from io import BytesIO
from random import Random

import pytest

from service.dossier.verify import Finding
from service.exchange.exporting import begin, write_export
from tests import seeds
from tests.dossier.made import World
from tests.http.streams import LINES
from tests.web.check.in_browser import Checker

CHANGES = 60
OF_TABLES = ("moves", "decks", "openings", "hands", "transfers")


def written(played: World, lines: str) -> bytes:
    output, parts = BytesIO(), played.service.parts
    write_export(output, parts.engine, parts.log, begin(lines, "log"))  # type: ignore[arg-type]
    return output.getvalue()


@pytest.fixture(scope="module")
def exports(played: World) -> dict[str, bytes]:
    """Return exports of all tables, and the events of one table (all, and those after 57) as seat 3 gets them."""
    table = next(one.table for one in played.played if one.game == "insurance_hearts")
    events = bytes(table.players[3].get(f"{table.path}/events", Accept=LINES).data)
    later = bytes(table.players[3].get(f"{table.path}/events?after=57", Accept=LINES).data)
    return {form: written(played, form) for form in ("leaves", "openings")} | {"events": events, "later": later}


def failed(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(one.step, one.place) for one in findings if one.verdict == "FAILED"]


def test_whole_files_pass_and_say_what_an_export_cannot_prove(checker: Checker, exports: dict[str, bytes]) -> None:
    found = dict(zip(exports, checker.findings(list(exports.values())), strict=True))
    for name, findings in found.items():
        assert failed(findings) == []
        unchecked = [one.step for one in findings if one.verdict == "-"]
        assert unchecked == [*(OF_TABLES if name == "later" else ()), "signatures", "inclusion"]
    texts = {name: {one.step: one.text for one in findings} for name, findings in found.items()}
    assert texts["later"]["leaves"].endswith("1 of them do not begin with position 1")
    assert "0 cards" not in texts["events"]["openings"]
    assert texts["openings"]["openings"] == "3 tables hold"
    assert texts["openings"]["disputes"] == "2 streams of disputes, with 1 texts, belong to their tables"


def test_each_changed_line_is_refused(checker: Checker, exports: dict[str, bytes]) -> None:
    chance = seeds.chance("changes of exports")
    names = ("leaves", "openings", "events")  # not "later": the openings of a part of a table are not checked
    changed = [_changed(exports[name], chance) for name in (chance.choice(names) for _ in range(CHANGES))]
    assert [findings for findings in checker.findings(changed) if not failed(findings)] == []


def _changed(data: bytes, chance: Random) -> bytes:
    """Flip a bit of a leaf's line, drop or double the line, or exchange it with the next line.

    If the next line is of another stream, double the line instead of exchanging it.
    """
    lines = data.splitlines(keepends=True)
    first, last = int(lines[0].startswith(b'{"begin"')), len(lines) - 1
    at = chance.randrange(first, last - 1)
    kind = chance.choice(("flip", "drop", "double", "exchange"))
    if kind == "flip":
        line = bytearray(lines[at])
        line[chance.randrange(len(line))] ^= 1 << chance.randrange(8)
        lines[at] = bytes(line)
    elif kind == "exchange" and _stream(lines[at]) == _stream(lines[at + 1]):
        lines[at : at + 2] = lines[at + 1], lines[at]
    else:
        lines[at : at + 1] = [] if kind == "drop" else [lines[at]] * 2
    return b"".join(lines)


def _stream(line: bytes) -> str:
    value = json.loads(line)
    return str(value.get("leaf", value)["stream"])


def test_a_flaw_is_named_by_table_and_position(checker: Checker, exports: dict[str, bytes], played: World) -> None:
    table = played.played[0].table.id
    lines = exports["leaves"].splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b'"position":9,"prev"' in line and table.encode() in line)
    other = [*lines[:at], lines[at].replace(b'"at":"20', b'"at":"21'), *lines[at + 1 :]]
    cut = lines[:-1]
    head = [*lines[:-2], lines[-1]]
    found = checker.findings([b"".join(one) for one in (other, cut, head, [*lines, lines[1]], lines[1:2])])
    assert [failed(findings)[0] for findings in found] == [
        ("leaves", f"{table}, position 10"),
        ("end", f"line {len(lines) - 1}"),
        ("end", f"line {len(lines) - 1}"),
        ("file", f"line {len(lines) + 1}"),
        ("end", "line 1"),
    ]


def test_a_value_that_was_not_sealed_or_is_not_open_yet_is_refused(checker: Checker, exports: dict[str, bytes]) -> None:
    lines = exports["openings"].splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b'"fields":[{' in line and b'"stream":"table/' in line)
    line = json.loads(lines[at])
    opening = line["fields"][0]
    wrong = [
        line | {"fields": [opening | {"value": "another"}]},
        line | {"fields": [opening | {"salt": "0" * 64}]},
        line | {"fields": [opening | {"position": 1}]},
        line | {"fields": [opening | {"more": 1}]},
    ]
    place = {"stream": opening["stream"], "position": opening["position"]}
    early = next(number for number, one in enumerate(lines) if place.items() <= json.loads(one).get("leaf", {}).items())
    sooner = _line(json.loads(lines[early]) | {"fields": [opening]})
    files = [[*lines[:at], _line(one), *lines[at + 1 :]] for one in wrong]
    files.append([*lines[:early], sooner, *lines[early + 1 :]])
    for findings in checker.findings([b"".join(one) for one in files]):
        assert [step for step, _ in failed(findings)] == ["openings"]


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
