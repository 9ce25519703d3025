"""The cards that may be played, and the taker of a trick (standard rules)."""

from collections.abc import Sequence
from typing import Final

from service.cards import Face, rank, suit
from service.games.game import Refusal
from service.games.insurance_hearts import refusals
from service.games.insurance_hearts.options import Options
from service.games.insurance_hearts.scoring import QUEEN, worth
from service.games.insurance_hearts.state import PlayedCard, State

LEAD: Final[Face] = "2c"
HEARTS: Final = "h"


def legal(state: State, hand: Sequence[Face]) -> tuple[Face, ...]:
    """List the cards of *hand* that its player, whose turn it is, may play."""
    return tuple(card for card in hand if refusal_of(state, hand, card) is None)


def refusal_of(state: State, hand: Sequence[Face], card: Face) -> Refusal | None:
    """Return the refusal of *card*, which is in *hand*, or None if the card may be played now."""
    if not state.trick:
        return _refusal_of_lead(state, hand, card)
    led = suit(state.trick[0].card)
    if suit(card) != led and any(suit(other) == led for other in hand):
        detail = f"{_SUITS[led]} were led, and your hand has a card of this suit: you must follow suit."
        return Refusal(refusals.SUIT_MUST_BE_FOLLOWED, detail)
    if not state.tricks and worth(card) and not all(map(worth, hand)):
        return Refusal(refusals.FIRST_TRICK_MUST_BE_FREE_OF_POINTS)
    return None


def _refusal_of_lead(state: State, hand: Sequence[Face], card: Face) -> Refusal | None:
    if not state.tricks and card != LEAD:
        return Refusal(refusals.TWO_OF_CLUBS_MUST_LEAD)
    if suit(card) == HEARTS and not state.hearts_are_broken and any(suit(other) != HEARTS for other in hand):
        return Refusal(refusals.HEARTS_MUST_BE_BROKEN)
    return None


def taker(trick: Sequence[PlayedCard]) -> int:
    """Return the seat that takes a full *trick*: the seat with the highest card of the suit led (H-FOLLOW.1)."""
    led = suit(trick[0].card)
    return max((played for played in trick if suit(played.card) == led), key=lambda played: rank(played.card)).seat


def breaks_hearts(card: Face, options: Options) -> bool:
    """Return whether *card* breaks hearts when it is played (H-BREAK.1)."""
    return suit(card) == HEARTS or (options.queen_breaks_hearts and card == QUEEN)


_SUITS = {"c": "Clubs", "d": "Diamonds", "h": "Hearts", "s": "Spades"}
