"""`chiptrail audit players`: the figures of players and pairs, as text and as JSON."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Instance
from tests.cli.played import Originals, play_to
from tests.http.service import Service, Table
from tests.play.hearts import over


@pytest.fixture
def played(originals: Originals, kind: str, tmp_path: Path) -> Iterator[tuple[Instance, str]]:
    """Yield an instance whose database has a finished game and a running hand, and the id of the finished table."""
    with originals.copied(kind, _played, tmp_path / "data") as original:
        yield original.instance, str(original.known)


def _played(service: Service) -> str:
    finished = play_to(service, Table(service, 3, buy_in=6).started(), over, 2)
    Table(service, 2).dealt()
    return str(finished.id)


def test_the_figures_are_printed_for_people_and_as_json(played: tuple[Instance, str]) -> None:
    instance, table = played
    said = instance.run("audit", "players", "--format", "json")
    assert (said.code, said.err) == (0, "")
    found = json.loads(said.out)
    assert (found["tables"], found["left_out"]) == (2, [])
    assert found["hands"] > 0
    assert len(found["players"]) == len(found["pairs"]) == 3  # No player of the table with the running hand is listed.
    words = instance.run("audit", "players")
    assert words.code == 0, words.err
    for one in found["players"]:
        (line,) = [line for line in words.out.splitlines() if one["player"] in line and " to " in line]
        assert f"{one['won_per_hand']:+.2f}" in line
    assert "0 flagged (!)" in words.out
    assert "no proof" in words.out
    only = json.loads(instance.run("audit", "players", "--table", table, "--game", "bankrupt", "--format", "json").out)
    assert only == {**found, "tables": 1}


@pytest.mark.parametrize(
    ("flags", "counts"),
    [
        (("--from", "2020-01-01"), True),
        (("--to", "2020-01-01"), False),
        (("--from", "9999-01-01T00:00:00+01:00"), False),
        (("--game", "insurance"), False),
    ],
)
def test_a_game_and_times_select_hands(played: tuple[Instance, str], flags: tuple[str, ...], *, counts: bool) -> None:
    instance, _ = played
    said = instance.run("audit", "players", "--format", "json", *flags)
    assert said.code == 0, said.err
    assert (json.loads(said.out)["hands"] > 0) is counts


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (("--table", "tbl_1"), 2, "a table's id is tbl_"),
        (("--table", f"tbl_{0:032x}"), 1, "There is no table"),
        (("--from", "yesterday"), 2, "a date or time such as"),
        (("--game", "poker"), 2, "'poker' is not one of"),
    ],
)
def test_missing_tables_and_wrong_flags_are_refused(
    played: tuple[Instance, str], flags: tuple[str, ...], code: int, words: str
) -> None:
    instance, _ = played
    said = instance.run("audit", "players", *flags)
    assert said.code == code
    assert words in said.err
    assert not said.out
