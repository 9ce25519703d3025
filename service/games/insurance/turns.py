"""The checks with which commands of Insurance begin (DECISIONS 30 and 31)."""

from service.games import seating
from service.games.game import Refusal, acting_seat
from service.games.insurance.state import Phase, State, most_to_sell

_PHASES = {
    Phase.BETTING: ("bets_must_be_open", "before the deal"),
    Phase.OFFERING: ("offers_must_be_awaited", "while offers are due"),
    Phase.ACCEPTING: ("offers_must_lie", "once every offer is made"),
}


def must_be_phase(state: State, phase: Phase, *, rule: str) -> None:
    """Check that the table is in *phase*; the refusal cites *rule*.

    Raises:
        Refusal: the game is not under way, or in another phase.
    """
    seating.must_be_phase(state, state.phase, phase, _PHASES, rule=rule)


def must_be_gambling(state: State) -> None:
    """Check that the table plays the gambling game.

    Raises:
        Refusal: the table plays the non-gambling variation.
    """
    if not state.is_gambling:
        raise Refusal(
            "table_must_be_for_gambling",
            rule="NON-GAMBLING VARIATION",
            ruling="I-BET.3",
            detail="In the non-gambling variation nobody may buy more chips, leave with chips, or sit out a hand.",
        )


def must_be_between_hands(state: State) -> None:
    """Check that the game is under way and no bet is on the table.

    Raises:
        Refusal: the game is not under way, or a bet is on the table.
    """
    seating.must_be_playing(state)
    if state.hand_is_running:
        raise Refusal(
            "hand_must_be_over",
            rule="BET",
            ruling="I-BET.2",
            detail="This is possible only while no bet is on the table.",
        )


def must_be_chips(state: State, amount: int, seat: int = 0) -> None:
    """Check that *seat* (0: a new player) may buy *amount* chips.

    Raises:
        Refusal: the amount is below 1, or above the maximum that the seat may buy.
    """
    most = most_to_sell(state, seat)
    if not 1 <= amount <= most:
        detail = f"This seat may buy 1 to {most} chips now." if most else "This seat may not buy any chips now."
        raise Refusal("chips_must_be_within_their_bounds", ruling="I-BET.5", detail=detail)


def must_be_banker(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Check that *by* is the banker of the hand, and return the seat.

    Raises:
        Refusal: *by* is not the banker.
    """
    seat = acting_seat(by)
    if seat != state.banker:
        raise Refusal("banker_must_do_it", rule=rule, ruling=ruling, detail=f"Seat {state.banker} is the banker.")
    return seat


def must_be_seated(state: State, by: str) -> int:
    """Check that *by* has a seat, and return the seat.

    Raises:
        Refusal: *by* has no seat.
    """
    seat = acting_seat(by)
    if seat not in state.players:
        raise Refusal("player_must_have_a_seat", ruling="G.4", detail="Only a player with a seat can do this.")
    return seat
