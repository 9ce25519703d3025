"""The checks with which commands of Bankrupt begin: the phase, and whose turn it is."""

from service.games import seating
from service.games.bankrupt.state import Phase, State, alive, due_seat
from service.games.game import Refusal, acting_seat

_PHASES = {
    Phase.BETWEEN_ROUNDS: ("round_must_be_settled", "between rounds"),
    Phase.DECIDING: ("cards_must_be_being_decided_on", "while players decide on their cards"),
    Phase.UPPING: ("ante_must_be_being_upped", "in the upping phase"),
}


def must_be_phase(state: State, phase: Phase, *, rule: str) -> None:
    """Check that the table is in *phase*; the refusal cites *rule*.

    Raises:
        Refusal: the game is not under way, or in another phase.
    """
    seating.must_be_phase(state, state.phase, phase, _PHASES, rule=rule)


def must_be_in_the_game(state: State, by: str) -> int:
    """Check that the player *by* is still in the game, and return the seat.

    Raises:
        Refusal: *by* has no seat, is bankrupt, or has resigned.
    """
    seat = acting_seat(by)
    if seat not in alive(state):
        detail = "Only a player who is still in the game may do this."
        raise Refusal("player_must_be_in_the_game", rule="20", ruling="B20.1", detail=detail)
    return seat


def must_be_turn(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Check that the decision of *by* is due, and return the seat.

    Raises:
        Refusal: *by* is not in the game, or another player's decision is due.
    """
    seat = must_be_in_the_game(state, by)
    turn = due_seat(state)
    if seat != turn:
        raise Refusal("turn_must_be_yours", rule=rule, ruling=ruling, detail=f"It is the turn of seat {turn}.")
    return seat
