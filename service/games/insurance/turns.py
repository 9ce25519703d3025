"""The checks with which commands of Insurance begin (DECISIONS 31)."""

from service.games import seating
from service.games.game import Refusal, acting_seat
from service.games.insurance import refusals
from service.games.insurance.state import Phase, State, most_to_sell

_PHASES = {
    Phase.BETTING: refusals.BETS_MUST_BE_OPEN,
    Phase.OFFERING: refusals.OFFERS_MUST_BE_AWAITED,
    Phase.ACCEPTING: refusals.OFFERS_MUST_LIE,
}


def must_be_phase(state: State, phase: Phase, *, rule: str) -> None:
    """Check that the game is under way and in *phase*.

    Raises:
        Refusal: the game is not under way; or it is in another phase, and the refusal cites *rule*.
    """
    seating.must_be_phase(state, state.phase, phase, _PHASES, rule=rule)


def must_be_gambling(state: State) -> None:
    """Check that the table plays the gambling game.

    Raises:
        Refusal: the table plays the non-gambling variation.
    """
    if not state.is_gambling:
        raise Refusal(refusals.TABLE_MUST_BE_FOR_GAMBLING)


def must_be_between_hands(state: State) -> None:
    """Check that the game is under way and no bet is on the table.

    Raises:
        Refusal: the game is not under way, or a bet is on the table.
    """
    seating.must_be_playing(state)
    if state.hand_is_running:
        raise Refusal(refusals.HAND_MUST_BE_OVER)


def must_be_chips(state: State, amount: int, seat: int = 0) -> None:
    """Check that *seat* (0: a new player) may buy *amount* chips.

    Raises:
        Refusal: the amount is below 1, or above the maximum that the seat may buy.
    """
    most = most_to_sell(state, seat)
    if not 1 <= amount <= most:
        detail = f"This seat may buy 1 to {most} chips now." if most else "This seat may not buy any chips now."
        raise Refusal(refusals.CHIPS_MUST_BE_WITHIN_THEIR_BOUNDS, detail)


def must_be_banker(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Check that the actor *by* is the banker of the hand, and return the seat.

    Raises:
        Refusal: *by* is not the banker.
    """
    seat = acting_seat(by)
    if seat != state.banker:
        raise Refusal(refusals.BANKER_MUST_DO_IT, f"Seat {state.banker} is the banker.", rule=rule, ruling=ruling)
    return seat
