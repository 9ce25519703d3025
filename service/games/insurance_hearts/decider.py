"""A command and a table's state in; what happens, or a refusal, out."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from service.games import commands as every, drawing, events as table, seating
from service.games.decks import Unfolding
from service.games.game import SERVICE, Command, Event, Evolve, Known, Refusal, SealedFields, Secret
from service.games.insurance_hearts import (
    auction,
    commands,
    dealing,
    defaults,
    events,
    passing,
    playing,
    sealing,
    slips,
)
from service.games.insurance_hearts.hands import Facts
from service.games.insurance_hearts.memory import evolve
from service.games.insurance_hearts.options import PLAYERS, Options
from service.games.insurance_hearts.state import State, awaited

PlayersCommand: TypeAlias = (
    commands.WriteSlip
    | commands.PassCards
    | commands.PlaceBid
    | commands.MakeNoBid
    | commands.ChooseLeftover
    | commands.PlayCard
)
HeartsCommand: TypeAlias = every.TableCommand | PlayersCommand
HeartsDecision: TypeAlias = (
    seating.SeatingDecision
    | table.HandDealt
    | events.SlipWritten
    | events.PassChosen
    | events.BidWritten
    | events.LeftoverChosen
    | events.CardPlayed
)


def decide(state: State, command: HeartsCommand, known: Known, evolve: Evolve = evolve) -> tuple[Event, ...]:
    """Return the decision that *command* makes, and all that follows from it at once; *evolve* folds each event.

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
            seating.start_game(unfolding, command, least=PLAYERS)
            drawing.draw_dealer(unfolding, known)
        case every.CloseTable():
            seating.close_table(unfolding, command, known)
        case every.EraseValue():
            seating.erase_value(unfolding, command)
        case every.CallTime():
            seating.call_time(command)
            return decide(state, _made_by_the_service(state, known), known, evolve)
        case every.DealHand():
            dealing.deal_hand(unfolding, command, known)
        case _:
            _play(unfolding, command, known)
    return tuple(unfolding.events)


def _play(unfolding: Unfolding[State], command: PlayersCommand, known: Known) -> None:
    """Make a player's decision inside a hand."""
    match command:
        case commands.WriteSlip():
            slips.write(unfolding, command, known)
        case commands.PassCards():
            passing.choose(unfolding, command, known)
        case commands.PlaceBid() | commands.MakeNoBid():
            auction.bid(unfolding, command, known)
        case commands.ChooseLeftover():
            auction.choose(unfolding, command, known)
        case commands.PlayCard():
            playing.play(unfolding, command, known)


def sealed(state: State, command: HeartsCommand, known: Known) -> Mapping[str, Secret]:
    """Return what the decision of *command* seals, which was accepted in *state* (G.1)."""
    if isinstance(command, every.CallTime):
        return sealed(state, _made_by_the_service(state, known), known)
    return sealing.secrets(state, command)


def _made_by_the_service(state: State, known: Known) -> HeartsCommand:
    """Return the decision that the service makes for the first seat that is due (G.3).

    Raises:
        Refusal: the game is not under way.
    """
    seating.must_be_playing(state)
    return defaults.decision(state, awaited(state)[0], Facts(state, known))


def _table_must_be_sound(command: every.OpenTable) -> None:
    """Refuse a table that nobody could play at.

    Raises:
        Refusal: the seats, the options, or a worth of chips are none of the game's.
    """
    if command.seats != PLAYERS:
        detail = f"A table has {PLAYERS} seats, not {command.seats}."
        raise Refusal("seats_must_be_within_the_games", rule="standard rules", ruling="H-DEAL.1", detail=detail)
    if command.worth_minor or command.currency:
        detail = "Points are counted here, and there are no chips that could be worth anything."
        raise Refusal("worth_must_be_of_chips", ruling="G.7", detail=detail)
    try:
        msgspec.convert(command.options, Options)
    except msgspec.ValidationError as error:
        raise Refusal("options_must_be_the_games", ruling="G.2", detail=str(error)) from error


def _take_seat(unfolding: Unfolding[State], command: every.TakeSeat) -> None:
    """Sit somebody down, for nothing (G.7)."""
    seating.must_be_open(unfolding.state)
    if command.chips:
        detail = "There are no chips in this game: a seat costs 0."
        raise Refusal("seat_must_cost_nothing", ruling="G.7", detail=detail)
    seating.take_seat(unfolding, command)


def command_of(decision: HeartsDecision, by: str, sealed: SealedFields) -> Command:
    """Return the command that *decision* of *by* came from, with what it sealed."""
    if by == SERVICE and not isinstance(decision, table.ValueErased):
        return every.CallTime(by=by)
    match decision:
        case table.HandDealt():
            return every.DealHand(by=by)
        case events.SlipWritten() | events.PassChosen() | events.BidWritten():
            return sealing.command_of(decision, by, sealed)
        case events.LeftoverChosen():
            return commands.ChooseLeftover(by=by, card=decision.card)
        case events.CardPlayed():
            return commands.PlayCard(by=by, card=decision.card)
        case (
            table.TableOpened()
            | table.SeatTaken()
            | table.SeatLeft()
            | table.GameStarted()
            | table.TableClosed()
            | table.ValueErased()
        ):
            return seating.command_of(decision, by)
