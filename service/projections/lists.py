"""Lists: the tables that somebody may know of, and the settled hands of one."""

from msgspec import Struct
from sqlalchemy import Connection, and_, exists, or_, select

from service.projections.tables import hands, seats, tables


class ListedTable(Struct, frozen=True, kw_only=True):
    """A table as a list has it."""

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


class Wanted(Struct, frozen=True, kw_only=True):
    """Which tables: those that *asker* may know, or *everything*; of a *status* and a *game*, if they are given."""

    asker: str
    everything: bool
    only_own: bool = False
    status: str = ""
    game: str = ""


def newest_tables(
    connection: Connection, wanted: Wanted, before: tuple[str, bytes] | None, limit: int
) -> tuple[ListedTable, ...]:
    """Return tables from the newest on; with *before*, only those listed after the one with this time and stream."""
    c = tables.c
    sits_there = exists().where(and_(seats.c.stream_id == c.stream_id, seats.c.player == wanted.asker))
    own = or_(c.host == wanted.asker, sits_there)
    statement = select(*(c[name] for name in ListedTable.__struct_fields__))
    if wanted.only_own:
        statement = statement.where(own)
    elif not wanted.everything:
        statement = statement.where(or_(c.visibility == "public", own))
    if wanted.status:
        statement = statement.where(c.status == wanted.status)
    if wanted.game:
        statement = statement.where(c.game == wanted.game)
    if before is not None:
        at, stream_id = before
        statement = statement.where(or_(c.opened_at < at, and_(c.opened_at == at, c.stream_id < stream_id)))
    statement = statement.order_by(c.opened_at.desc(), c.stream_id.desc()).limit(limit)
    return tuple(ListedTable(**row._asdict()) for row in connection.execute(statement))


def settled_hands(connection: Connection, stream_id: bytes, after: int, limit: int) -> tuple[tuple[int, int, int], ...]:
    """Return number, first and last position of each settled hand of a table, from the number after *after* on."""
    statement = (
        select(hands.c.hand, hands.c.first, hands.c.last)
        .where(hands.c.stream_id == stream_id, hands.c.hand > after)
        .order_by(hands.c.hand)
        .limit(limit)
    )
    return tuple((row.hand, row.first, row.last) for row in connection.execute(statement))
