"""Each type and version of event stays readable: the recorded lines have a leaf of each, taken from a recorded game.

A new type or version gets a new line. No line is ever changed or removed. A type of decision that both a player and the
service can make has two more lines: one that the key of a seat has signed, and one recorded when time was called.
"""

from pathlib import Path

import msgspec
import pytest

from service.canonical import canonical
from service.event_store import leaf
from service.event_store.codec import Codec
from service.games import EVENTS
from tests.audit.recording import decks_of
from tests.event_store import recorded_lines
from tests.event_store.lines import Line
from tests.event_store.recorded_lines import COMMAND, Kind, kind_of
from tests.games import random_play

CODEC = Codec(EVENTS)
LINES = recorded_lines.lines()
DATA = [line.data for line in LINES]
KINDS = [kind_of(data) for data in DATA]
IDS = [f"{kind.name}-{kind.version}{'-called' * kind.is_called}{'-signed' * kind.is_signed}" for kind in KINDS]


def test_every_type_has_a_line_for_each_of_its_versions() -> None:
    assert recorded_lines.missing() == set(), f"`{COMMAND}` adds the lines that are missing."
    assert sorted(KINDS) == sorted(recorded_lines.needed())


def test_a_line_recorded_when_time_was_called_names_the_caller() -> None:
    callers = [getattr(CODEC.decode(data).event, "called", "") for data in DATA]
    assert [bool(caller) for caller in callers] == [kind.is_called for kind in KINDS]
    assert set(callers) == {"", "host", "limit"}


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_a_recorded_line_is_readable_for_ever(line: Line) -> None:
    recorded = CODEC.decode(line.data)
    assert recorded.hash.hex() == line.hash
    assert leaf.leaf_hash(line.data).hex() == line.hash
    CODEC.check_canonical(line.data)
    assert type(recorded.event) is EVENTS[recorded.type]


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_a_recorded_line_of_todays_version_is_written_again_unchanged(line: Line) -> None:
    found = leaf.decode(line.data)
    recorded = CODEC.decode(line.data)
    if found.version == EVENTS[found.type].VERSION:
        assert canonical(recorded.event) == bytes(found.pub)


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_a_recorded_line_is_read_alike_in_one_pass_and_in_two(line: Line) -> None:
    found, recorded = leaf.decode(line.data), CODEC.decode(line.data)
    plain = ("at", "by", "cmd", "position", "prev", "priv", "sig", "type")
    assert [getattr(recorded, name) for name in plain] == [getattr(found, name) for name in plain]
    assert recorded.event == msgspec.json.decode(found.pub, type=EVENTS[found.type])


@pytest.mark.full
def test_the_command_adds_the_line_that_is_missing_and_changes_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_play, "decks_of", decks_of)  # The command replaces `decks_of`; pytest restores it.
    monkeypatch.setattr(recorded_lines, "HERE", tmp_path)
    monkeypatch.setattr(recorded_lines, "_OF_GAMES", tmp_path)
    lost = {"card_played", "game_ended"}
    left = [line for line, kind in zip(LINES, KINDS, strict=True) if kind.name not in lost]
    before = b"".join(msgspec.json.encode(line) + b"\n" for line in left)
    (tmp_path / recorded_lines.FILE).write_bytes(before)
    assert recorded_lines.add() == set()
    assert recorded_lines.missing() == set()
    assert (tmp_path / recorded_lines.FILE).read_bytes().startswith(before)
    added = [kind_of(line.data) for line in recorded_lines.lines()][len(left) :]
    of_cards = [Kind("card_played", 1, False), Kind("card_played", 1, False, True), Kind("card_played", 1, True)]
    assert sorted(added) == [*of_cards, Kind("game_ended", 1, False)]
    for line in recorded_lines.lines():
        test_a_recorded_line_is_readable_for_ever(line)
