"""Predicates of the conditions of Insurance; they use queries of the state, but none of the checks in the rules."""

from itertools import pairwise

import msgspec

from service.games import common_refusals
from service.games.common_commands import CloseTable, LeaveSeat, StartGame
from service.games.insurance import commands, refusals
from service.games.insurance.accounts import bet
from service.games.insurance.options import Options
from service.games.insurance.state import (
    Phase,
    State,
    able,
    banker_to_be,
    bet_bounds,
    may_be_called,
    most_to_sell,
    to_bet,
)
from service.games.table_state import balance_of
from service.ledger import stack
from tests.games.conditions import Apart, Asked, Predicates


def _options_are_valid(asked: Asked) -> bool:
    try:
        options = msgspec.convert(asked.command.options, Options)
    except msgspec.ValidationError:
        return False
    bets = options.standard_bets
    return (
        not (bets and options.form == "gambling")
        and all(earlier <= later for earlier, later in pairwise(bets))
        and options.first_banker <= asked.command.seats
    )


def _chips_are_within_bounds(asked: Asked) -> bool:
    """Return whether the chips may be bought; a new player has seat 0.

    In the non-gambling variation any number of chips meets this condition; `_buy_in_is_equal` checks the number there.
    """
    state: State = asked.state
    return not state.is_gambling or 1 <= asked.command.chips <= most_to_sell(state, asked.seat)


def _buy_in_is_equal(asked: Asked) -> bool:
    state: State = asked.state
    return state.is_gambling or asked.command.chips == state.options.buy_in


def _players_may_come(asked: Asked) -> bool:
    state: State = asked.state
    return state.status == "open" or (state.status == "playing" and state.is_gambling)


def _players_may_go(asked: Asked) -> bool:
    return asked.state.status in {"open", "playing"}


def _is_open_or_gambling(asked: Asked) -> bool:
    state: State = asked.state
    return state.status == "open" or state.is_gambling


def _players(asked: Asked) -> tuple[int, ...]:
    return asked.state.playing if asked.state.hand_is_running else able(asked.state)


def _may_sit_out(asked: Asked) -> bool:
    state: State = asked.state
    seat = asked.seat
    if not state.hand_is_running:
        return seat not in state.sitting_out
    return seat in state.playing and seat != state.banker and not balance_of(state, bet(seat))


def _are_enough_able(asked: Asked) -> bool:
    """Return whether at least two players are able to play or, in a hand, take part in the hand.

    A player who asks to sit out does not count.
    """
    leaving = {asked.seat} if isinstance(asked.command, commands.SitOut) else set()
    return len(set(_players(asked)) - leaving) >= 2


def _bet_is_within_bounds(asked: Asked) -> bool:
    bounds = bet_bounds(asked.state, asked.seat)
    return asked.command.chips in range(bounds.least, bounds.most + 1)


PREDICATES: Predicates = {
    refusals.SEATS_MUST_BE_WITHIN_THE_GAMES: lambda asked: 2 <= asked.command.seats <= 52,
    refusals.OPTIONS_MUST_BE_THE_GAMES: _options_are_valid,
    refusals.BUY_IN_MUST_BE_THE_TABLES: _buy_in_is_equal,
    refusals.CHIPS_MUST_BE_WITHIN_THEIR_BOUNDS: _chips_are_within_bounds,
    common_refusals.GAME_MUST_NOT_HAVE_STARTED: _players_may_come,
    (LeaveSeat, common_refusals.GAME_MUST_NOT_HAVE_STARTED): _players_may_go,
    (CloseTable, common_refusals.GAME_MUST_NOT_HAVE_STARTED): _players_may_go,
    (StartGame, common_refusals.GAME_MUST_NOT_HAVE_STARTED): lambda asked: asked.state.status == "open",
    refusals.TABLE_MUST_BE_FOR_GAMBLING: lambda asked: asked.state.is_gambling,
    (LeaveSeat, refusals.TABLE_MUST_BE_FOR_GAMBLING): _is_open_or_gambling,
    (CloseTable, refusals.TABLE_MUST_BE_FOR_GAMBLING): _is_open_or_gambling,
    refusals.HAND_MUST_BE_OVER: lambda asked: not asked.state.hand_is_running,
    refusals.HAND_MUST_BE_UNDER_WAY: lambda asked: may_be_called(asked.state),
    refusals.BETS_MUST_BE_OPEN: lambda asked: asked.state.phase is Phase.BETTING,
    refusals.OFFERS_MUST_BE_AWAITED: lambda asked: asked.state.phase is Phase.OFFERING,
    refusals.OFFERS_MUST_LIE: lambda asked: asked.state.phase is Phase.ACCEPTING,
    refusals.BANKER_MUST_DO_IT: lambda asked: asked.seat == asked.state.banker,
    refusals.HAND_MUST_BE_ONE_TO_SIT_OUT: _may_sit_out,
    refusals.PLAYER_MUST_BE_SITTING_OUT: lambda asked: asked.seat in asked.state.sitting_out,
    refusals.ENOUGH_MUST_BE_ABLE_TO_PLAY: _are_enough_able,
    refusals.PLAYER_MUST_BE_IN_THE_HAND: lambda asked: asked.seat in _players(asked),
    refusals.BANKER_MUST_NOT_BET: lambda asked: asked.seat != banker_to_be(asked.state),
    refusals.BET_MUST_STAND: lambda asked: not balance_of(asked.state, bet(asked.seat)),
    refusals.BET_MUST_BE_WITHIN_ITS_BOUNDS: _bet_is_within_bounds,
    refusals.BETS_MUST_ALL_LIE: lambda asked: asked.state.hand_is_running and not to_bet(asked.state),
    refusals.OFFER_MUST_BE_AWAITED: lambda asked: asked.seat in asked.state.to_offer,
    refusals.OFFER_MUST_BE_WITHIN_ITS_BOUNDS: lambda asked: (
        1 <= asked.command.chips <= balance_of(asked.state, stack(asked.seat))
    ),
    refusals.OFFER_MUST_LIE_IN_ITS_ZONE: lambda asked: asked.command.seat in asked.state.to_answer,
}
APART: Apart = {
    (refusals.CHIPS_MUST_BE_WITHIN_THEIR_BOUNDS, refusals.BUY_IN_MUST_BE_THE_TABLES): (
        "the first is for the gambling game, the second for the non-gambling variation"
    ),
    (refusals.BETS_MUST_BE_OPEN, refusals.BETS_MUST_ALL_LIE): "after the deal every bet is placed",
    (refusals.BETS_MUST_BE_OPEN, refusals.ENOUGH_MUST_BE_ABLE_TO_PLAY): "after the deal a hand has two players",
    (refusals.PLAYER_MUST_BE_IN_THE_HAND, refusals.BANKER_MUST_NOT_BET): "the banker is in the hand",
    (refusals.BANKER_MUST_NOT_BET, refusals.BET_MUST_STAND): "the banker has placed no bet",
    (common_refusals.GAME_MUST_BE_UNDER_WAY, refusals.HAND_MUST_BE_OVER): "no hand is played before or after the game",
}
