"""The deal (H-DEAL.1, IH.1)."""

from itertools import cycle
from typing import Literal

from service.cards import PACK
from service.games import decks
from service.games.common_commands import DealHand
from service.games.common_events import CardsDealt, HandDealt
from service.games.decks import Emitter
from service.games.game import Known
from service.games.insurance_hearts import passing
from service.games.insurance_hearts.events import SlipsAwaited
from service.games.insurance_hearts.refusals import STANDARD
from service.games.insurance_hearts.state import ON_TABLE, Phase, State
from service.games.insurance_hearts.turns import must_be_dealer, must_be_phase
from service.games.table_state import clockwise


def deal_hand(state: State, command: DealHand) -> HandDealt:
    """Begin a hand; the cards follow as consequences (H-DEAL.1)."""
    must_be_phase(state, Phase.BETWEEN_HANDS, rule=STANDARD)
    must_be_dealer(state, command.by)
    return HandDealt(hand=state.hand + 1, dealer=state.dealer)


def deal(emitter: Emitter[State], known: Known) -> None:
    """Deal a fresh deck, one card at a time from the dealer's left; then await slips, or go on to passing."""
    state = emitter.state
    epoch = decks.fix_reserve(emitter, known)
    emitter.emit(CardsDealt(epoch=epoch, cards=tuple(_deal_order(state))))
    if state.options.insurance or state.options.foot:
        emitter.emit(SlipsAwaited())
    else:
        passing.begin(emitter, known)


def _deal_order(state: State) -> list[tuple[int, int | Literal["table"]]]:
    """List where each card goes: thirteen to each seat; with bidding, twelve to each seat and four to the table."""
    to_table = ON_TABLE if state.options.bidding else ()
    seats = cycle(clockwise(tuple(state.players), state.dealer))
    return [(position, "table" if position in to_table else next(seats)) for position in range(len(PACK))]
