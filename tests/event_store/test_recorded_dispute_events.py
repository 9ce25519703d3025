"""Each type and version of event of disputes stays readable: the file has a leaf of each. No line is ever changed."""

import pytest

from service.canonical import canonical
from service.disputes.dispute_events import DISPUTE_CODEC, DISPUTE_EVENTS
from service.event_store import leaf
from service.games import EVENTS
from service.service_log.service_events import SERVICE_EVENTS
from tests.event_store import recorded_dispute_lines
from tests.event_store.lines import Line

LINES = recorded_dispute_lines.lines()


def test_every_type_has_a_line_for_each_of_its_versions() -> None:
    assert recorded_dispute_lines.found() == recorded_dispute_lines.needed()


def test_the_command_has_every_type_to_add() -> None:
    kinds = {(one.type, leaf.decode(one.leaf).version) for one in recorded_dispute_lines.recorded()}
    assert kinds == recorded_dispute_lines.needed()


def test_no_other_stream_has_an_event_of_the_same_type() -> None:
    assert DISPUTE_EVENTS.keys().isdisjoint(EVENTS.keys() | SERVICE_EVENTS.keys())


@pytest.mark.parametrize("line", LINES, ids=lambda line: leaf.decode(line.data).type)
def test_a_recorded_line_is_readable_for_ever(line: Line) -> None:
    recorded = DISPUTE_CODEC.decode(line.data)
    assert recorded.hash.hex() == leaf.leaf_hash(line.data).hex() == line.hash
    DISPUTE_CODEC.check_canonical(line.data)
    assert type(recorded.event) is DISPUTE_EVENTS[recorded.type]
    found = leaf.decode(line.data)
    if found.version == DISPUTE_EVENTS[found.type].VERSION:
        assert canonical(recorded.event) == bytes(found.pub)
