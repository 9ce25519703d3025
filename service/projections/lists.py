"""Lists the tables that a caller may know of, and the settled hands of a table (DECISIONS 59)."""

from itertools import chain
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, not_, or_, select

from service.database.spread.node_readers import Reach
from service.database.spread.spread_check import is_spread
from service.event_store import leaf
from service.event_store.log_tables import events, streams, unfinished_imports
from service.projections.projection_tables import hands, seats, tables
from service.projections.seats_and_invitations import invitations_of, seats_ever_of, seats_of
from service.projections.swap_guard import require_current_projections


class ListedTable(Struct, frozen=True, kw_only=True):
    """A table in a list; *is_invited*: the caller has an open invitation to this table.

    *last_at* is the time of the table's last event; "": the event is missing or can't be read.
    """

    stream_id: bytes
    game: str
    edition: int
    status: str
    visibility: str
    host: str
    seats: int
    seats_taken: int
    time_limit_seconds: int
    opened_at: str
    last_at: str
    imported_at: str
    is_invited: bool


class TableFilter(Struct, frozen=True, kw_only=True):
    """Selects the tables that *caller* may know of, or, with *all_tables*, all tables.

    *audited* are the stream ids of further tables that *caller* may know of, because the caller's key names these
    tables. *status* and *game*, if set, restrict the list. *only_own*: only tables that the caller hosts or has a seat
    at. *only_played*: only tables that the caller hosts, or at which it has or had a seat. *only_invited*: only tables
    to which the caller is invited.
    """

    caller: str
    all_tables: bool
    audited: tuple[bytes, ...] = ()
    only_own: bool = False
    only_played: bool = False
    only_invited: bool = False
    status: str = ""
    game: str = ""


def newest_tables(
    connection: Connection, table_filter: TableFilter, before: tuple[str, bytes] | None, limit: int
) -> tuple[ListedTable, ...]:
    """Return at most *limit* tables, newest first.

    *before* is an opening time and a stream id: the list begins after the table that has both. None: the list begins
    with the newest table.
    """
    require_current_projections(connection)
    c = tables.c
    is_invited = c.stream_id.in_(_looked_up(connection, invitations_of(table_filter.caller)))
    is_audited = c.stream_id.in_(table_filter.audited)
    own = or_(c.host == table_filter.caller, c.stream_id.in_(_looked_up(connection, seats_of(table_filter.caller))))
    computed = {"last_at", "imported_at", "is_invited"}
    listed = [c[name] for name in ListedTable.__struct_fields__ if name not in computed]
    imported_at = func.coalesce(streams.c.imported_at, "").label("imported_at")
    statement = select(*listed, imported_at, is_invited.label("is_invited"), events.c.leaf)
    statement = statement.join(streams, streams.c.stream_id == c.stream_id).where(not_(_IS_UNFINISHED_IMPORT))
    is_last = and_(events.c.stream_id == c.stream_id, events.c.position == streams.c.head)
    statement = statement.outerjoin(events, is_last)
    if table_filter.only_own:
        statement = statement.where(own)
    elif table_filter.only_played:
        played = c.stream_id.in_(_looked_up(connection, seats_ever_of(table_filter.caller)))
        statement = statement.where(or_(c.host == table_filter.caller, played))
    elif not table_filter.all_tables:
        statement = statement.where(or_(c.visibility == "public", own, is_invited, is_audited))
    if table_filter.only_invited:
        statement = statement.where(is_invited)
    if table_filter.status:
        statement = statement.where(c.status == table_filter.status)
    if table_filter.game:
        statement = statement.where(c.game == table_filter.game)
    if before is not None:
        at, stream_id = before
        statement = statement.where(or_(c.opened_at < at, and_(c.opened_at == at, c.stream_id < stream_id)))
    statement = statement.order_by(c.opened_at.desc(), c.stream_id.desc()).limit(limit)
    return tuple(_listed(row._asdict()) for row in connection.execute(statement))


def newest_reachable(
    reach: Reach, table_filter: TableFilter, before: tuple[str, bytes] | None, limit: int
) -> tuple[ListedTable, ...]:
    """Return what `newest_tables` returns, without the tables of nodes that are down (DECISIONS 138)."""
    found = reach.each(lambda connection: newest_tables(connection, table_filter, before, limit))
    newest_first = sorted(chain(*found), key=lambda one: (one.opened_at, one.stream_id), reverse=True)
    return tuple(newest_first[:limit])


def _looked_up(connection: Connection, rows: Select[tuple[bytes]]) -> Select[tuple[bytes]] | list[bytes]:
    """Return the streams of *rows* as a sub-query, or on a spread database as a list: Citus refuses the sub-query."""
    return list(connection.scalars(rows)) if is_spread(connection) else rows


def _listed(members: dict[str, Any]) -> ListedTable:
    last = members.pop("leaf")
    try:
        last_at = leaf.decode(last).at if last else ""
    except leaf.Malformed:
        last_at = ""
    return ListedTable(**members, last_at=last_at)


def tables_of(connection: Connection, owner: str) -> Select[tuple[bytes]]:
    """Return a query for the streams of the tables that *owner* hosts or has a seat at."""
    require_current_projections(connection)
    return select(tables.c.stream_id).where(_is_own(owner))


def _is_own(owner: str) -> ColumnElement[bool]:
    return or_(tables.c.host == owner, tables.c.stream_id.in_(seats_of(owner)))


def hosts_unfinished(reach: Reach, host: str, most: int) -> bool:
    """Return whether *host* has at least *most* unfinished tables; nodes that are down are left out (DECISIONS 24)."""
    own = select(tables.c.stream_id).where(tables.c.host == host)
    return _are_as_many(reach, own, most) and _are_as_many(reach, own.where(_IS_UNFINISHED), most)


def sits_at_unfinished(reach: Reach, player: str, most: int) -> bool:
    """Return whether *player* has at least *most* seats at unfinished tables; nodes that are down are left out."""
    own = seats_of(player)
    if not _are_as_many(reach, own, most):
        return False
    unfinished = own.join(tables, tables.c.stream_id == seats.c.stream_id).where(_IS_UNFINISHED)
    return _are_as_many(reach, unfinished, most)


def settled_hands(connection: Connection, stream_id: bytes, after: int, limit: int) -> tuple[tuple[int, int, int], ...]:
    """Return the number, first and last position of the first *limit* settled hands with a number above *after*."""
    require_current_projections(connection)
    statement = (
        select(hands.c.hand, hands.c.first, hands.c.last)
        .where(hands.c.stream_id == stream_id, hands.c.hand > after)
        .order_by(hands.c.hand)
        .limit(limit)
    )
    return tuple((row.hand, row.first, row.last) for row in connection.execute(statement))


_IS_UNFINISHED_IMPORT: Final = exists().where(unfinished_imports.c.stream_id == tables.c.stream_id)
_IS_IMPORTED: Final = exists().where(
    and_(streams.c.stream_id == tables.c.stream_id, streams.c.imported_at.is_not(None))
)
_IS_UNFINISHED: Final = and_(tables.c.status.in_(("open", "playing")), not_(_IS_IMPORTED))
"""Whether a table counts as unfinished. Imported tables never count, since nobody can close them here."""


def _are_as_many(reach: Reach, rows: Select[Any], most: int) -> bool:
    """Return whether *rows* has at least *most* rows; at each node, the count stops at *most*."""
    counted = select(func.count()).select_from(rows.limit(most).subquery())

    def count(connection: Connection) -> int:
        require_current_projections(connection)
        return connection.execute(counted).scalar_one()

    return sum(reach.each(count)) >= most
