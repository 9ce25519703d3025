"""Whether something may be done now: the checks that commands begin with."""

from service.games import seating
from service.games.game import Refusal, acting_seat
from service.games.insurance.state import Phase, State, most_to_sell

_PHASES = {
    Phase.BETTING: ("bets_must_be_open", "before the deal"),
    Phase.OFFERING: ("offers_must_be_awaited", "while offers are awaited"),
    Phase.ACCEPTING: ("offers_must_lie", "once every offer lies in its zone"),
}


def must_be_phase(state: State, phase: Phase, *, rule: str) -> None:
    """Refuse unless the table stands in the *phase* that *rule* speaks of.

    Raises:
        Refusal: the game is not under way, or stands elsewhere.
    """
    seating.must_be_phase(state, state.phase, phase, _PHASES, rule=rule)


def must_be_gambling(state: State) -> None:
    """Refuse what the non-gambling variation does not know.

    Raises:
        Refusal: that is what is played here.
    """
    if not state.is_gambling:
        raise Refusal(
            "table_must_be_for_gambling",
            rule="NON-GAMBLING VARIATION",
            ruling="I-BET.3",
            detail="Here all start alike, and nobody buys in, leaves with chips, or sits a hand out.",
        )


def must_be_between_hands(state: State) -> None:
    """Refuse what is for between hands.

    Raises:
        Refusal: the game is not under way, or a bet lies on the table.
    """
    seating.must_be_playing(state)
    if state.hand_is_running:
        raise Refusal(
            "hand_must_be_over", rule="BET", ruling="I-BET.2", detail="That is possible while no bet lies on the table."
        )


def must_be_chips(state: State, amount: int, seat: int = 0) -> None:
    """Refuse to sell to *seat* (0: somebody new) what is no number of chips, or more than its share of all.

    Raises:
        Refusal: it is too few or too many.
    """
    most = most_to_sell(state, seat)
    if not 1 <= amount <= most:
        can = f"1 to {most} chips can be bought" if most else "No more chips can be bought"
        raise Refusal("chips_must_be_within_their_bounds", ruling="G.7", detail=f"{can} for this seat now.")


def must_be_banker(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Return the seat of *by*, who is the banker of the hand.

    Raises:
        Refusal: somebody else is.
    """
    seat = acting_seat(by)
    if seat != state.banker:
        raise Refusal("banker_must_do_it", rule=rule, ruling=ruling, detail=f"Seat {state.banker} is the banker.")
    return seat


def must_be_seated(state: State, by: str) -> int:
    """Return the seat of *by*.

    Raises:
        Refusal: there is none.
    """
    seat = acting_seat(by)
    if seat not in state.players:
        raise Refusal("player_must_have_a_seat", ruling="G.4", detail="Only who sits at the table can do this.")
    return seat
