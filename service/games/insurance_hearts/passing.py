"""Passing three cards (H-PASS.1)."""

from typing import Literal, TypeAlias, cast

from service.games.decks import Emitter
from service.games.facts import Facts
from service.games.game import Known, Refusal, Seen, acting_seat
from service.games.insurance_hearts import auction
from service.games.insurance_hearts.commands import PASSED, PassCards
from service.games.insurance_hearts.events import CardsPassed, PassAwaited, PassChosen
from service.games.insurance_hearts.seat_cards import hand_of
from service.games.insurance_hearts.state import Phase, State, awaited, direction
from service.games.insurance_hearts.turns import must_be_awaited, must_be_held, must_be_phase

Passed: TypeAlias = Literal["left", "right", "across"]

_RULE, _RULING = "standard rules", "H-PASS.1"


def begin(unfolding: Emitter[State], facts: Facts) -> None:
    """Ask for cards to pass, or go on where none are passed in this hand."""
    to = direction(unfolding.state.hand)
    if to == "none":
        auction.begin(unfolding, facts)
    else:
        unfolding.tell(PassAwaited(direction=to))


def choose(state: State, command: PassCards, seen: Seen) -> PassChosen:
    """Take the three cards of a player, who holds them as *seen*."""
    must_be_phase(state, Phase.PASSING, rule=_RULE)
    seat = must_be_awaited(state, command.by, rule=_RULE, ruling=_RULING)
    if len(set(command.cards)) != PASSED or len(command.cards) != PASSED:
        raise Refusal("passed_cards_must_be_three", rule=_RULE, ruling=_RULING, detail="Three different cards.")
    must_be_held(hand_of(state, seat, seen), *command.cards, rule=_RULE, ruling=_RULING)
    return PassChosen(seat=seat)


def pass_once_all_chose(unfolding: Emitter[State], command: PassCards, known: Known) -> None:
    """Have all cards change hands with the last choice."""
    state = unfolding.state
    if awaited(state):
        return
    unfolding.tell(CardsPassed(direction=cast("Passed", direction(state.hand))))  # Or nobody would have chosen.
    auction.begin(unfolding, Facts(unfolding.state, known, {(acting_seat(command.by), "cards"): command.cards}))
