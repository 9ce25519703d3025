"""A command and a table's state in; what happens, or a refusal, out."""

from itertools import pairwise
from typing import TypeAlias

import msgspec

from service.games import commands as every, decks, events as table, seating
from service.games.decks import Unfolding
from service.games.events import SeatLeft, TableClosed
from service.games.game import SERVICE, Command, Event, Evolve, Known, Refusal, SealedFields, seat_actor
from service.games.insurance import betting, commands, dealing, events, insuring
from service.games.insurance.memory import evolve
from service.games.insurance.options import SEATS, Options
from service.games.insurance.state import Phase, State, bet_bounds, may_be_called, to_bet
from service.games.insurance.turns import must_be_chips, must_be_gambling, no_bet_must_lie, seated
from service.games.table import holds
from service.ledger import stack

InsuranceCommand: TypeAlias = (
    every.TableCommand
    | commands.PlaceBet
    | commands.SitOut
    | commands.SitIn
    | commands.BuyChips
    | commands.OfferInsurance
    | commands.AcceptInsurance
    | commands.RefuseInsurance
)
InsuranceDecision: TypeAlias = (
    seating.SeatingDecision
    | events.ChipsBought
    | events.HandSatOut
    | events.SatIn
    | events.BetPlaced
    | events.DealBegun
    | events.InsuranceOffered
    | events.InsuranceAccepted
    | events.InsuranceRefused
)


def decide(state: State, command: InsuranceCommand, known: Known, evolve: Evolve = evolve) -> tuple[Event, ...]:
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
            _leave_seat(unfolding, command)
        case every.StartGame():
            seating.start_game(unfolding, command)
        case every.CloseTable():
            _close_table(unfolding, command, known)
        case every.EraseValue():
            seating.erase_value(unfolding, command)
        case every.CallTime():
            seating.call_time(command)
            return decide(state, _made_by_the_service(state), known, evolve)
        case every.DealHand():
            dealing.deal_hand(unfolding, command, known)
        case commands.PlaceBet():
            betting.place_bet(unfolding, command)
        case commands.SitOut():
            betting.sit_out(unfolding, command)
        case commands.SitIn():
            betting.sit_in(unfolding, command)
        case commands.BuyChips():
            betting.buy_chips(unfolding, command)
        case commands.OfferInsurance():
            insuring.make_offer(unfolding, command)
        case commands.AcceptInsurance():
            insuring.accept(unfolding, command, known)
        case commands.RefuseInsurance():
            insuring.refuse(unfolding, command, known)
    return tuple(unfolding.events)


def _table_must_be_sound(command: every.OpenTable) -> None:
    """Refuse a table that nobody could play at.

    Raises:
        Refusal: the seats, or the options, are none of the game's.
    """
    if not SEATS.least <= command.seats <= SEATS.most:
        raise Refusal(
            "seats_must_be_within_the_games",
            rule="INTRODUCTION",
            ruling="I-END.3",
            detail=f"A table has {SEATS.least} to {SEATS.most} seats, not {command.seats}.",
        )
    try:
        options = msgspec.convert(command.options, Options)
    except msgspec.ValidationError as error:
        raise Refusal("options_must_be_the_games", ruling="G.2", detail=str(error)) from error
    bets = options.standard_bets
    rule, ruling = "NON-GAMBLING VARIATION", "I-BET.3"
    if options.form == "gambling" and bets:
        why = "A standard bet belongs to the non-gambling variation."
    elif any(later < earlier for earlier, later in pairwise(bets)):
        why = "No standard bet is below the one before it."
    elif options.first_banker > command.seats:
        rule, ruling = "INTRODUCTION", "I-END.2"
        why = f"There is no seat {options.first_banker} for the first banker."
    else:
        return
    raise Refusal("options_must_be_the_games", rule=rule, ruling=ruling, detail=why)


def _take_seat(unfolding: Unfolding[State], command: every.TakeSeat) -> None:
    """Sit somebody down: before the start, and between hands where one may buy in (G.4, I-BET.2)."""
    state = unfolding.state
    if state.status == "playing" and state.is_gambling:
        no_bet_must_lie(state)
    else:
        seating.must_be_open(state)
    if state.is_gambling:
        must_be_chips(state, command.chips)
    elif command.chips != state.options.buy_in:
        raise Refusal(
            "buy_in_must_be_the_tables",
            rule="NON-GAMBLING VARIATION",
            ruling="G.7",
            detail=f"All players start with the same at this table: {state.options.buy_in} chips.",
        )
    seating.take_seat(unfolding, command)


def _leave_seat(unfolding: Unfolding[State], command: every.LeaveSeat) -> None:
    """Let a player go: before the start, and between hands, with their chips, where one may (I-BET.2, G.7)."""
    state = unfolding.state
    if state.status != "playing":
        seating.leave_seat(unfolding, command)
        return
    seat = seated(state, command.by)
    must_be_gambling(state)
    no_bet_must_lie(state)
    paid = seating.cashed_out(state, seat, rule="G.7")
    unfolding.tell(SeatLeft(seat=seat, chips=holds(state, stack(seat)), transfers=paid))


def _close_table(unfolding: Unfolding[State], command: every.CloseTable, known: Known) -> None:
    """Close the table: before the start, and between hands, where one may leave; everyone is cashed out (I-BET.2)."""
    state = unfolding.state
    if state.status != "playing":
        seating.close_table(unfolding, command, known)
        return
    seating.must_be_host(command.by)
    must_be_gambling(state)
    no_bet_must_lie(state)
    unfolding.tell(TableClosed(transfers=seating.all_cashed_out(state, rule="G.7")))
    if state.epoch:
        decks.retire(unfolding, known, state.epoch)
    decks.give_up_reserve(unfolding, known)


def _made_by_the_service(state: State) -> InsuranceCommand:
    """Return the decision that the service makes: the least bet, the deal, an offer of one, a refusal (G.3).

    Between hands of the gambling game nothing moves by itself, and the host may close the table. In the variation
    nobody can leave: a bet is placed between its hands as well, so that no player can hold all others up.

    Raises:
        Refusal: there is nothing to decide.
    """
    seating.must_be_playing(state)
    if not may_be_called(state):
        raise Refusal(
            "hand_must_be_under_way",
            rule="BET",
            ruling="G.4",
            detail="Between hands nothing moves by itself: a hand begins with its first bet.",
        )
    match state.phase:
        case Phase.OFFERING:
            return commands.OfferInsurance(by=seat_actor(state.to_offer[0]), chips=1)
        case Phase.ACCEPTING:
            return commands.RefuseInsurance(by=seat_actor(state.banker), seat=state.to_answer[0])
        case _:
            waiting = to_bet(state)
            if not waiting:
                return every.DealHand(by=seat_actor(state.banker))
            return commands.PlaceBet(by=seat_actor(waiting[0]), chips=bet_bounds(state, waiting[0]).least)


def command_of(decision: InsuranceDecision, by: str, _sealed: SealedFields) -> Command:
    """Return the command that *decision* of *by* came from."""
    if by == SERVICE and not isinstance(decision, table.ValueErased):
        return every.CallTime(by=by)
    match decision:
        case events.ChipsBought():
            return commands.BuyChips(by=by, chips=decision.chips)
        case events.HandSatOut():
            return commands.SitOut(by=by)
        case events.SatIn():
            return commands.SitIn(by=by)
        case events.BetPlaced():
            return commands.PlaceBet(by=by, chips=decision.chips)
        case events.DealBegun():
            return every.DealHand(by=by)
        case events.InsuranceOffered():
            return commands.OfferInsurance(by=by, chips=decision.chips)
        case events.InsuranceAccepted():
            return commands.AcceptInsurance(by=by, seat=decision.seat)
        case events.InsuranceRefused():
            return commands.RefuseInsurance(by=by, seat=decision.seat)
        case (
            table.TableOpened()
            | table.SeatTaken()
            | table.SeatLeft()
            | table.GameStarted()
            | table.TableClosed()
            | table.ValueErased()
        ):
            return seating.command_of(decision, by)
