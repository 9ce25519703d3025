"""The checks with which commands of Insurance Hearts begin."""

from typing import Final

from service.cards import Face
from service.games import seating
from service.games.game import Refusal, acting_seat
from service.games.insurance_hearts import refusals
from service.games.insurance_hearts.state import Phase, State, awaited

_PHASES: Final = {
    Phase.BETWEEN_HANDS: refusals.HAND_MUST_BE_OVER,
    Phase.SLIPS: refusals.SLIPS_MUST_BE_AWAITED,
    Phase.PASSING: refusals.PASSES_MUST_BE_AWAITED,
    Phase.BIDDING: refusals.BIDS_MUST_BE_AWAITED,
    Phase.CHOOSING: refusals.LEFTOVERS_MUST_LIE,
    Phase.PLAYING: refusals.TRICKS_MUST_BE_PLAYED,
}


def must_be_phase(state: State, phase: Phase, *, rule: str) -> None:
    """Check that the game is under way and in *phase*.

    Raises:
        Refusal: the game is not under way; or it is in another phase, and the refusal cites *rule*.
    """
    seating.must_be_phase(state, state.phase, phase, _PHASES, rule=rule)


def must_be_dealer(state: State, by: str) -> None:
    """Check that the actor *by* is the dealer.

    Raises:
        Refusal: *by* is another actor.
    """
    if acting_seat(by) != state.dealer:
        raise Refusal(refusals.DEALER_MUST_DEAL, f"Seat {state.dealer} deals this hand.")


def must_be_turn(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Check that the decision of the actor *by* is due, and return the seat.

    Raises:
        Refusal: *by* has no seat, or another seat's decision is due.
    """
    seat = seating.must_be_seated(state, by)
    if seat not in awaited(state):
        detail = f"It is the turn of seat {awaited(state)[0]}."
        raise Refusal(refusals.TURN_MUST_BE_YOURS, detail, rule=rule, ruling=ruling)
    return seat


def must_be_awaited(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Check that the sealed choice of the actor *by* is due, and return the seat.

    Raises:
        Refusal: *by* has no seat, or has already chosen.
    """
    seat = seating.must_be_seated(state, by)
    if seat not in awaited(state):
        raise Refusal(refusals.CHOICE_MUST_STAND, rule=rule, ruling=ruling)
    return seat


def must_be_held(hand: tuple[Face, ...], *cards: Face, rule: str, ruling: str) -> None:
    """Check that *cards* are in *hand*.

    Raises:
        Refusal: a card is not in the hand.
    """
    if not set(cards) <= set(hand):
        raise Refusal(refusals.CARD_MUST_BE_HELD, "Your hand does not have this card.", rule=rule, ruling=ruling)
