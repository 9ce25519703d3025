"""Which cards may be played, and who takes a trick (standard rules)."""

from collections.abc import Sequence
from typing import Final

from service.cards import Face, rank, suit
from service.games.game import Refusal
from service.games.insurance_hearts.options import Options
from service.games.insurance_hearts.scoring import QUEEN, worth
from service.games.insurance_hearts.state import CommandResult, State

LEAD: Final[Face] = "2c"
HEARTS: Final = "h"
STANDARD: Final = "standard rules"


def legal(state: State, hand: Sequence[Face]) -> tuple[Face, ...]:
    """List the cards of *hand* that may be played next by whose turn it is."""
    return tuple(card for card in hand if why_not(state, hand, card) is None)


def why_not(state: State, hand: Sequence[Face], card: Face) -> Refusal | None:
    """Say why *card* of *hand* may not be played now; None: it may."""
    if not state.trick:
        return _why_not_led(state, hand, card)
    led = suit(state.trick[0].card)
    if suit(card) != led and any(suit(held) == led for held in hand):
        detail = f"{_SUITS[led]} are led, and whoever holds one follows."
        return Refusal("suit_must_be_followed", rule=STANDARD, ruling="H-FOLLOW.1", detail=detail)
    if not state.tricks and worth(card) and not all(map(worth, hand)):
        return Refusal(
            "first_trick_must_be_free_of_points",
            rule=STANDARD,
            ruling="H-FIRST.1",
            detail="No heart and no queen of spades falls on the first trick, as long as another card is held.",
        )
    return None


def _why_not_led(state: State, hand: Sequence[Face], card: Face) -> Refusal | None:
    if not state.tricks and card != LEAD:
        detail = "The two of clubs leads the first trick."
        return Refusal("two_of_clubs_must_lead", rule=STANDARD, ruling="H-LEAD.1", detail=detail)
    if suit(card) == HEARTS and not state.hearts_are_broken and any(suit(held) != HEARTS for held in hand):
        return Refusal(
            "hearts_must_be_broken",
            rule=STANDARD,
            ruling="H-BREAK.1",
            detail="A heart is led once hearts are broken, or from a hand of nothing but hearts.",
        )
    return None


def taker(trick: Sequence[CommandResult]) -> int:
    """Return who takes a whole *trick*: the highest card of the suit that was led (H-FOLLOW.1)."""
    led = suit(trick[0].card)
    return max((one for one in trick if suit(one.card) == led), key=lambda one: rank(one.card)).seat


def breaks_hearts(card: Face, options: Options) -> bool:
    """Tell whether hearts may be led once *card* was played (H-BREAK.1)."""
    return suit(card) == HEARTS or (options.queen_breaks_hearts and card == QUEEN)


_SUITS = {"c": "Clubs", "d": "Diamonds", "h": "Hearts", "s": "Spades"}
