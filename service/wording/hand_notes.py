"""A game's notes for the page of a hand, besides the game's sentences (DECISIONS 112)."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from service.wording.hand_events import HandEvent


class Unpaid(Struct, frozen=True, kw_only=True):
    """A claim that was not paid in full: *seat* won *due* chips, but the seat *payer* had and paid only *paid* chips.

    *who* is the payer in words.
    """

    seat: int
    due: int
    paid: int
    payer: int
    who: str
    rule: str
    ruling: str


class Handed(Struct, frozen=True):
    """Cards that a seat gave away or got after the deal, by the event at *position*; *how* says in which way."""

    seat: int
    how: str
    cards: tuple[str, ...]
    position: int


UnpaidClaims: TypeAlias = Callable[[HandEvent], Sequence[Unpaid]]
HandedCards: TypeAlias = Callable[[Sequence[HandEvent]], Sequence[Handed]]


class Notes(Struct, frozen=True, kw_only=True):
    """The notes of a game.

    - *values*: the value of each rank, if the game compares cards by values.
    - *unpaid*: a function that takes an event and returns the claims that were not paid in full.
    - *handed*: a function that takes the events of a hand and returns the cards given away and got after the deal.
    - *dealt*: a phrase for the time at which the seats had the dealt cards, if the seats handed cards on later.
    - *cancels*: the type of the event that cancels a hand, and a function that says why, as the end of a sentence.
    - *terms*: the words of the game that a newcomer may not know, each with the rule that explains it.
    """

    values: Mapping[str, int] = {}
    unpaid: UnpaidClaims = lambda _: ()
    handed: HandedCards = lambda _: ()
    dealt: str = ""
    cancels: Mapping[str, Callable[[HandEvent], str]] = {}
    terms: Mapping[str, str] = {}
