"""The projections, kept in step inside the command's own transaction."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, update

from service.games.table import TableState
from service.ledger import post
from service.log.sql import insert_rows
from service.projections.situations import Step
from service.projections.tables import seats, tables

_TRANSFERS: Final = (
    "stream_id",
    "position",
    "ordinal",
    "source",
    "target",
    "amount",
    "unit",
    "rule",
    "source_balance",
    "target_balance",
)


_HANDS: Final = ("stream_id", "hand", "first", "last")


def record(connection: Connection, stream_id: bytes, steps: Sequence[Step]) -> None:
    """Write what *steps*, the events of one command, change in the projections."""
    transfers = [(stream_id, *row) for step in steps for row in transfer_rows(step)]
    if transfers:
        insert_rows(connection, "transfers", _TRANSFERS, transfers)
    ended = [(stream_id, *row) for row in hand_rows(steps)]
    if ended:
        insert_rows(connection, "hands", _HANDS, ended)
    before, after = steps[0].before, steps[-1].after.state
    if before.players != after.players:
        _record_seats(connection, stream_id, before.players, after.players)
    if before.status == "new":
        connection.execute(insert(tables), {"stream_id": stream_id, **table_row(steps[0].recorded.at, after)})
    elif (before.status, len(before.players)) != (after.status, len(after.players)):
        changed = {"status": after.status, "seats_taken": len(after.players)}
        connection.execute(update(tables).where(tables.c.stream_id == stream_id).values(changed))


def transfer_rows(step: Step) -> list[tuple[Any, ...]]:
    """Return the rows of *step*'s transfers without their stream, each with what both accounts held after it."""
    recorded = step.recorded
    event: Any = recorded.event
    if not event.transfers:
        return []
    _, entries = post(step.before.balances, event.transfers)
    return [
        (
            recorded.position,
            ordinal,
            entry.transfer.source,
            entry.transfer.target,
            entry.transfer.amount,
            entry.transfer.unit,
            entry.transfer.rule,
            entry.source_balance,
            entry.target_balance,
        )
        for ordinal, entry in enumerate(entries)
    ]


def hand_rows(steps: Sequence[Step]) -> list[tuple[int, int, int]]:
    """Return number, first and last position of the hand that the command of *steps* settled, if it did.

    All that the settling command made is the hand's, the next shuffle included.
    """
    return [
        (step.after.state.hand, step.after.hand_first, steps[-1].recorded.position)
        for step in steps
        if step.before.hand_is_running and not step.after.state.hand_is_running
    ]


def table_row(opened_at: str, state: TableState) -> dict[str, Any]:
    """Return the row of a table without its stream."""
    return {
        "game": state.game,
        "edition": state.edition,
        "status": state.status,
        "visibility": state.visibility,
        "host": state.host,
        "seats": state.seats,
        "seats_taken": len(state.players),
        "time_limit_seconds": state.time_limit_seconds,
        "opened_at": opened_at,
    }


def _record_seats(
    connection: Connection, stream_id: bytes, before: Mapping[int, str], after: Mapping[int, str]
) -> None:
    for seat in before.keys() - after.keys():
        connection.execute(delete(seats).where(seats.c.stream_id == stream_id, seats.c.seat == seat))
    new = [(stream_id, seat, player) for seat, player in after.items() if before.get(seat) != player]
    if new:
        insert_rows(connection, "seats", ("stream_id", "seat", "player"), new)
