"""Whether something may be done now: the checks that commands begin with."""

from typing import Final

from service.cards import Face
from service.games import seating
from service.games.game import Refusal, acting_seat
from service.games.insurance_hearts.state import Phase, State, awaited

PHASES: Final = {
    Phase.BETWEEN_HANDS: ("hand_must_be_over", "between hands"),
    Phase.SLIPS: ("slips_must_be_awaited", "after the deal, where insurance or the foot rule is played"),
    Phase.PASSING: ("passes_must_be_awaited", "while cards to pass are chosen"),
    Phase.BIDDING: ("bids_must_be_awaited", "while bids are written"),
    Phase.CHOOSING: ("leftovers_must_lie", "while cards of the auction are left to choose from"),
    Phase.PLAYING: ("tricks_must_be_played", "while tricks are played"),
}


def must_be_phase(state: State, phase: Phase, *, rule: str) -> None:
    """Refuse unless the table stands in the *phase* that *rule* speaks of.

    Raises:
        Refusal: the game is not under way, or stands elsewhere.
    """
    seating.must_be_phase(state, state.phase, phase, PHASES, rule=rule)


def must_be_dealer(state: State, by: str) -> None:
    """Refuse unless the dealer asks.

    Raises:
        Refusal: somebody else does.
    """
    if acting_seat(by) != state.dealer:
        detail = f"Seat {state.dealer} deals this hand."
        raise Refusal("dealer_must_deal", rule="standard rules", ruling="G.4", detail=detail)


def must_be_turn(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Return the seat of *by*, whose decision is due.

    Raises:
        Refusal: *by* has no seat, or another's decision is due.
    """
    seat = _seated(state, by)
    if seat not in awaited(state):
        detail = f"Seat {awaited(state)[0]} decides now."
        raise Refusal("turn_must_be_yours", rule=rule, ruling=ruling, detail=detail)
    return seat


def must_be_awaited(state: State, by: str, *, rule: str, ruling: str) -> int:
    """Return the seat of *by*, whose sealed choice is not in yet.

    Raises:
        Refusal: *by* has no seat, or has chosen: what is sealed cannot be changed.
    """
    seat = _seated(state, by)
    if seat not in awaited(state):
        detail = "It is in and sealed, and cannot be changed."
        raise Refusal("choice_must_stand", rule=rule, ruling=ruling, detail=detail)
    return seat


def must_be_held(hand: tuple[Face, ...], *cards: Face, rule: str, ruling: str) -> None:
    """Refuse cards that the caller does not hold.

    Raises:
        Refusal: one is not in the *hand*.
    """
    if not set(cards) <= set(hand):
        raise Refusal("card_must_be_held", rule=rule, ruling=ruling, detail="It must be a card of your own hand.")


def _seated(state: State, by: str) -> int:
    seat = acting_seat(by)
    if seat not in state.players:
        raise Refusal("player_must_have_a_seat", ruling="G.4", detail="Only who sits at the table can do this.")
    return seat
