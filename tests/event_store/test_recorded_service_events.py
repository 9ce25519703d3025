"""Each type and version of event of the service's own stream stays readable: the file has a leaf of each.

A new type or version gets a new line, written by hand. No line is ever changed or removed.
"""

from pathlib import Path

import msgspec
import pytest

from service.canonical import canonical
from service.event_store import leaf
from service.games import EVENTS
from service.service_log.service_events import SERVICE_CODEC, SERVICE_EVENTS
from tests.event_store.lines import Line

LINES = [
    msgspec.json.decode(line, type=Line)
    for line in Path(__file__).with_name("recorded_service_events.jsonl").read_bytes().splitlines()
]


def test_every_type_has_a_line_for_each_of_its_versions() -> None:
    found = {(one.type, one.version) for one in (leaf.decode(line.data) for line in LINES)}
    needed = {(name, version) for name, kind in SERVICE_EVENTS.items() for version in range(1, kind.VERSION + 1)}
    assert found == needed


def test_no_game_has_an_event_of_the_same_type() -> None:
    assert EVENTS.keys().isdisjoint(SERVICE_EVENTS)


def test_the_lines_are_a_stream() -> None:
    prev = leaf.NO_HASH
    for position, line in enumerate(LINES, start=1):
        recorded = SERVICE_CODEC.decode(line.data)
        assert (recorded.position, recorded.prev, recorded.by) == (position, prev, "service")
        prev = line.hash


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{(found := leaf.decode(line.data)).position}-{found.type}")
def test_a_recorded_line_is_readable_for_ever(line: Line) -> None:
    recorded = SERVICE_CODEC.decode(line.data)
    assert recorded.hash.hex() == leaf.leaf_hash(line.data).hex() == line.hash
    SERVICE_CODEC.check_canonical(line.data)
    assert type(recorded.event) is SERVICE_EVENTS[recorded.type]
    found = leaf.decode(line.data)
    if found.version == SERVICE_EVENTS[found.type].VERSION:
        assert canonical(recorded.event) == bytes(found.pub)
