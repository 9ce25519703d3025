"""Checks the signatures of decisions, and names the seats that decided without signing (G.13) (DECISIONS 102)."""

from collections.abc import Iterable, Sequence
from typing import cast

from service.audit import differences
from service.audit.differences import NOTHING, Difference
from service.event_store.codec import RecordedEvent
from service.games.common_events import SigningKeyRegistered
from service.games.game import Event, acting_seat
from service.tables import signed_moves
from service.tables.fold import Step
from service.tables.signed_moves import SeatDecision
from service.tables.signing_state import SignFrom


class Heads:
    """The hashes, by position, of the events that a signature of a seat of the table may still name."""

    def __init__(self) -> None:
        self._hashes: dict[int, bytes] = {}

    def add(self, steps: Sequence[Step]) -> None:
        """Add the events of *steps*, the next command, and forget the events that no signature may name any more."""
        after = steps[-1].after
        if not after.state.signing_keys:
            self._hashes.clear()
            return
        first = min((one.position for one in after.signing.sign_from.values()), default=after.position)
        while self._hashes and (oldest := next(iter(self._hashes))) < first:
            del self._hashes[oldest]
        self._hashes |= {step.recorded.position: step.recorded.hash for step in steps}

    def hash_of(self, position: int) -> bytes:
        """Return the hash of the event at *position*, or b"" if the hash is not known."""
        return self._hashes.get(position, b"")


def difference_of(steps: Sequence[Step], heads: Heads) -> Difference | None:
    """Return a difference if the decision of *steps* is not signed as the rules require, or a consequence is signed."""
    decision = steps[0].recorded
    for one in steps[1:]:
        if one.recorded.sig:
            return _difference(one.recorded, NOTHING)
    keys, choices = steps[0].before.signing_keys, {field: each.choice for field, each in decision.priv.items()}
    if not (decision.sig or keys or any(choices.values()) or isinstance(decision.event, SigningKeyRegistered)):
        return None
    before = SignFrom(decision.position - 1, bytes.fromhex(decision.prev))
    made = SeatDecision(
        game=steps[0].after.game,
        stream_id=steps[0].after.stream_id,
        keys=keys,
        decision=cast("Event", decision.event),
        by=decision.by,
        cmd=decision.cmd,
        choices=choices,
        head=decision.position - 1,
        sign_from=steps[0].after.signing.sign_from.get(acting_seat(decision.by), before),
        hash_of=heads.hash_of,
    )
    try:
        condition = signed_moves.failed(made, decision.sig)
    except Exception as error:  # noqa: BLE001  # An error that a forged event causes is a finding, not a crash.
        return _difference(decision, f"an action that can be signed: {error!r}")
    return _difference(decision, condition.sentence) if condition else None


def unsigned_seats(decisions: Iterable[RecordedEvent]) -> tuple[int, ...]:
    """Return the seats that made at least one of *decisions* without a signature."""
    return tuple(sorted({acting_seat(one.by) for one in decisions if one.sig is None} - {0}))


def _difference(recorded: RecordedEvent, expected: str) -> Difference:
    found = differences.in_words(recorded.sig) if recorded.sig else NOTHING
    return Difference(position=recorded.position, member="sig", expected=expected, found=found)
