"""The checks with which commands of Bankrupt begin: the phase, and whose turn it is."""

from service.games import seating
from service.games.bankrupt import refusals
from service.games.bankrupt.state import Phase, State, alive, due_seat
from service.games.game import Refusal, acting_seat

_PHASES = {
    Phase.BETWEEN_ROUNDS: refusals.ROUND_MUST_BE_SETTLED,
    Phase.DECIDING: refusals.CARDS_MUST_BE_BEING_DECIDED_ON,
    Phase.UPPING: refusals.ANTE_MUST_BE_BEING_UPPED,
}


def must_be_phase(state: State, phase: Phase, *, rule: str) -> None:
    """Check that the game is under way and in *phase*.

    Raises:
        Refusal: the game is not under way; or it is in another phase, and the refusal cites *rule*.
    """
    seating.must_be_phase(state, state.phase, phase, _PHASES, rule=rule)


def must_be_in_the_game(state: State, by: str) -> int:
    """Check that the player *by* is still in the game, and return the seat.

    Raises:
        Refusal: *by* has no seat, is bankrupt, or has resigned.
    """
    seat = acting_seat(by)
    if seat not in alive(state):
        raise Refusal(refusals.PLAYER_MUST_BE_IN_THE_GAME)
    return seat


def must_be_turn(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Check that the decision of the actor *by* is due, and return the seat.

    Raises:
        Refusal: *by* is not in the game, or another player's decision is due.
    """
    seat = must_be_in_the_game(state, by)
    turn = due_seat(state)
    if seat != turn:
        raise Refusal(refusals.TURN_MUST_BE_YOURS, f"It is the turn of seat {turn}.", rule=rule, ruling=ruling)
    return seat
