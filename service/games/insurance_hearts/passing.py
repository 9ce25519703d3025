"""Passing three cards (H-PASS.1)."""

from typing import Literal, TypeAlias, cast

from service.games.decks import Unfolding
from service.games.game import Known, Refusal
from service.games.insurance_hearts import auction
from service.games.insurance_hearts.commands import PASSED, PassCards
from service.games.insurance_hearts.events import CardsPassed, PassAwaited, PassChosen
from service.games.insurance_hearts.hands import Facts, hand_of
from service.games.insurance_hearts.state import Phase, State, awaited, direction
from service.games.insurance_hearts.turns import must_be_awaited, must_be_held, must_be_phase

Passed: TypeAlias = Literal["left", "right", "across"]

_RULE, _RULING = "standard rules", "H-PASS.1"


def begin(unfolding: Unfolding[State], facts: Facts) -> None:
    """Ask for cards to pass, or go on where none are passed in this hand."""
    to = direction(unfolding.state.hand)
    if to == "none":
        auction.begin(unfolding, facts)
    else:
        unfolding.tell(PassAwaited(direction=to))


def choose(unfolding: Unfolding[State], command: PassCards, known: Known) -> None:
    """Take the three cards of a player; with the last choice all of them change hands."""
    state = unfolding.state
    must_be_phase(state, Phase.PASSING, rule=_RULE)
    seat = must_be_awaited(state, command.by, rule=_RULE, ruling=_RULING)
    if len(set(command.cards)) != PASSED or len(command.cards) != PASSED:
        raise Refusal("passed_cards_must_be_three", rule=_RULE, ruling=_RULING, detail="Three different cards.")
    must_be_held(hand_of(state, seat, Facts(state, known)), *command.cards, rule=_RULE, ruling=_RULING)
    unfolding.tell(PassChosen(seat=seat))
    if awaited(unfolding.state):
        return
    unfolding.tell(CardsPassed(direction=cast("Passed", direction(state.hand))))  # Or nobody would have chosen.
    auction.begin(unfolding, Facts(unfolding.state, known, {(seat, "cards"): command.cards}))
