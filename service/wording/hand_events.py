"""An event of a hand, with what its sentence needs besides the event's own members."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct


class HandEvent(Struct, frozen=True, kw_only=True):
    """The event at *position*, recorded at the time *at*; *made* has the event's own members.

    - *opened*: the values that the event sealed and that the reader may read, by field.
    - *dealt*: the seat or place, and the face, of each card that the event dealt.
    - *held*: the cards that were dealt to each seat in this hand before the event, in the order dealt.
    - *shown*: the cards that each seat has shown in this hand before the event.
    """

    position: int
    at: str
    by: str
    type: str
    made: Mapping[str, Any]
    opened: Mapping[str, Any] = {}
    dealt: tuple[tuple[int | str, str], ...] = ()
    held: Mapping[int, tuple[str, ...]] = {}
    shown: Mapping[int, tuple[str, ...]] = {}

    @property
    def seat(self) -> int:
        """The seat that decided, or else the seat that the event names; 0: none."""
        actor, _, number = self.by.partition(":")
        seat: int = int(number) if actor == "seat" else self.made.get("seat", 0)
        return seat


Sentence: TypeAlias = Callable[[HandEvent], str]
"""Puts an event of one type into words: whole sentences, in which a card is its face, such as `Ts`."""

Sentences: TypeAlias = Mapping[str, Sentence]
"""The sentences by type of event."""


class Rows(Struct, frozen=True):
    """Rows that show a game's many plays: an event of the type *play* is a cell, an event of the type *end* ends a row.

    *name* is the name of a row, such as "trick".
    """

    play: str
    end: str
    name: str
