"""The decider of Bankrupt: returns the events of a command in a state, or raises a refusal."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from service.games import common_commands, common_events, dealer_draw, decks, invitations, seating
from service.games.bankrupt import card_choices, commands, dealing, ending, events, refusals, settlement, upping
from service.games.bankrupt.evolve import evolve
from service.games.bankrupt.options import SEATS, Options
from service.games.bankrupt.state import Phase, State, due_seat, in_round
from service.games.common_decider import Decider
from service.games.decks import Emitter
from service.games.game import SERVICE, Command, Event, Known, Refusal, SealedFields, Viewpoint, acting_seat, seat_actor

RoundCommand: TypeAlias = (
    commands.HoldCards
    | commands.ExchangeCard
    | commands.ThrowIn
    | commands.OfferUpping
    | commands.PassUpping
    | commands.AcceptUpping
    | commands.DeclineUpping
)
BankruptChoice: TypeAlias = common_commands.TableChoice | commands.Resign | RoundCommand
BankruptDecision: TypeAlias = (
    seating.SeatingDecision
    | common_events.HandDealt
    | events.CardsHeld
    | events.CardExchanged
    | events.HandThrownIn
    | events.UppingOffered
    | events.UppingPassed
    | events.UppingAccepted
    | events.UppingDeclined
    | events.PlayerResigned
)


def _decision(state: State, command: BankruptChoice, _seen: Viewpoint) -> Event:
    """Return the decision that *command* makes.

    Raises:
        Refusal: the rules do not allow the command.
    """
    if choose := _ROUND_DECISIONS.get(type(command)):
        return choose(state, command)
    match command:
        case common_commands.OpenTable():
            _table_must_be_sound(command)
            return seating.open_table(state, command)
        case common_commands.TakeSeat():
            return _take_seat(state, command)
        case common_commands.LeaveSeat():
            return seating.leave_seat(state, command)
        case common_commands.StartGame():
            return seating.start_game(state, command)
        case common_commands.CloseTable():
            return seating.close_table(state, command)
        case (
            common_commands.InvitePlayer() | common_commands.WithdrawInvitation() | common_commands.DeclineInvitation()
        ):
            seating.must_be_open(state)
            return invitations.decide(state, command)
        case common_commands.EraseValue():
            return seating.erase_value(state, command)
        case common_commands.DealHand():
            return dealing.deal_hand(state, command)
        case commands.Resign():
            return ending.resign(state, command)
        case _:
            raise TypeError(f"{type(command).__name__} is not a command of this game.")


def _follow(emitter: Emitter[State], command: BankruptChoice, known: Known) -> None:
    """Add the consequences of *command*, whose decision has been emitted."""
    if type(command) in _ROUND_DECISIONS:
        _follow_in_round(emitter, command, known)
        return
    match command:
        case common_commands.OpenTable():
            decks.open_reserve(emitter, known)
        case common_commands.StartGame():
            dealer_draw.draw_dealer(emitter, known)  # Rule 5, B5.1.
            dealing.perform_ritual(emitter, known)
        case common_commands.CloseTable():
            decks.reveal_unused(emitter, known)
        case common_commands.DealHand():
            dealing.begin_round(emitter, known)
        case commands.Resign():
            ending.end_once_one_is_left(emitter, known)
        case _:  # Seats, invitations and erasures have no consequences.
            pass


def _follow_in_round(emitter: Emitter[State], command: BankruptChoice, known: Known) -> None:
    """Add the consequences of a decision in a round; settle the round if one player is left, or no decision is due."""
    match command:
        case commands.ExchangeCard():
            dealing.deal(emitter, (acting_seat(command.by),), known)
        case commands.AcceptUpping() | commands.DeclineUpping():
            upping.settle_after_last_answer(emitter)
        case _:  # Only the settlement may follow.
            pass
    if len(in_round(emitter.state)) == 1:
        settlement.settle_uncontested(emitter, known)
    elif not due_seat(emitter.state):
        settlement.settle_showdown(emitter, known)


def _default(state: State, _seen: Viewpoint) -> BankruptChoice:
    """Return the service's choice for the seat whose decision is due: deal, hold, pass or decline (G.3)."""
    by = seat_actor(due_seat(state))
    if state.phase is Phase.BETWEEN_ROUNDS:
        return common_commands.DealHand(by=by)
    if state.phase is Phase.DECIDING:
        return commands.HoldCards(by=by)
    return commands.DeclineUpping(by=by) if state.offer else commands.PassUpping(by=by)


def _table_must_be_sound(command: common_commands.OpenTable) -> None:
    if not SEATS.least <= command.seats <= SEATS.most:
        raise Refusal(
            refusals.SEATS_MUST_BE_WITHIN_THE_GAMES,
            f"A table has {SEATS.least} to {SEATS.most} seats, not {command.seats}.",
        )
    try:
        msgspec.convert(command.options, Options)
    except msgspec.ValidationError as error:
        raise Refusal(refusals.OPTIONS_MUST_BE_THE_GAMES, str(error)) from error


def _take_seat(state: State, command: common_commands.TakeSeat) -> common_events.SeatTaken:
    seating.must_be_open(state)
    buy_in = state.options.buy_in
    if command.chips != buy_in:
        raise Refusal(
            refusals.BUY_IN_MUST_BE_THE_TABLES,
            f"Every player at this table starts with {buy_in} pieces.",
        )
    return seating.take_seat(state, command)


def command_of(decision: BankruptDecision, by: str, _sealed: SealedFields) -> Command:
    """Return the command of *by* that led to *decision*."""
    if by == SERVICE and not isinstance(decision, common_events.ValueErased):
        return seating.call_time_command(decision)
    if command := _PLAIN_COMMANDS.get(type(decision)):
        return command(by=by)
    match decision:
        case events.CardExchanged():
            return commands.ExchangeCard(by=by, card=decision.card)
        case events.UppingOffered():
            return commands.OfferUpping(by=by, chips=decision.chips)
        case (
            common_events.TableOpened()
            | common_events.SeatTaken()
            | common_events.SeatLeft()
            | common_events.GameStarted()
            | common_events.TableClosed()
            | common_events.ValueErased()
        ):
            return seating.command_of(decision, by)
        case common_events.PlayerInvited() | common_events.InvitationDeclined() | common_events.InvitationWithdrawn():
            return invitations.command_of(decision, by)
        case _:
            raise TypeError(f"{type(decision).__name__} is not a decision of this game.")


# A dictionary needs one look-up; a `match` would test one type after another.
_ROUND_DECISIONS: Final[Mapping[type, Callable[[State, Any], Event]]] = {
    commands.HoldCards: card_choices.hold,
    commands.ExchangeCard: card_choices.exchange,
    commands.ThrowIn: card_choices.throw_in,
    commands.OfferUpping: upping.make_offer,
    commands.PassUpping: upping.make_no_offer,
    commands.AcceptUpping: upping.accept,
    commands.DeclineUpping: upping.decline,
}
_PLAIN_COMMANDS: Final[Mapping[type, Callable[..., Command]]] = {
    common_events.HandDealt: common_commands.DealHand,
    events.CardsHeld: commands.HoldCards,
    events.HandThrownIn: commands.ThrowIn,
    events.UppingPassed: commands.PassUpping,
    events.UppingAccepted: commands.AcceptUpping,
    events.UppingDeclined: commands.DeclineUpping,
    events.PlayerResigned: commands.Resign,
}
"""The commands that have no members of their own, by the type of the decision that they make."""

DECIDER: Final = Decider(
    decision=_decision,
    follow=_follow,
    time_must_be_callable=seating.must_be_playing,
    default=_default,
    evolve=evolve,
)
