"""Passing three cards (H-PASS.1) (DECISIONS 33)."""

from typing import Final, cast

from service.games.decks import Emitter
from service.games.game import Known, Refusal, Viewpoint
from service.games.insurance_hearts import auction, refusals
from service.games.insurance_hearts.commands import PASSED, PassCards
from service.games.insurance_hearts.events import CardsPassed, PassAwaited, PassChosen, PassDirection
from service.games.insurance_hearts.refusals import STANDARD
from service.games.insurance_hearts.seat_cards import hand_of
from service.games.insurance_hearts.state import Phase, State, awaited, direction
from service.games.insurance_hearts.turns import must_be_awaited, must_be_held, must_be_phase

_RULING: Final = "H-PASS.1"


def begin(emitter: Emitter[State], known: Known) -> None:
    """Await the cards to pass; in a hand without passing, go on to the auction."""
    to = direction(emitter.state.hand)
    if to == "none":
        auction.begin(emitter, known)
    else:
        emitter.emit(PassAwaited(direction=to))


def choose(state: State, command: PassCards, viewpoint: Viewpoint) -> PassChosen:
    """Accept the three cards of a player, if they are in the hand that *viewpoint* sees."""
    must_be_phase(state, Phase.PASSING, rule=STANDARD)
    seat = must_be_awaited(state, command.by, rule=STANDARD, ruling=_RULING)
    if len(set(command.cards)) != PASSED or len(command.cards) != PASSED:
        raise Refusal(refusals.PASSED_CARDS_MUST_BE_THREE)
    must_be_held(hand_of(state, seat, viewpoint), *command.cards, rule=STANDARD, ruling=_RULING)
    return PassChosen(seat=seat)


def pass_after_last_choice(emitter: Emitter[State], known: Known) -> None:
    """After the last choice, pass all chosen cards, and go on to the auction."""
    state = emitter.state
    if awaited(state):
        return
    to = cast("PassDirection", direction(state.hand))  # Nobody chooses cards in a hand without passing.
    emitter.emit(CardsPassed(direction=to))
    auction.begin(emitter, known)
