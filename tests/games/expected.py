"""The events that a test expects: whole events, or only some members of an event."""

from collections.abc import Mapping
from types import EllipsisType
from typing import TypeAlias

from service.games.common_events import CardsShown, ShownCard
from service.games.game import Event
from tests.games.stacked import StackedDecks, salt


class Some:
    """An event of a *kind*; the test compares only some of its members."""

    def __init__(self, kind: type[Event], members: Mapping[str, object]) -> None:
        self._kind, self._members = kind, members

    def is_met_by(self, event: Event) -> bool:
        return isinstance(event, self._kind) and all(getattr(event, k) == v for k, v in self._members.items())

    def __repr__(self) -> str:
        return f"some {self._kind.__name__} with {dict(self._members)}"


class Shows:
    """A `CardsShown` with exactly these cards, by seat and in this order."""

    def __init__(self, hands: Mapping[int, str]) -> None:
        self._hands = hands

    def is_met_by(self, event: Event, decks: StackedDecks) -> bool:
        return isinstance(event, CardsShown) and event.cards == tuple(
            ShownCard(pos=pos, face=face, salt=salt(pos), seat=number)
            for number, faces in self._hands.items()
            for face in faces.split()
            for pos in [decks.deck(event.epoch).order.index(face)]
        )

    def __repr__(self) -> str:
        return f"shown: {dict(self._hands)}"


Expected: TypeAlias = Event | type[Event] | Some | Shows | EllipsisType
"""An event, any event of a kind, an event with some members, or cards shown; `...` matches any number of events."""


def some(kind: type[Event], **members: object) -> Some:
    return Some(kind, members)


def shows(hands: Mapping[int, str]) -> Shows:
    return Shows(hands)


def meets(emitted: tuple[Event, ...], expected: tuple[Expected, ...], decks: StackedDecks) -> bool:
    """Return whether *emitted* matches *expected* from the first event to the last."""
    if not expected:
        return not emitted
    first, rest = expected[0], expected[1:]
    if first is ...:
        return any(meets(emitted[skipped:], rest, decks) for skipped in range(len(emitted) + 1))
    return bool(emitted) and _is(emitted[0], first, decks) and meets(emitted[1:], rest, decks)


def _is(event: Event, expected: Expected, decks: StackedDecks) -> bool:
    if isinstance(expected, type):
        return isinstance(event, expected)
    if isinstance(expected, Some):
        return expected.is_met_by(event)
    if isinstance(expected, Shows):
        return expected.is_met_by(event, decks)
    return event == expected
