"""Finds tables, and shows only what the caller may see."""

import re
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.database.metadata import LAST_TABLE
from service.event_store.codec import RecordedEvent
from service.event_store.entries import is_of_table
from service.event_store.quarantine import StreamCorrupted
from service.games.table_state import seat_of
from service.http.operations import request_cost
from service.http.problems.problem import Problem
from service.http.request.context import Caller, request_context
from service.http.request.services import services
from service.projections import hand_positions
from service.tables import visibility
from service.tables.cache import Seen
from service.tables.envelopes import EventItem, with_openings
from service.tables.fold import TableAt, table_id
from service.tables.sealed_store import TableUnsealer, Unsealer

_TABLE: Final = re.compile("tbl_([0-9a-f]{32})", re.ASCII)
_NO_TABLE: Final = LAST_TABLE


class PositionQuery(Struct, frozen=True):
    """Selects a position of the table."""

    at: Annotated[int, Meta(ge=0, le=2**31 - 1, description="The position to show; 0: the present position.")] = 0


def stream_of(table: str) -> bytes:
    """Return the stream id of the table with the id *table*.

    Raises:
        Problem: *table* does not have the form of a table's id.
    """
    match = _TABLE.fullmatch(table)
    if match is None:
        raise Problem("table_must_exist")
    request_context().table = table
    stream_id = bytes.fromhex(match[1])
    # For the id of a stream that is not a table's, return an id that no table has, so that no table is found.
    return stream_id if is_of_table(stream_id) else _NO_TABLE


def current_table(connection: Connection, stream_id: bytes, caller: Caller) -> TableAt:
    """Return the table at its latest position.

    Raises:
        Problem: there is no such table, or *caller* may not see it.
        StreamCorrupted: the table's stream is damaged.
    """
    table_at = intact_table(connection, stream_id, caller)
    must_be_intact(table_at)
    return table_at


def must_be_intact(table_at: TableAt) -> None:
    """Check that *table_at* is at the table's latest position, and not at the last position before damage in the log.

    Raises:
        StreamCorrupted: the table's stream is damaged.
    """
    if table_at.broken_at:
        services().log.quarantine.require_sound(table_at.stream_id)


def intact_table(connection: Connection, stream_id: bytes, caller: Caller) -> TableAt:
    """Return the table at its latest position, or, if its log is damaged, at its last intact position.

    Raises:
        Problem: there is no such table, or *caller* may not see it.
        StreamCorrupted: the log is damaged from its first event on.
    """
    table_at = known_table(connection, stream_id, caller)
    if table_at is None:
        raise Problem("table_must_exist")
    request_context().position = table_at.position
    return table_at


def known_table(connection: Connection, stream_id: bytes, caller: Caller, seen: Seen | None = None) -> TableAt | None:
    """Return the same table as `intact_table`, or None if there is no such table or *caller* may not see it.

    *seen* is as for `TableCache.current`.

    Raises:
        StreamCorrupted: the log is damaged from its first event on.
    """
    table_at = services().tables.current(connection, stream_id, seen)
    return table_at if table_at is not None and is_visible(table_at, caller) else None


def must_be_visible(table_at: TableAt, caller: Caller) -> None:
    """Check that *caller* may see the table *table_at*, which was read for other callers too.

    Raises:
        Problem: *caller* may not see the table.
    """
    if not is_visible(table_at, caller):
        raise Problem("table_must_exist")
    request_context().position = table_at.position


def is_visible(table_at: TableAt, caller: Caller) -> bool:
    """Return whether *caller* may see the table."""
    audits = caller.audits(table_id(table_at.stream_id))
    return visibility.may_know(table_at.state, caller.owner, reads_all=audits)


def audited_streams(caller: Caller) -> tuple[bytes, ...]:
    """Return the stream ids of the tables that the limits of the caller's key name; empty: the key has no limits."""
    tables = {limit.partition("/")[0] for limit in caller.limits}
    return tuple(sorted(bytes.fromhex(table.removeprefix("tbl_")) for table in tables))


def hidden(connection: Connection, table_at: TableAt) -> Unsealer:
    """Return the unsealer of the table's hidden values; `visibility` decides which of them a caller may see."""
    return TableUnsealer(services().sealed_store, lambda: connection, table_at)


def viewing_seat(table_at: TableAt, caller: Caller) -> int:
    """Return the seat whose cards *caller* may see: its own seat, if its key has the scope play; 0: no seat."""
    return seat_of(table_at.state, caller.owner) if "play" in caller.scopes else 0


def visible_events(
    connection: Connection, table_at: TableAt, caller: Caller, recorded: Sequence[RecordedEvent]
) -> tuple[EventItem, ...]:
    """Return the *recorded* events as *caller* may see them.

    Raises:
        StreamCorrupted: a sealed value that the events disclose is missing or altered.
    """
    if not recorded:
        return ()
    seat, values = viewing_seat(table_at, caller), hidden(connection, table_at)
    before = hand_positions.disclosure_before(connection, services().log, table_at, recorded[0].position)
    return with_openings(
        recorded,
        visibility.card_openings(recorded, seat, values),
        visibility.disclosed_fields(recorded, before, seat, values),
    )


def sound_events(connection: Connection, table_at: TableAt, after: int, limit: int) -> Sequence[RecordedEvent]:
    """Return at most *limit* events after the position *after*; if the log is damaged, only those before the damage.

    Raises:
        StreamCorrupted: the log is damaged, and no intact event follows *after*.
    """
    if after >= table_at.position:
        must_be_intact(table_at)
    try:
        return services().log.reader.read(connection, table_at.stream_id, after, limit, head=table_at.head)
    except StreamCorrupted as error:
        if not error.sound_events:
            raise
        return error.sound_events


def sound_items(
    connection: Connection, table_at: TableAt, caller: Caller, recorded: Sequence[RecordedEvent]
) -> tuple[Sequence[RecordedEvent], tuple[EventItem, ...]]:
    """Return the *recorded* events, and the same events as *caller* may see them.

    If an event discloses a sealed value that is missing or altered, return only the events before that event.

    Raises:
        StreamCorrupted: the first event discloses such a value.
    """
    try:
        return recorded, visible_events(connection, table_at, caller, recorded)
    except StreamCorrupted as error:
        damage = error
    intact, broken, items = 0, len(recorded), tuple[EventItem, ...]()
    while broken - intact > 1:  # The first `intact` events can all be shown; one of the first `broken` events can't.
        middle = (intact + broken) // 2
        try:
            items = visible_events(connection, table_at, caller, recorded[:middle])
            intact = middle
        except StreamCorrupted:
            broken = middle
    if not intact:
        raise damage
    return recorded[:intact], items


def checked_position(table_at: TableAt, at: int) -> int:
    """Return *at*, or the table's latest position if *at* is 0.

    Raises:
        Problem: the table has not reached this position.
        StreamCorrupted: the table's stream is damaged at or before this position, or anywhere if *at* is 0.
    """
    if not at or at > table_at.position:
        must_be_intact(table_at)
    if at > table_at.position:
        raise Problem("position_must_exist", f"The table is at position {table_at.position}.")
    return at or table_at.position


def must_have_event(table_at: TableAt, position: int) -> None:
    """Check that the table has an intact event at *position*.

    Raises:
        Problem: the table has no event at *position*.
        StreamCorrupted: the table's stream is damaged at or before this position.
    """
    if not position:
        raise Problem("position_must_exist", "The first event has position 1.")
    checked_position(table_at, position)


def past_table(connection: Connection, table_at: TableAt, at: int) -> TableAt:
    """Return the table at the position *at*; 0: *table_at* itself.

    Raises:
        Problem: the table has not reached this position.
        StreamCorrupted: the table's stream is damaged at or before this position, or anywhere if *at* is 0.
    """
    position = request_context().position = checked_position(table_at, at)
    if not at:
        return table_at
    request_cost.add(request_cost.PAST_STATE_UNITS)
    past = services().tables.at_position(connection, table_at, position)
    assert past is not None  # noqa: S101 -- this tells mypy that the position exists
    return past
