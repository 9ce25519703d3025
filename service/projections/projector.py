"""The projector: updates the projections in the transaction that records the command."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, delete, exists, insert, update

from service.database.sql import Insert, Row
from service.event_store.batch import RowsToInsert
from service.event_store.codec import RecordedEvent
from service.event_store.log_tables import events
from service.event_store.quarantine import StreamReplaced
from service.games.table_state import TableState
from service.projections.projection_tables import hands, seats, tables, transfers
from service.projections.seats_and_invitations import rows_of_left, seat_and_invitation_rows
from service.tables.fold import Step

_TRANSFERS: Final = Insert(
    transfers,
    "stream_id",
    "ordinal",
    "position",
    "amount",
    "source_balance",
    "target_balance",
    "source",
    "target",
)
_HANDS: Final = Insert(hands, "stream_id", "hand", "first", "last")
_SEATS: Final = Insert(seats, "stream_id", "seat", "player")


class Changes(Struct, frozen=True):
    """The changes that one command or several make to the projections.

    *transfers*, *hands* and *seats* are new rows. *left* has the column `seat` of the rows to delete from `seats`: the
    rows of seats that players have left, even if other players have these seats now, and of invitations that have
    ended. *opened* is the row of a new card table in `tables`; empty: the card table is not new. *table* has new values
    for the row of an existing card table; empty: the row need not be written.
    """

    stream_id: bytes
    transfers: Sequence[Row]
    hands: Sequence[Row]
    seats: Sequence[Row]
    left: Sequence[int]
    opened: Mapping[str, Any]
    table: Mapping[str, Any]

    @property
    def is_plain(self) -> bool:
        """Whether the changes are only new rows that `added_rows` returns."""
        return not (self.seats or self.left or self.opened or self.table)


def changes(stream_id: bytes, steps: Sequence[Step]) -> Changes:
    """Return the changes that *steps*, the events of one command, make."""
    before, after = steps[0].before, steps[-1].after.state
    is_new = before.status == "new"
    is_same = before.players is after.players and before.invited is after.invited
    old, new = ({}, {}) if is_same else (seat_and_invitation_rows(before), seat_and_invitation_rows(after))
    taken = [(seat, player) for seat, player in new.items() if old.get(seat) != player]
    is_changed = (before.status, len(before.players)) != (after.status, len(after.players))
    return Changes(
        stream_id=stream_id,
        transfers=[(stream_id, *row) for step in steps for row in transfer_rows(step)],
        hands=[(stream_id, *row) for row in hand_rows(steps)],
        seats=[(stream_id, *row) for row in (*taken, *(() if is_same else rows_of_left(steps)))],
        left=[seat for seat in old if seat not in new],
        opened={"stream_id": stream_id, **table_row(steps[0].recorded.at, after)} if is_new else {},
        table={"status": after.status, "seats_taken": len(after.players)} if is_changed and not is_new else {},
    )


def changes_of_many(stream_id: bytes, commands: Sequence[Sequence[Step]]) -> Changes:
    """Return the changes that successive *commands* of one stream make together."""
    each = [changes(stream_id, steps) for steps in commands]
    before, after = commands[0][0].before, commands[-1][-1].after.state
    old, new = seat_and_invitation_rows(before), seat_and_invitation_rows(after)
    taken = [(seat, player) for seat, player in new.items() if old.get(seat) != player]
    earlier = [row for steps in commands for row in rows_of_left(steps)]
    opened = {**each[0].opened, "status": after.status, "seats_taken": len(after.players)} if each[0].opened else {}
    return Changes(
        stream_id=stream_id,
        transfers=[row for one in each for row in one.transfers],
        hands=[row for one in each for row in one.hands],
        seats=[(stream_id, *row) for row in (*taken, *earlier)],
        left=[seat for seat, player in old.items() if new.get(seat) != player],
        opened=opened,
        table={} if opened else {"status": after.status, "seats_taken": len(after.players)},
    )


def added_rows(many: Sequence[Changes]) -> tuple[RowsToInsert, ...]:
    """Return the rows of transfers and hands that the changes in *many* add."""
    moved = [row for one in many for row in one.transfers]
    return RowsToInsert(_TRANSFERS, moved), RowsToInsert(_HANDS, [row for one in many for row in one.hands])


def write_changes(connection: Connection, changed: Changes) -> None:
    """Write *changed* to the projections."""
    for one in added_rows([changed]):
        one.insert.run(connection, one.rows)
    for seat in changed.left:
        connection.execute(delete(seats).where(seats.c.stream_id == changed.stream_id, seats.c.seat == seat))
    _SEATS.run(connection, changed.seats)
    if changed.opened:
        connection.execute(insert(tables), changed.opened)
    if changed.table:
        connection.execute(update(tables).where(tables.c.stream_id == changed.stream_id).values(changed.table))


def wait_until_durable(connection: Connection, stream_id: bytes, repeated: RecordedEvent) -> None:
    """Make the commit of this transaction wait until the recorded event *repeated* is durable (DECISIONS 41 and 73).

    Another process may have committed the event and died before the commit was synced, or before the synchronous
    standby had the commit. This update changes no value, but its commit waits for all earlier commits. The update also
    checks that the event is still in the log, because a failover may have lost the event after it was read.

    Raises:
        StreamReplaced: the event is no longer in the log.
    """
    is_there = exists().where(
        events.c.stream_id == stream_id, events.c.position == repeated.position, events.c.leaf == repeated.leaf
    )
    same = update(tables).where(tables.c.stream_id == stream_id, is_there).values(status=tables.c.status)
    if connection.execute(same).rowcount != 1:
        raise StreamReplaced(stream_id)


def transfer_rows(step: Step) -> list[tuple[Any, ...]]:
    """Return the rows of *step*'s transfers without `stream_id`; each row has both accounts' new balances."""
    return [
        (
            ordinal,
            step.recorded.position,
            entry.transfer.amount,
            entry.source_balance,
            entry.target_balance,
            entry.transfer.source,
            entry.transfer.target,
        )
        for ordinal, entry in enumerate(step.entries)
    ]


def hand_rows(steps: Sequence[Step]) -> list[tuple[int, int, int]]:
    """Return the hand that *steps*, the events of one command, settled: its number, and its first and last position.

    The list is empty if the command settled no hand.

    The hand includes all events of the command that settles it, even the events of the next shuffle (DECISIONS 7).
    """
    return [
        (step.after.state.hand, step.after.hand_first, steps[-1].recorded.position)
        for step in steps
        if step.before.hand_is_running and not step.after.state.hand_is_running
    ]


def table_row(opened_at: str, state: TableState) -> dict[str, Any]:
    """Return the row of `tables`, without `stream_id`."""
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
