"""A command and a table's state in; what happens, or a refusal, out."""

from typing import TypeAlias

import msgspec

from service.games import commands as every, drawing, events as table, seating
from service.games.bankrupt import commands, dealing, deciding, ending, events, settlement, upping
from service.games.bankrupt.memory import evolve
from service.games.bankrupt.options import SEATS, Options
from service.games.bankrupt.state import Phase, State, due_seat, in_round
from service.games.decks import Unfolding
from service.games.game import SERVICE, Command, Event, Known, Refusal, SealedFields, seat_actor

RoundCommand: TypeAlias = (
    commands.HoldCards
    | commands.ExchangeCard
    | commands.ThrowIn
    | commands.OfferUpping
    | commands.PassUpping
    | commands.AcceptUpping
    | commands.DeclineUpping
)
BankruptCommand: TypeAlias = every.TableCommand | commands.Resign | RoundCommand
BankruptDecision: TypeAlias = (
    seating.SeatingDecision
    | table.HandDealt
    | events.CardsHeld
    | events.CardExchanged
    | events.HandThrownIn
    | events.UppingOffered
    | events.UppingPassed
    | events.UppingAccepted
    | events.UppingDeclined
    | events.PlayerResigned
)


def decide(state: State, command: BankruptCommand, known: Known) -> tuple[Event, ...]:
    """Return the decision that *command* makes, and all that follows from it at once.

    Raises:
        Refusal: the rules do not allow it.
    """
    unfolding = Unfolding(state, evolve)
    match command:
        case every.OpenTable():
            _table_must_be_sound(command)
            seating.open_table(unfolding, command, known)
        case every.TakeSeat():
            _take_seat(unfolding, command)
        case every.LeaveSeat():
            seating.leave_seat(unfolding, command)
        case every.StartGame():
            seating.start_game(unfolding, command)
            drawing.draw_dealer(unfolding, known)  # Rule 5, B5.1.
            dealing.hold_ritual(unfolding, known)
        case every.CloseTable():
            seating.close_table(unfolding, command, known)
        case every.CallTime():
            seating.call_time(command)
            return decide(state, _made_by_the_service(state), known)
        case every.DealHand():
            dealing.deal_hand(unfolding, command, known)
        case commands.Resign():
            ending.resign(unfolding, command, known)
        case (
            commands.HoldCards()
            | commands.ExchangeCard()
            | commands.ThrowIn()
            | commands.OfferUpping()
            | commands.PassUpping()
            | commands.AcceptUpping()
            | commands.DeclineUpping()
        ):
            _play(unfolding, command, known)
    return tuple(unfolding.events)


def _play(unfolding: Unfolding[State], command: RoundCommand, known: Known) -> None:
    """Make a decision inside a round, and settle the round where nobody is left to decide."""
    match command:
        case commands.HoldCards():
            deciding.hold(unfolding, command)
        case commands.ExchangeCard():
            deciding.exchange(unfolding, command, known)
        case commands.ThrowIn():
            deciding.throw_in(unfolding, command)
        case commands.OfferUpping():
            upping.make_offer(unfolding, command)
        case commands.PassUpping():
            upping.make_no_offer(unfolding, command)
        case commands.AcceptUpping():
            upping.accept(unfolding, command)
        case commands.DeclineUpping():
            upping.decline(unfolding, command)
    if len(in_round(unfolding.state)) == 1:
        settlement.settle_uncontested(unfolding, known)
    elif not due_seat(unfolding.state):
        settlement.settle_showdown(unfolding, known)


def _made_by_the_service(state: State) -> BankruptCommand:
    """Return the decision that the service makes for whom it is due: deal, hold, pass or decline (G.3)."""
    seating.must_be_playing(state)
    by = seat_actor(due_seat(state))
    if state.phase is Phase.BETWEEN_ROUNDS:
        return every.DealHand(by=by)
    if state.phase is Phase.DECIDING:
        return commands.HoldCards(by=by)
    return commands.DeclineUpping(by=by) if state.offer else commands.PassUpping(by=by)


def _table_must_be_sound(command: every.OpenTable) -> None:
    if not SEATS.least <= command.seats <= SEATS.most:
        raise Refusal(
            "seats_must_be_within_the_games",
            rule="1",
            ruling="B1.1",
            detail=f"A table has {SEATS.least} to {SEATS.most} seats, not {command.seats}.",
        )
    try:
        msgspec.convert(command.options, Options)
    except msgspec.ValidationError as error:
        raise Refusal("options_must_be_the_games", ruling="BO2.1", detail=str(error)) from error


def _take_seat(unfolding: Unfolding[State], command: every.TakeSeat) -> None:
    seating.must_be_open(unfolding.state)
    buy_in = unfolding.state.options.buy_in
    if command.chips != buy_in:
        raise Refusal(
            "buy_in_must_be_the_tables",
            rule="4",
            ruling="G.7",
            detail=f"All players start with the same at this table: {buy_in} pieces.",
        )
    seating.take_seat(unfolding, command)


def command_of(decision: BankruptDecision, by: str, _sealed: SealedFields) -> Command:
    """Return the command that *decision* of *by* came from."""
    if by == SERVICE:
        return every.CallTime(by=by)
    match decision:
        case table.HandDealt():
            return every.DealHand(by=by)
        case events.CardsHeld():
            return commands.HoldCards(by=by)
        case events.CardExchanged():
            return commands.ExchangeCard(by=by, card=decision.card)
        case events.HandThrownIn():
            return commands.ThrowIn(by=by)
        case events.UppingOffered():
            return commands.OfferUpping(by=by, chips=decision.chips)
        case events.UppingPassed():
            return commands.PassUpping(by=by)
        case events.UppingAccepted():
            return commands.AcceptUpping(by=by)
        case events.UppingDeclined():
            return commands.DeclineUpping(by=by)
        case events.PlayerResigned():
            return commands.Resign(by=by)
        case table.TableOpened() | table.SeatTaken() | table.SeatLeft() | table.GameStarted() | table.TableClosed():
            return seating.command_of(decision, by)
