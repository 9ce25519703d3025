"""The service's decisions for players when time is called (G.3) (DECISIONS 36)."""

from collections.abc import Sequence

from service.cards import Face
from service.games.common_commands import DealHand
from service.games.game import Command, Viewpoint, seat_actor
from service.games.insurance_hearts.commands import (
    PASSED,
    ChooseLeftover,
    MakeNoBid,
    PassCards,
    PlayCard,
    WriteSlip,
)
from service.games.insurance_hearts.seat_cards import hand_of, height, strength
from service.games.insurance_hearts.state import Phase, State, awaited
from service.games.insurance_hearts.tricks import legal


def default(state: State, viewpoint: Viewpoint) -> Command:
    """Return the command that the service chooses for the first seat whose decision is due.

    The choices follow H-DEAL.2, H-PASS.2, H-FOLLOW.2, IH.12 and IH.13.
    """
    seat = awaited(state)[0]
    by = seat_actor(seat)
    match state.phase:
        case Phase.SLIPS:
            return WriteSlip(by=by, insurance=0)
        case Phase.PASSING:
            return PassCards(by=by, cards=highest(hand_of(state, seat, viewpoint)))
        case Phase.BIDDING:
            return MakeNoBid(by=by, shown=weakest(hand_of(state, seat, viewpoint)))
        case Phase.CHOOSING:
            return ChooseLeftover(by=by, card=max(state.left, key=strength))
        case Phase.PLAYING:
            return PlayCard(by=by, card=lowest(legal(state, hand_of(state, seat, viewpoint))))
        case _:
            return DealHand(by=by)


def highest(hand: Sequence[Face]) -> tuple[Face, ...]:
    """Return the three cards to pass: the highest by rank, then by spades, hearts, diamonds, clubs (H-PASS.2)."""
    return tuple(sorted(hand, key=height, reverse=True)[:PASSED])


def weakest(hand: Sequence[Face]) -> Face:
    """Return the card to show in the auction: the weakest by IH.8."""
    return min(hand, key=strength)


def lowest(cards: Sequence[Face]) -> Face:
    """Return the card to play: the lowest by rank, then by clubs, diamonds, hearts, spades (H-FOLLOW.2)."""
    return min(cards, key=height)
