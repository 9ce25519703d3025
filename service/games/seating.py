"""Opening and closing a table, taking and leaving a seat, and starting the game, for every game (G.2, G.4, G.7)."""

# DECISIONS 6, 49, 59 and 60

from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, TypeAlias

from service.games import invitations
from service.games.common_commands import (
    COMMON,
    CallTime,
    CloseTable,
    EraseValue,
    LeaveSeat,
    OpenTable,
    StartGame,
    TakeSeat,
)
from service.games.common_events import GameStarted, SeatLeft, SeatTaken, TableClosed, TableOpened, ValueErased
from service.games.game import (
    HOST,
    PLAYER,
    SERVICE,
    Action,
    Command,
    Event,
    Game,
    Refusal,
    TimedDecision,
    acting_seat,
    seat_actor,
    type_name,
)
from service.games.invitations import InvitationDecision
from service.games.table_state import TableState, balance_of, seat_of
from service.ledger import HOUSE, Transfer, chips, stack

SeatingDecision: TypeAlias = (
    TableOpened | SeatTaken | SeatLeft | GameStarted | TableClosed | ValueErased | InvitationDecision
)

LEAST_PLAYERS = 2
MOST_SEATINGS = 5
"""How often an owner may take a seat before the start, and how often between two hands (G.11)."""

Phases: TypeAlias = Mapping[Any, tuple[str, str]]
"""For each phase: the code of a refusal in any other phase, and the words by which its detail describes the phase."""


def open_table(state: TableState, command: OpenTable) -> TableOpened:
    """Open the table; the consequence is that the service commits to the table's first deck."""
    if state.status != "new":
        raise Refusal("table_must_be_new", ruling="G.2", detail="This table is already open.")
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
    )


def take_seat(state: TableState, command: TakeSeat) -> SeatTaken:
    """Seat a player; the game has already checked the number of chips."""
    if taken := seat_of(state, command.player):
        detail = f"This player already has seat {taken}."
        raise Refusal("player_must_not_sit_twice", ruling="G.4", detail=detail)
    invitations.must_be_welcome(state, command)
    if state.seatings.get(command.player, 0) >= MOST_SEATINGS:
        detail = (
            f"This player has taken a seat at this table {MOST_SEATINGS} times before the start or since the last hand."
        )
        raise Refusal("seat_must_be_taken_less_often", ruling="G.11", detail=detail)
    free = [seat for seat in range(1, state.seats + 1) if seat not in state.players]
    if not free:
        raise Refusal("table_must_have_a_free_seat", ruling="G.4", detail=f"All {state.seats} seats are taken.")
    if command.seat and command.seat not in free:
        raise Refusal(
            "seat_must_be_free",
            ruling="G.4",
            detail=f"Seat {command.seat} is taken or does not exist; free seats: {', '.join(map(str, free))}.",
        )
    seat = command.seat or free[0]
    return SeatTaken(
        seat=seat,
        player=command.player,
        chips=command.chips,
        any_seat=not command.seat,
        transfers=(chips(HOUSE, stack(seat), command.chips, rule="G.7"),) if command.chips else (),
    )


def leave_seat(state: TableState, command: LeaveSeat) -> SeatLeft:
    """Let a player leave before the start, and return the buy-in."""
    must_be_open(state)
    seat = acting_seat(command.by)
    if seat not in state.players:
        raise Refusal("player_must_have_a_seat", ruling="G.4", detail="Only a player with a seat can leave the table.")
    return SeatLeft(seat=seat, chips=balance_of(state, stack(seat)), transfers=cash_out(state, seat, rule="G.4"))


def start_game(
    state: TableState, command: StartGame, least: int = LEAST_PLAYERS, *, seats_stay_open: bool = False
) -> GameStarted:
    """Start the game with at least *least* players; the game adds the consequences.

    *seats_stay_open*: whether the game lets players take seats after the start.
    """
    must_be_host(command.by)
    must_be_open(state)
    players = len(state.players)
    if players < least:
        detail = f"The game needs {least} players; {players} have taken a seat."
        raise Refusal("enough_seats_must_be_taken", ruling="G.4", detail=detail)
    return GameStarted(seats_stay_open=seats_stay_open)


def close_table(state: TableState, command: CloseTable) -> TableClosed:
    """Close a table whose game has not started, and return every buy-in."""
    must_be_host(command.by)
    must_be_open(state)
    return TableClosed(transfers=cash_out_all(state, rule="G.4"))


def erase_value(_state: TableState, command: EraseValue) -> ValueErased:
    """Erase a sealed value; the write path and the audit check, from the log, that the value may be erased."""
    if command.by != SERVICE:
        raise Refusal(
            "service_must_ask", ruling="G.12", detail="Only the service may erase a value, on its operator's command."
        )
    return ValueErased(position=command.position, field=command.field, ground=command.ground)


def cash_out(state: TableState, seat: int, *, rule: str) -> tuple[Transfer, ...]:
    """Return the transfer that pays out the stack of *seat*, or no transfer if the stack is empty."""
    amount = balance_of(state, stack(seat))
    return (chips(stack(seat), HOUSE, amount, rule=rule),) if amount else ()


def cash_out_all(state: TableState, *, rule: str) -> tuple[Transfer, ...]:
    """Return the transfers that pay out the stack of every seat."""
    return tuple(transfer for seat in state.players for transfer in cash_out(state, seat, rule=rule))


def must_belong(command: Command, game: Game) -> None:
    """Check that *command* belongs to *game*, before its rules see it.

    Raises:
        Refusal: the command belongs to another game.
    """
    if type(command) not in {*COMMON, *game.commands}:
        raise Refusal(
            "action_must_belong_to_the_game",
            ruling="G.2",
            detail=f"This table plays {game.sheet.title}; {type_name(type(command))} belongs to another game.",
        )


def must_be_open(state: TableState) -> None:
    """Check that the game has not started.

    Raises:
        Refusal: the game has started, or the table is closed.
    """
    if state.status != "open":
        detail = f"The table is {state.status}; this is possible only before the start."
        raise Refusal("game_must_not_have_started", ruling="G.4", detail=detail)


def must_be_playing(state: TableState) -> None:
    """Check that the game is under way.

    Raises:
        Refusal: the game has not started or is over, or the table is closed.
    """
    if state.status != "playing":
        raise Refusal("game_must_be_under_way", ruling="G.4", detail=f"The table is {state.status}.")


def must_be_phase(state: TableState, phase: Enum, wanted: Enum, phases: Phases, *, rule: str) -> None:
    """Check that the game is under way and in the phase *wanted*; the refusal cites *rule*.

    Raises:
        Refusal: the game is not under way, or in another phase.
    """
    must_be_playing(state)
    if phase is not wanted:
        code, when = phases[wanted]
        raise Refusal(
            code,
            rule=rule,
            ruling="G.4",
            detail=f"This is possible only {when}; the table's phase is {phase.value.replace('_', ' ')}.",
        )


def must_be_host(by: str) -> None:
    """Check that the actor *by* is the host.

    Raises:
        Refusal: *by* is another actor.
    """
    if by != HOST:
        raise Refusal("host_must_ask", ruling="G.4", detail="Only the table's host may do this.")


def actions(state: TableState, by: str, least: int = LEAST_PLAYERS) -> tuple[Action, ...]:
    """List the actions of *by* at a table whose game has not started and needs at least *least* players."""
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
    """Check that the host or the time limit calls time (G.3).

    Raises:
        Refusal: another actor calls time.
    """
    if command.by not in (HOST, SERVICE):
        must_be_host(command.by)


def caller_of(command: CallTime) -> Literal["host", "limit"]:
    """Return who called time, for `TimedDecision.called` (G.3)."""
    return "host" if command.by == HOST else "limit"


def call_time_command(decision: Event) -> CallTime:
    """Return the `CallTime` after which the service made *decision*."""
    return CallTime(by=HOST if isinstance(decision, TimedDecision) and decision.called == "host" else SERVICE)


def author(command: Command, decision: Event) -> str:
    """Return who made *decision*, as the leaf names the actor: "seat:<n>", "host", "player" or "service"."""
    if isinstance(command, CallTime):
        return SERVICE
    if isinstance(decision, SeatTaken) and command.by == PLAYER:
        return seat_actor(decision.seat)
    return command.by


def command_of(decision: SeatingDecision, by: str) -> Command:
    """Return the command of *by* that led to *decision*."""
    match decision:
        case TableOpened():
            return OpenTable(
                by=by,
                host=decision.host,
                game=decision.game,
                edition=decision.edition,
                sheet=decision.sheet,
                options=decision.options,
                seats=decision.seats,
                visibility=decision.visibility,
                currency=decision.currency,
                worth_minor=decision.worth_minor,
                time_limit_seconds=decision.time_limit_seconds,
            )
        case SeatTaken():
            return TakeSeat(
                by=HOST if by == HOST else PLAYER,
                player=decision.player,
                chips=decision.chips,
                seat=0 if decision.any_seat else decision.seat,
            )
        case SeatLeft():
            return LeaveSeat(by=by)
        case GameStarted():
            return StartGame(by=by)
        case TableClosed():
            return CloseTable(by=by)
        case ValueErased():
            return EraseValue(by=by, position=decision.position, field=decision.field, ground=decision.ground)
        case _:
            return invitations.command_of(decision, by)
