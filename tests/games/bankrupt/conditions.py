"""Predicates of the conditions of Bankrupt; they use queries of the state, but none of the checks in the rules."""

import msgspec

from service.games.bankrupt import refusals
from service.games.bankrupt.options import Options
from service.games.bankrupt.state import Phase, State, alive, due_seat, offer_cap
from tests.games.conditions import Apart, Asked, Predicates


def _options_are_valid(asked: Asked) -> bool:
    try:
        msgspec.convert(asked.command.options, Options)
    except msgspec.ValidationError:
        return False
    return True


def _may_throw_in(asked: Asked) -> bool:
    state: State = asked.state
    return state.throw_ins_in_a_row.get(asked.seat, 0) < state.options.max_throw_ins_in_a_row


PREDICATES: Predicates = {
    refusals.SEATS_MUST_BE_WITHIN_THE_GAMES: lambda asked: 2 <= asked.command.seats <= 17,
    refusals.OPTIONS_MUST_BE_THE_GAMES: _options_are_valid,
    refusals.BUY_IN_MUST_BE_THE_TABLES: lambda asked: asked.command.chips == asked.state.options.buy_in,
    refusals.ROUND_MUST_BE_SETTLED: lambda asked: asked.state.phase is Phase.BETWEEN_ROUNDS,
    refusals.CARDS_MUST_BE_BEING_DECIDED_ON: lambda asked: asked.state.phase is Phase.DECIDING,
    refusals.ANTE_MUST_BE_BEING_UPPED: lambda asked: asked.state.phase is Phase.UPPING,
    refusals.DEALER_MUST_DEAL: lambda asked: asked.seat == asked.state.dealer,
    refusals.PLAYER_MUST_BE_IN_THE_GAME: lambda asked: asked.seat in alive(asked.state),
    refusals.TURN_MUST_BE_YOURS: lambda asked: asked.seat == due_seat(asked.state),
    refusals.CARD_MUST_BE_FIRST_OR_SECOND: lambda asked: asked.command.card in {1, 2},
    refusals.THROW_INS_IN_A_ROW_MUST_BE_WITHIN_THE_LIMIT: _may_throw_in,
    refusals.OFFER_MUST_BE_ANSWERED_FIRST: lambda asked: asked.state.offer is None,
    refusals.OFFER_MUST_HAVE_BEEN_MADE: lambda asked: asked.state.offer is not None,
    refusals.OFFER_MUST_BE_WITHIN_THE_CAP: lambda asked: 1 <= asked.command.chips <= offer_cap(asked.state),
}
APART: Apart = {
    (refusals.ANTE_MUST_BE_BEING_UPPED, refusals.OFFER_MUST_BE_ANSWERED_FIRST): (
        "an offer is open only in the upping phase"
    ),
}
