"""Opening and closing a table, taking and leaving a seat, starting a game, calling time (G.2 to G.4, G.7, G.11)."""

# DECISIONS 6, 49, 59 and 60

from collections.abc import Mapping
from enum import Enum
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from service.games import common_refusals, invitations
from service.games.common_commands import (
    CallTime,
    CloseTable,
    EraseValue,
    LeaveSeat,
    OpenTable,
    StartGame,
    TakeSeat,
)
from service.games.common_events import GameStarted, SeatLeft, SeatTaken, TableClosed, TableOpened, ValueErased
from service.games.common_refusals import Condition
from service.games.game import (
    HOST,
    PLAYER,
    SERVICE,
    Action,
    Command,
    Event,
    Refusal,
    SealedFields,
    SeatRange,
    TimedDecision,
    acting_seat,
    seat_actor,
)
from service.games.table_state import TableState, balance_of, seat_of
from service.ledger import HOUSE, Transfer, chips, stack

Options = TypeVar("Options", bound=Struct)
Phase = TypeVar("Phase", bound=Enum)

LEAST_PLAYERS = 2
MOST_SEATINGS = 5
"""How often an owner may take a seat before the start, and how often between two hands (G.11)."""


def seats_must_be_within(command: OpenTable, seats: SeatRange, condition: Condition) -> None:
    """Check the number of seats of a new table.

    Raises:
        Refusal: the game does not allow this number of seats; the refusal names *condition*.
    """
    if not seats.least <= command.seats <= seats.most:
        raise Refusal(condition, f"{condition.sentence.removesuffix('.')}, not {command.seats}.")


def options_of(command: OpenTable, options: type[Options], condition: Condition, *, ruling: str = "") -> Options:
    """Return the options of a new table.

    Raises:
        Refusal: an option is unknown to the game, or its value is not valid; the refusal names *condition*.
    """
    try:
        return msgspec.convert(command.options, options)
    except msgspec.ValidationError as error:
        raise Refusal(condition, str(error), ruling=ruling) from error


def open_table(state: TableState, command: OpenTable) -> TableOpened:
    """Open the table; the service then commits to the first deck or, with players' seeds, the first batch."""
    if state.status != "new":
        raise Refusal(common_refusals.TABLE_MUST_BE_NEW, "This table is already open.")
    return TableOpened(
        game=command.game,
        edition=command.edition,
        sheet=command.sheet,
        options=dict(command.options),
        seats=command.seats,
        host=command.host,
        visibility=command.visibility,
        currency=command.currency,
        worth_minor=command.worth_minor,
        time_limit_seconds=command.time_limit_seconds,
        seeds=command.seeds,
        dispute_days=command.dispute_days,
    )


def take_seat(state: TableState, command: TakeSeat) -> SeatTaken:
    """Seat a player; the game has already checked the number of chips."""
    if taken := seat_of(state, command.player):
        raise Refusal(common_refusals.PLAYER_MUST_NOT_SIT_TWICE, f"This player already has seat {taken}.")
    invitations.must_be_welcome(state, command)
    if state.seatings.get(command.player, 0) >= MOST_SEATINGS:
        detail = (
            f"This player has taken a seat at this table {MOST_SEATINGS} times before the start or since the last hand."
        )
        raise Refusal(common_refusals.SEAT_MUST_BE_TAKEN_LESS_OFTEN, detail)
    free = [seat for seat in range(1, state.seats + 1) if seat not in state.players]
    if not free:
        raise Refusal(common_refusals.TABLE_MUST_HAVE_A_FREE_SEAT, f"All {state.seats} seats are taken.")
    if command.seat and command.seat not in free:
        raise Refusal(
            common_refusals.SEAT_MUST_BE_FREE,
            f"Seat {command.seat} is taken or does not exist; free seats: {', '.join(map(str, free))}.",
        )
    seat = command.seat or free[0]
    return SeatTaken(
        seat=seat,
        player=command.player,
        chips=command.chips,
        any_seat=not command.seat,
        transfers=(chips(HOUSE, stack(seat), command.chips, rule="G.7"),) if command.chips else (),
    )


def buy_in_must_be(command: TakeSeat, buy_in: int, unit: str, condition: Condition) -> None:
    """Check that the player buys *buy_in* chips, like every player at the table; *unit* is the game's word for chips.

    Raises:
        Refusal: the player buys another number; the refusal names *condition*.
    """
    if command.chips != buy_in:
        raise Refusal(condition, f"Every player at this table starts with {buy_in} {unit}.")


def leave_seat(state: TableState, command: LeaveSeat) -> SeatLeft:
    """Let a player leave before the start; the buy-in goes back."""
    must_be_open(state)
    return leave_with_chips(state, must_be_seated(state, command.by), rule="G.4")


def leave_with_chips(state: TableState, seat: int, *, rule: str) -> SeatLeft:
    """Let the player in *seat* leave with their stack; the transfer cites *rule*."""
    return SeatLeft(seat=seat, chips=balance_of(state, stack(seat)), transfers=cash_out(state, seat, rule=rule))


def start_game(
    state: TableState, command: StartGame, least: int = LEAST_PLAYERS, *, seats_stay_open: bool = False
) -> GameStarted:
    """Start the game, which needs *least* or more players; the game adds the consequences.

    *seats_stay_open*: whether the game lets players take seats after the start.
    """
    must_be_host(command.by)
    must_be_open(state)
    players = len(state.players)
    if players < least:
        detail = f"The game needs {least} players; {players} have taken a seat."
        raise Refusal(common_refusals.ENOUGH_SEATS_MUST_BE_TAKEN, detail)
    return GameStarted(seats_stay_open=seats_stay_open)


def close_table(state: TableState, command: CloseTable) -> TableClosed:
    """Close a table whose game has not started; every buy-in goes back."""
    must_be_host(command.by)
    must_be_open(state)
    return TableClosed(transfers=cash_out_all(state, rule="G.4"))


def erase_value(_state: TableState, command: EraseValue) -> ValueErased:
    """Erase a sealed value.

    This function does not check whether the value may be erased: the write path and the audit check this.
    """
    if command.by != SERVICE:
        raise Refusal(common_refusals.SERVICE_MUST_ASK)
    return ValueErased(position=command.position, field=command.field, ground=command.ground)


def cash_out(state: TableState, seat: int, *, rule: str) -> tuple[Transfer, ...]:
    """Return the transfer that pays out the stack of *seat*, or no transfer if the stack is empty."""
    amount = balance_of(state, stack(seat))
    return (chips(stack(seat), HOUSE, amount, rule=rule),) if amount else ()


def cash_out_all(state: TableState, *, rule: str) -> tuple[Transfer, ...]:
    """Return the transfers that pay out the stack of every seat."""
    return tuple(transfer for seat in state.players for transfer in cash_out(state, seat, rule=rule))


def must_be_open(state: TableState) -> None:
    """Check that the game has not started.

    Raises:
        Refusal: the game has started, or the table is closed.
    """
    if state.status != "open":
        detail = f"The table is {state.status}; this is possible only before the start."
        raise Refusal(common_refusals.GAME_MUST_NOT_HAVE_STARTED, detail)


def must_be_seated(state: TableState, by: str) -> int:
    """Check that the actor *by* has a seat, and return the seat.

    Raises:
        Refusal: *by* has no seat.
    """
    seat = acting_seat(by)
    if seat not in state.players:
        raise Refusal(common_refusals.PLAYER_MUST_HAVE_A_SEAT)
    return seat


def must_be_playing(state: TableState) -> None:
    """Check that the game is under way.

    Raises:
        Refusal: the game has not started or is over, or the table is closed.
    """
    if state.status != "playing":
        raise Refusal(common_refusals.GAME_MUST_BE_UNDER_WAY, f"The table is {state.status}.")


def must_be_phase(
    state: TableState, phase: Phase, wanted: Phase, conditions: Mapping[Phase, Condition], *, rule: str
) -> None:
    """Check that the game is under way and in the phase *wanted*; *phase* is its present phase.

    *conditions* has, for each phase, the condition that a command of this phase fails in any other phase.

    Raises:
        Refusal: the game is not under way; or it is in another phase, and the refusal cites *rule*.
    """
    must_be_playing(state)
    if phase is not wanted:
        condition = conditions[wanted]
        detail = f"{condition.sentence.removesuffix('.')}; the table's phase is {phase.value.replace('_', ' ')}."
        raise Refusal(condition, detail, rule=rule, ruling="G.4")


def must_be_host(by: str) -> None:
    """Check that the actor *by* is the host.

    Raises:
        Refusal: *by* is another actor.
    """
    if by != HOST:
        raise Refusal(common_refusals.HOST_MUST_ASK, ruling="G.4")


def actions(state: TableState, by: str, least: int = LEAST_PLAYERS) -> tuple[Action, ...]:
    """List the actions of the actor *by* before the start of a game that needs *least* or more players."""
    if state.status != "open":
        return ()
    if by == HOST:
        close = Action(CloseTable(by=by), rule="", ruling="G.4")
        start = Action(StartGame(by=by), rule="", ruling="G.4")
        may_start = len(state.players) >= least
        return (*((start, close) if may_start else (close,)), *invitations.actions(state, by))
    if acting_seat(by) in state.players:
        return (Action(LeaveSeat(by=by), rule="", ruling="G.4"),)
    return invitations.actions(state, by)


def call_time(command: CallTime) -> None:
    """Check that the actor who calls time is the host, or the service after the time limit (G.3).

    Raises:
        Refusal: another actor calls time.
    """
    if command.by not in (HOST, SERVICE):
        must_be_host(command.by)


def caller_of(command: CallTime) -> Literal["host", "limit"]:
    """Return who called time, for `TimedDecision.called` (G.3)."""
    return "host" if command.by == HOST else "limit"


def is_called(decision: Event, by: str) -> bool:
    """Return whether the service made *decision* because time was called (G.3)."""
    return by == SERVICE and not isinstance(decision, ValueErased)


def call_time_command(decision: Event) -> CallTime:
    """Return the `CallTime` after which the service made *decision*."""
    return CallTime(by=HOST if isinstance(decision, TimedDecision) and decision.called == "host" else SERVICE)


def author(command: Command, decision: Event) -> str:
    """Return the name that the leaf of *decision* has for the actor: "seat:<n>", "host", "player" or "service"."""
    if isinstance(command, CallTime):
        return SERVICE
    if isinstance(decision, SeatTaken) and command.by == PLAYER:
        return seat_actor(decision.seat)
    return command.by


def command_of_seat(decision: SeatTaken, by: str, _sealed: SealedFields) -> TakeSeat:
    """Return the command of the host or of a player that led to *decision*."""
    return TakeSeat(
        by=HOST if by == HOST else PLAYER,
        player=decision.player,
        chips=decision.chips,
        seat=0 if decision.any_seat else decision.seat,
    )
