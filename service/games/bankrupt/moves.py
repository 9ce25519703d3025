"""The moves of Bankrupt: its commands, each with the rules that decide it."""

from typing import Final

from service.games import common_commands, common_events, dealer_draw, seating
from service.games.bankrupt import card_choices, commands, dealing, ending, events, refusals, settlement, upping
from service.games.bankrupt.options import SEATS, Options
from service.games.bankrupt.state import Phase, State, due_seat, in_round
from service.games.common_moves import common_moves
from service.games.decks import Emitter
from service.games.game import Command, Known, Viewpoint, seat_actor
from service.games.move import Move, Moves, public


def default(state: State, _viewpoint: Viewpoint) -> Command:
    """Return the service's choice for the seat that is due: deal, hold, pass or decline (B8.1, B11.7, B12.9)."""
    by = seat_actor(due_seat(state))
    if state.phase is Phase.BETWEEN_ROUNDS:
        return common_commands.DealHand(by=by)
    if state.phase is Phase.DECIDING:
        return commands.HoldCards(by=by)
    return commands.DeclineUpping(by=by) if state.offer else commands.PassUpping(by=by)


def _table_must_be_sound(command: common_commands.OpenTable) -> None:
    seating.seats_must_be_within(command, SEATS, refusals.SEATS_MUST_BE_WITHIN_THE_GAMES)
    seating.options_of(command, Options, refusals.OPTIONS_MUST_BE_THE_GAMES)


def _buy_in_must_be_sound(state: State, command: common_commands.TakeSeat) -> None:
    seating.buy_in_must_be(command, state.options.buy_in, "pieces", refusals.BUY_IN_MUST_BE_THE_TABLES)


def resume(emitter: Emitter[State], known: Known) -> None:
    """If there is no dealer yet, draw the first dealer; then, if no deck is in play, perform the ritual.

    The draw and the ritual each wait until a deck is ready (G.9).
    """
    if not emitter.state.dealer:
        dealer_draw.draw_dealer(emitter, known)  # Rule 5, B5.1.
    if emitter.state.dealer:
        dealing.perform_ritual_once_possible(emitter, known)


def _deal_replacement(emitter: Emitter[State], known: Known) -> None:
    dealing.deal(emitter, emitter.state.decided[-1:], known)  # The last seat that decided exchanged a card.
    _settle_if_over(emitter, known)


def _settle_offer(emitter: Emitter[State], known: Known) -> None:
    upping.settle_after_last_answer(emitter)
    _settle_if_over(emitter, known)


def _settle_if_over(emitter: Emitter[State], known: Known) -> None:
    """Settle the round if one player is left in the round, or if no decision is due."""
    if len(in_round(emitter.state)) == 1:
        settlement.settle_uncontested(emitter, known)
    elif not due_seat(emitter.state):
        settlement.settle_showdown(emitter, known)


MOVES: Final[Moves[State]] = Moves(
    *common_moves(
        table_must_be_sound=_table_must_be_sound, buy_in_must_be_sound=_buy_in_must_be_sound, begin_game=resume
    ),
    Move(
        command=common_commands.DealHand,
        decision=common_events.HandDealt,
        decide=public(dealing.deal_hand),
        follow=dealing.begin_round,
    ),
    Move(
        command=commands.HoldCards, decision=events.CardsHeld, decide=public(card_choices.hold), follow=_settle_if_over
    ),
    Move(
        command=commands.ExchangeCard,
        decision=events.CardExchanged,
        decide=public(card_choices.exchange),
        follow=_deal_replacement,
    ),
    Move(
        command=commands.ThrowIn,
        decision=events.HandThrownIn,
        decide=public(card_choices.throw_in),
        follow=_settle_if_over,
    ),
    Move(
        command=commands.OfferUpping,
        decision=events.UppingOffered,
        decide=public(upping.make_offer),
        follow=_settle_if_over,
    ),
    Move(
        command=commands.PassUpping,
        decision=events.UppingPassed,
        decide=public(upping.make_no_offer),
        follow=_settle_if_over,
    ),
    Move(
        command=commands.AcceptUpping,
        decision=events.UppingAccepted,
        decide=public(upping.accept),
        follow=_settle_offer,
    ),
    Move(
        command=commands.DeclineUpping,
        decision=events.UppingDeclined,
        decide=public(upping.decline),
        follow=_settle_offer,
    ),
    Move(
        command=commands.Resign,
        decision=events.PlayerResigned,
        decide=public(ending.resign),
        follow=ending.end_once_one_is_left,
    ),
)
