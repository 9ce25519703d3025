"""A command and a table's state in; what happens, or a refusal, out."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from service.games import commands as every, drawing, events as table, seating
from service.games.bankrupt import commands, dealing, deciding, ending, events, settlement, upping
from service.games.bankrupt.memory import evolve
from service.games.bankrupt.options import SEATS, Options
from service.games.bankrupt.state import Phase, State, due_seat, in_round
from service.games.decks import Unfolding
from service.games.game import SERVICE, Command, Event, Evolve, Known, Refusal, SealedFields, seat_actor

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


def decide(state: State, command: BankruptCommand, known: Known, evolve: Evolve = evolve) -> tuple[Event, ...]:
    """Return the decision that *command* makes, and all that follows from it at once; *evolve* folds each event.

    Raises:
        Refusal: the rules do not allow it.
    """
    unfolding = Unfolding(state, evolve)
    if type(command) in _IN_A_ROUND:
        _play(unfolding, command, known)
        return tuple(unfolding.events)
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
        case every.EraseValue():
            seating.erase_value(unfolding, command)
        case every.CallTime():
            seating.call_time(command)
            return decide(state, _made_by_the_service(state), known, evolve)
        case every.DealHand():
            dealing.deal_hand(unfolding, command, known)
        case commands.Resign():
            ending.resign(unfolding, command, known)
        case _:
            raise TypeError(f"{type(command).__name__} is no command of this game.")
    return tuple(unfolding.events)


def _play(unfolding: Unfolding[State], command: Any, known: Known) -> None:  # noqa: ANN401 -- one of _IN_A_ROUND
    """Make a decision inside a round, and settle the round where nobody is left to decide."""
    _IN_A_ROUND[type(command)](unfolding, command, known)
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
    if by == SERVICE and not isinstance(decision, table.ValueErased):
        return every.CallTime(by=by)
    if plain := _WITHOUT_MORE.get(type(decision)):
        return plain(by=by)
    match decision:
        case events.CardExchanged():
            return commands.ExchangeCard(by=by, card=decision.card)
        case events.UppingOffered():
            return commands.OfferUpping(by=by, chips=decision.chips)
        case (
            table.TableOpened()
            | table.SeatTaken()
            | table.SeatLeft()
            | table.GameStarted()
            | table.TableClosed()
            | table.ValueErased()
        ):
            return seating.command_of(decision, by)
        case _:
            raise TypeError(f"{type(decision).__name__} is no decision of this game.")


# One look-up, where a `match` would ask for type after type.
_IN_A_ROUND: Final[Mapping[type, Callable[[Unfolding[State], Any, Known], None]]] = {
    commands.HoldCards: deciding.hold,
    commands.ExchangeCard: deciding.exchange,
    commands.ThrowIn: deciding.throw_in,
    commands.OfferUpping: upping.make_offer,
    commands.PassUpping: upping.make_no_offer,
    commands.AcceptUpping: upping.accept,
    commands.DeclineUpping: upping.decline,
}
_WITHOUT_MORE: Final[Mapping[type, Callable[..., Command]]] = {
    table.HandDealt: every.DealHand,
    events.CardsHeld: commands.HoldCards,
    events.HandThrownIn: commands.ThrowIn,
    events.UppingPassed: commands.PassUpping,
    events.UppingAccepted: commands.AcceptUpping,
    events.UppingDeclined: commands.DeclineUpping,
    events.PlayerResigned: commands.Resign,
}
"""Commands that say no more than who made them, by their decisions."""
