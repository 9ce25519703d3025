"""Tables as a caller may know them."""

import re
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.event_store.codec import RecordedEvent
from service.games.table_state import seat_of
from service.http.operations import request_cost
from service.http.problems.problem import Problem
from service.http.request.context import Caller, request_context
from service.http.request.services import services
from service.projections import hand_positions
from service.tables import visibility
from service.tables.envelopes import EventItem, with_openings
from service.tables.fold import TableAt
from service.tables.sealed_store import Hidden, Opened

_TABLE: Final = re.compile("tbl_([0-9a-f]{32})", re.ASCII)


class PositionQuery(Struct, frozen=True):
    """Which position to look at."""

    at: Annotated[
        int, Meta(ge=0, le=2**31 - 1, description="The table as it stood at this position; 0: as it stands.")
    ] = 0


def stream_of(table: str) -> bytes:
    """Return the stream of the table with the id *table*.

    Raises:
        Problem: no table has such an id.
    """
    found = _TABLE.fullmatch(table)
    if found is None:
        raise Problem("table_must_exist")
    request_context().table = table
    return bytes.fromhex(found[1])


def current_table(connection: Connection, stream_id: bytes, caller: Caller) -> TableAt:
    """Return the table as it stands.

    Raises:
        Problem: there is none, or none that *caller* may know of.
        StreamCorrupted: its log does not hold so far.
    """
    table_at = intact_table(connection, stream_id, caller)
    must_be_intact(table_at)
    return table_at


def must_be_intact(table_at: TableAt) -> None:
    """Pass a table as it stands, not as it stood before its log ceased to hold.

    Raises:
        StreamCorrupted: it is not known how it stands.
    """
    if table_at.broken_at:
        services().log.damages.must_not_have(table_at.stream_id)


def intact_table(connection: Connection, stream_id: bytes, caller: Caller) -> TableAt:
    """Return the table as it stands, or as it stood where its log was still whole.

    Raises:
        Problem: there is none, or none that *caller* may know of.
        StreamCorrupted: not even its first event holds.
    """
    table_at = services().tables.now(connection, stream_id)
    if table_at is None or not visibility.may_know(table_at.state, caller.owner, reads_all=caller.reads_all):
        raise Problem("table_must_exist")
    request_context().position = table_at.position
    return table_at


def hidden(connection: Connection, table_at: TableAt) -> Hidden:
    """Return what finds what a table hides, for `sight` to show from."""
    return Opened(services().vault, connection, table_at)


def viewing_seat(table_at: TableAt, caller: Caller) -> int:
    """Return the seat whose cards *caller* may see: its own, by a key that may play; 0: none."""
    return seat_of(table_at.state, caller.owner) if "play" in caller.scopes else 0


def visible_events(
    connection: Connection, table_at: TableAt, caller: Caller, recorded: Sequence[RecordedEvent]
) -> tuple[EventItem, ...]:
    """Return the events *recorded* as *caller* may see them."""
    if not recorded:
        return ()
    seat, found = viewing_seat(table_at, caller), hidden(connection, table_at)
    before = hand_positions.silence_before(connection, services().log, table_at, recorded[0].position)
    return with_openings(
        recorded, visibility.openings(recorded, seat, found), visibility.fields(recorded, before, seat, found)
    )


def checked_position(table_at: TableAt, at: int) -> int:
    """Return the position to look at: *at*, or where the table stands if that is 0.

    Raises:
        Problem: the table has not come there yet.
        StreamCorrupted: its log does not hold so far.
    """
    if not at or at > table_at.position:
        must_be_intact(table_at)
    if at > table_at.position:
        raise Problem("position_must_exist", f"The table stands at {table_at.position}.")
    return at or table_at.position


def past_table(connection: Connection, table_at: TableAt, at: int) -> TableAt:
    """Return the table of *table_at* as it stood at the position *at*; 0: as it stands.

    Raises:
        Problem: the table has not come there yet.
        StreamCorrupted: its log does not hold so far.
    """
    position = request_context().position = checked_position(table_at, at)
    if not at:
        return table_at
    request_cost.add(request_cost.PAST_STATE_UNITS)
    past = services().tables.then(connection, table_at, position)
    assert past is not None  # noqa: S101 -- for mypy: position 1 was passed long ago
    return past
