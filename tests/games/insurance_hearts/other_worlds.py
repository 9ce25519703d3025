"""Insurance Hearts in the tests of two worlds: the facts that events disclose, and the facts of the sealed fields."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from service.cards import PACK, Face, suit
from service.games.common_events import DeckRevealed, HandDealt
from service.games.game import Event
from service.games.insurance_hearts.events import BidsOpened, CardPlayed, CardsPassed, FootTold, HandScored, PlayBegun
from service.games.table_state import TableState
from tests.games.facts import SealedField
from tests.games.steps import Step

PASSED_TO = {"left": 1, "across": 2, "right": 3}
"""By direction: the number of seats, clockwise, from the giver to the receiver."""
LEAD: Face = "2c"


def followed_from(event: Event, _state: TableState) -> set[int]:
    """Return every position if *event* begins the play, otherwise none.

    In the play players must follow suit, so each card played may disclose a fact about the suits of hidden cards.
    """
    return set(range(len(PACK))) if isinstance(event, PlayBegun) else set()


def faces_named(event: Event) -> tuple[Face, ...]:
    """Return the two of clubs when the play begins, and each card when it is played (H-LEAD.1).

    The positions of these cards are not public, because the cards may have been passed (H-PASS.1).
    """
    match event:
        case PlayBegun():
            return (LEAD,)
        case CardPlayed():
            return (event.card,)
        case _:
            return ()


def _number_may_be_read(steps: Sequence[Step], viewer: int) -> bool:
    return _is_own(steps, viewer) or _has(steps, HandScored)


def _foot_may_be_read(steps: Sequence[Step], viewer: int) -> bool:
    return _is_own(steps, viewer) or _has(steps, FootTold)


def _bid_may_be_read(steps: Sequence[Step], viewer: int) -> bool:
    return _is_own(steps, viewer) or _has(steps, BidsOpened)


def _cards_may_be_read(steps: Sequence[Step], viewer: int) -> bool:
    """Return whether *viewer* has chosen or received the cards, or the deck is revealed (H-PASS.1)."""
    passed = next((PASSED_TO[event.direction] for event in _of_hand(steps) if isinstance(event, CardsPassed)), None)
    if passed is not None and viewer == (_seat(steps) - 1 + passed) % 4 + 1:
        return True
    return _is_own(steps, viewer) or _has(steps, DeckRevealed)


def _cards_may_be(steps: Sequence[Step], value: Any, other: Any, hidden: set[Face]) -> bool:  # noqa: ANN401 -- JSON
    """Return whether the cards *other* may have been passed in place of the cards *value*.

    They may if all cards that differ are *hidden* and, once the play has begun, each suit occurs equally often in both.
    """
    if _has(steps, PlayBegun) and Counter(map(suit, value)) != Counter(map(suit, other)):
        return False
    return set(value) ^ set(other) <= hidden


def _is_own(steps: Sequence[Step], viewer: int) -> bool:
    return viewer == _seat(steps)


def _has(steps: Sequence[Step], kind: type[Event]) -> bool:
    return any(isinstance(event, kind) for event in _of_hand(steps))


def _seat(steps: Sequence[Step]) -> int:
    return int(getattr(steps[0].events[0], "seat", 0))


def _of_hand(steps: Sequence[Step]) -> list[Event]:
    """Return the events of *steps* up to the next deal."""
    steps_of_hand = takewhile(lambda step: not isinstance(step.events[0], HandDealt), steps)
    return [event for step in steps_of_hand for event in step.events]


SEALED: Mapping[str, SealedField] = {
    "insurance": SealedField(may_be_read=_number_may_be_read),  # IH.2
    "foot": SealedField(may_be_read=_foot_may_be_read),  # IH.3
    "cards": SealedField(may_be_read=_cards_may_be_read, may_be=_cards_may_be),
    "bid": SealedField(may_be_read=_bid_may_be_read),  # IH.8
}
