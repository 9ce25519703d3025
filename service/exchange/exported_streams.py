"""Finds the streams that an export has: each table, with its disputes right after it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlalchemy import Connection, Engine, exists, select

from service.database.engines import reading
from service.database.metadata import LAST_TABLE
from service.database.partitions import ALL_TABLES
from service.event_store import log_tables
from service.event_store.entries import disputes_stream
from service.event_store.log_tables import IS_OF_DISPUTES

_PAGE: Final = 1_000


class CannotExport(Exception):
    """The table does not exist, or its import is not finished. The message names the reason."""


class TableStreams(NamedTuple):
    """The id of a table's stream, and the id of the stream of the table's *disputes* (None: the table has no disputes).

    For disputes whose table is missing, *stream_id* is the id of their stream, and *disputes* is None.
    """

    stream_id: bytes
    disputes: bytes | None


def of_table(engine: Engine, stream_id: bytes) -> TableStreams:
    """Return *stream_id*, and the stream of the table's disputes if there is one.

    Raises:
        CannotExport: there is no such stream, or the import of the stream is not finished.
    """
    with reading(engine) as connection:
        unfinished = log_tables.unfinished_imports
        if connection.execute(select(unfinished.c.stream_id).where(unfinished.c.stream_id == stream_id)).first():
            raise CannotExport(f"The import of tbl_{stream_id.hex()} is not finished: import its file again.")
        for table in (log_tables.streams, log_tables.events):
            if connection.execute(select(table.c.stream_id).where(table.c.stream_id == stream_id).limit(1)).first():
                disputes = disputes_stream(stream_id)
                return TableStreams(stream_id, disputes if disputes in _of_disputes(connection) else None)
    raise CannotExport(f"There is no table tbl_{stream_id.hex()}.")


def every(engine: Engine) -> Iterator[TableStreams]:
    """Yield the streams of all tables in the order of their ids, except tables whose import is not finished.

    A table whose row in `streams` is missing is yielded too, if it has events. Each table comes with its disputes;
    streams of disputes without a table come at the end.
    """
    with reading(engine) as connection:
        left = _of_disputes(connection)
    streams, events = log_tables.streams.c.stream_id, log_tables.events.c.stream_id
    after, has_more = ALL_TABLES.after, True
    while has_more:
        with reading(engine) as connection:
            page = connection.scalars(
                select(streams)
                .where(streams > after, streams <= ALL_TABLES.last, ~_IS_UNFINISHED)
                .order_by(streams)
                .limit(_PAGE)
            ).all()
            has_more = len(page) == _PAGE
            last = page[-1] if has_more else ALL_TABLES.last
            headless = select(events).where(events > after, events <= last, ~exists().where(streams == events))
            stream_ids = {bytes(one) for one in (*page, *connection.scalars(headless.distinct()))}
        for stream_id in sorted(stream_ids):
            disputes = disputes_stream(stream_id)
            yield TableStreams(stream_id, disputes if disputes in left else None)
            left.discard(disputes)
        after = last
    yield from (TableStreams(one, None) for one in sorted(left))


def _of_disputes(connection: Connection) -> set[bytes]:
    """Return the streams of disputes, including those without a row in `streams`."""
    streams, events = log_tables.streams.c.stream_id, log_tables.events.c.stream_id
    found = connection.scalars(select(streams).where(IS_OF_DISPUTES)).all()
    return {bytes(one) for one in (*found, *connection.scalars(select(events).where(events > LAST_TABLE).distinct()))}


_IS_UNFINISHED: Final = exists().where(log_tables.unfinished_imports.c.stream_id == log_tables.streams.c.stream_id)
