"""Judges erasures again: nobody may erase a value that the log still needs (DECISIONS 75)."""

from service.audit.differences import Difference
from service.audit.judging.disclosures import Disclosures
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.games.common_events import ValueErased
from service.tables.sealed_store import SEED


def too_soon(disclosures: Disclosures, recorded: RecordedEvent, running_since: int) -> Difference | None:
    """Return a difference if the decision *recorded* is an erasure that was not allowed at its position.

    *running_since* is the position of the first event of the hand that was running (0: no hand was running).
    """
    event = recorded.event
    if not isinstance(event, ValueErased):
        return None
    place = (event.position, event.field)
    if disclosures.erased[place] < recorded.position:
        return _difference(recorded, place, "a value that was not erased before")
    settled = _settled(disclosures, event, recorded.position)
    if settled is None:
        return _difference(recorded, place, "a value that was sealed before")
    is_needed = event.field != SEED and 0 < running_since <= event.position
    if is_needed or not 0 < settled < recorded.position:
        return _difference(recorded, place, "a value of a hand that is over, which no later event can open")
    return None


def _settled(disclosures: Disclosures, event: ValueErased, before: int) -> int | None:
    """Return the position from which on no event can open the value that *event* erases.

    Return 0 if a later event can open the value, and None if no value was sealed at that place before the position
    *before*.
    """
    if event.position >= before:
        return None
    if event.field != SEED:
        return disclosures.settled.get((event.position, event.field))
    for epoch, opened in disclosures.opened.items():
        if opened.position == event.position:
            return disclosures.ended[epoch].position if epoch in disclosures.ended else 0
    return None


def _difference(recorded: RecordedEvent, place: FieldPlace, expected: str) -> Difference:
    found = f"{place[1]} of position {place[0]}"
    return Difference(position=recorded.position, member="pub.position", expected=expected, found=found)
