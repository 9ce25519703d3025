"""A sealed text of a dispute is altered in the database: requests for this text get 409, and no command crashes."""

import pytest

from service.disputes import dispute_commands
from service.event_store.quarantine import StreamCorrupted
from service.play.dispute_desk import AUDITOR, DisputeResult
from tests.damage import alter
from tests.disputes.disputed import Copy
from tests.http.service import refused

THERE = "WHERE stream_id = :stream_id AND position = :position AND field = 'reason'"
WAYS = {
    "altered": f"UPDATE sealed SET ciphertext = :bytes {THERE}",  # noqa: S608 -- these are our names
    "under another key": f"UPDATE sealed SET key_id = :bytes {THERE}",  # noqa: S608 -- as above
}
KEY = "a decision"


@pytest.fixture
def decided(copy: Copy) -> DisputeResult:
    """Let the auditor decide dispute 1 with the Idempotency-Key `KEY`."""
    copy.do(copy.known.auditor, AUDITOR, dispute_commands.TakeDispute(), 1)
    return copy.do(copy.known.auditor, AUDITOR, decision(), 1, KEY)


def decision() -> dispute_commands.DecideDispute:
    return dispute_commands.DecideDispute(outcome="unprovable", rule="G.3", reason="Nobody else saw it.")


def break_reason(copy: Copy, way: str, position: int) -> None:
    alter(copy.service.parts.engine, WAYS[way], stream_id=copy.disputes, position=position, bytes=bytes(16))
    copy.service.parts.log.generation.end()


@pytest.mark.parametrize("way", WAYS)
def test_a_dispute_whose_text_was_altered_is_damaged_from_that_event_on(
    copy: Copy, decided: DisputeResult, way: str
) -> None:
    position = decided.recorded[0].position
    break_reason(copy, way, position)
    shown = copy.instance.run("disputes", "show", copy.known.table, "1")
    assert shown.code == 1
    assert f"The log of {copy.place} is damaged at position {position}" in shown.err
    with pytest.raises(StreamCorrupted) as error:  # a repeat needs the text to compare
        copy.do(copy.known.auditor, AUDITOR, decision(), 1, KEY)
    assert (error.value.stream_id, error.value.position) == (copy.disputes, position)
    auditor = copy.service.person("audit")
    answer = refused(auditor.get(f"/v1/tables/{copy.known.table}/disputes/1"), 409, "table_must_be_intact")
    assert answer["position"] == position
    assert [(place, at) for _, place, at in copy.found()] == [(copy.place, position)]
