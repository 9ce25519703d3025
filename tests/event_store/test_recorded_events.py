"""Each type and version of event stays readable: the file has a leaf of each, taken from a recorded game.

A new type or version gets a new line. No line is ever changed or removed. A type of decision that the service can make
when time is called has a second line, recorded when time was called.
"""

from pathlib import Path

import msgspec
import pytest
from msgspec import Raw, Struct

from service.canonical import canonical
from service.event_store import leaf
from service.event_store.codec import Codec
from service.games import EVENTS
from service.games.game import TimedDecision

CODEC = Codec(EVENTS)


class Line(Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf, and the hash that it had when it was recorded."""

    hash: str
    leaf: Raw

    @property
    def data(self) -> bytes:
        return bytes(self.leaf)


LINES = [
    msgspec.json.decode(line, type=Line)
    for line in Path(__file__).with_name("recorded_events.jsonl").read_bytes().splitlines()
]
DATA = [line.data for line in LINES]
KINDS = [(found.type, found.version, b'"called":' in bytes(found.pub)) for found in map(leaf.decode, DATA)]
IDS = [f"{name}-{version}{'-called' * called}" for name, version, called in KINDS]


def test_every_type_has_a_line_for_each_version_there_ever_was() -> None:
    versions = [(name, version, False) for name, event in EVENTS.items() for version in range(1, event.VERSION + 1)]
    called = [(name, 1, True) for name, event in EVENTS.items() if issubclass(event, TimedDecision)]
    assert sorted(KINDS) == sorted([*versions, *called])


def test_a_line_made_when_time_was_called_says_who_called_it() -> None:
    callers = [getattr(CODEC.decode(data).event, "called", "") for data in DATA]
    assert [bool(caller) for caller in callers] == [called for _, _, called in KINDS]
    assert set(callers) == {"", "host", "limit"}


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_a_recorded_line_reads_for_ever(line: Line) -> None:
    recorded = CODEC.decode(line.data)
    assert recorded.hash.hex() == line.hash
    assert leaf.leaf_hash(line.data).hex() == line.hash
    CODEC.check_canonical(line.data)
    assert type(recorded.event) is EVENTS[recorded.type]


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_a_recorded_line_of_todays_version_is_written_again_as_it_was(line: Line) -> None:
    found = leaf.decode(line.data)
    recorded = CODEC.decode(line.data)
    if found.version == EVENTS[found.type].VERSION:
        assert canonical(recorded.event) == bytes(found.pub)


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_a_recorded_line_read_in_one_pass_says_what_it_says_in_two(line: Line) -> None:
    found, recorded = leaf.decode(line.data), CODEC.decode(line.data)
    plain = ("at", "by", "cmd", "position", "prev", "priv", "type")
    assert [getattr(recorded, name) for name in plain] == [getattr(found, name) for name in plain]
    assert recorded.event == msgspec.json.decode(found.pub, type=EVENTS[found.type])
