"""The checks with which commands of Insurance Hearts begin."""

from typing import Final

from service.cards import Face
from service.games import seating
from service.games.game import Refusal, acting_seat
from service.games.insurance_hearts.state import Phase, State, awaited

PHASES: Final = {
    Phase.BETWEEN_HANDS: ("hand_must_be_over", "between hands"),
    Phase.SLIPS: ("slips_must_be_awaited", "after the deal, at a table with insurance or the foot rule"),
    Phase.PASSING: ("passes_must_be_awaited", "while players choose cards to pass"),
    Phase.BIDDING: ("bids_must_be_awaited", "while players bid"),
    Phase.CHOOSING: ("leftovers_must_lie", "while players choose leftovers of the auction"),
    Phase.PLAYING: ("tricks_must_be_played", "while tricks are played"),
}


def must_be_phase(state: State, phase: Phase, *, rule: str) -> None:
    """Check that the table is in *phase*; the refusal cites *rule*.

    Raises:
        Refusal: the game is not under way, or in another phase.
    """
    seating.must_be_phase(state, state.phase, phase, PHASES, rule=rule)


def must_be_dealer(state: State, by: str) -> None:
    """Check that the actor *by* is the dealer.

    Raises:
        Refusal: *by* is another actor.
    """
    if acting_seat(by) != state.dealer:
        detail = f"Seat {state.dealer} deals this hand."
        raise Refusal("dealer_must_deal", rule="standard rules", ruling="H-DEAL.2", detail=detail)


def must_be_turn(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Check that the decision of *by* is due, and return the seat.

    Raises:
        Refusal: *by* has no seat, or another seat's decision is due.
    """
    seat = _seated(state, by)
    if seat not in awaited(state):
        detail = f"It is the turn of seat {awaited(state)[0]}."
        raise Refusal("turn_must_be_yours", rule=rule, ruling=ruling, detail=detail)
    return seat


def must_be_awaited(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Check that the sealed choice of *by* is due, and return the seat.

    Raises:
        Refusal: *by* has no seat, or has already chosen.
    """
    seat = _seated(state, by)
    if seat not in awaited(state):
        detail = "Your choice is sealed and cannot be changed."
        raise Refusal("choice_must_stand", rule=rule, ruling=ruling, detail=detail)
    return seat


def must_be_held(hand: tuple[Face, ...], *cards: Face, rule: str, ruling: str) -> None:
    """Check that *cards* are in *hand*.

    Raises:
        Refusal: a card is not in the hand.
    """
    if not set(cards) <= set(hand):
        raise Refusal("card_must_be_held", rule=rule, ruling=ruling, detail="Your hand does not have this card.")


def _seated(state: State, by: str) -> int:
    seat = acting_seat(by)
    if seat not in state.players:
        raise Refusal("player_must_have_a_seat", ruling="G.4", detail="Only a player with a seat can do this.")
    return seat
