"""Who sees a table's disputes: all who see the table, and players of a disputed hand who have left the table (D.2)."""

# DECISIONS 108

from collections.abc import Collection

from sqlalchemy import Connection

from service.disputes import stored_disputes
from service.http.problems.problem import Problem
from service.http.request import visible_tables
from service.http.request.context import Caller, request_context
from service.http.request.services import services


def own_disputes(connection: Connection, stream_id: bytes, caller: Caller) -> Collection[int] | None:
    """Return the numbers of the disputes in which *caller* is a party; None: all, because the caller sees the table.

    Raises:
        Problem: there is no such table, or the caller neither sees the table nor is a party to any of its disputes.
        StreamCorrupted: the log of the table is damaged from its first event on, or its disputes are damaged.
    """
    if _sees_table(connection, stream_id, caller):
        return None
    if not caller.owner:
        raise Problem("table_must_exist")
    stored = stored_disputes.read_disputes(connection, services().desk.log, stream_id)
    own = {number for number, dispute in stored.state.disputes.items() if caller.owner in dispute.owners}
    if not own:
        raise Problem("table_must_exist")
    return own


def must_see(connection: Connection, stream_id: bytes, number: int, caller: Caller) -> None:
    """Check that *caller* may see the dispute *number* of the table, if there is such a dispute.

    Raises:
        Problem: the caller may not see the dispute, or there is no such table.
        StreamCorrupted: as for `own_disputes`.
    """
    own = own_disputes(connection, stream_id, caller)
    if own is not None and number not in own:
        raise Problem("dispute_must_exist")


def must_see_event(connection: Connection, stream_id: bytes, position: int, caller: Caller) -> None:
    """Check that the disputes of the table have an event at *position*, of a dispute that *caller* sees.

    Raises:
        Problem: there is no such event, *caller* does not see the dispute, or there is no such table.
        StreamCorrupted: as for `own_disputes`.
    """
    own = own_disputes(connection, stream_id, caller)
    is_seen = 1 <= position <= stored_disputes.head_of(connection, stream_id).position
    if is_seen and own is not None:
        stored = stored_disputes.read_disputes(connection, services().desk.log, stream_id)
        is_seen = stored.number_at(position) in own
    if not is_seen:
        raise Problem("position_must_exist", "The disputes that you see at this table have no event at this position.")


def must_see_hand(connection: Connection, stream_id: bytes, hand: int, caller: Caller) -> None:
    """Check that *caller* sees the table, or played the hand with the number *hand* there.

    Raises:
        Problem: the caller neither sees the table nor played the hand, or there is no such table.
        StreamCorrupted: the log of the table is damaged from its first event on.
    """
    if _sees_table(connection, stream_id, caller):
        return
    if not caller.owner or not services().desk.played(connection, stream_id, hand, caller.owner):
        raise Problem("table_must_exist")


def _sees_table(connection: Connection, stream_id: bytes, caller: Caller) -> bool:
    table_at = visible_tables.known_table(connection, stream_id, caller)
    if table_at is not None:
        request_context().position = table_at.position
    return table_at is not None
