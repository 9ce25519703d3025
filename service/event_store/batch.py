"""Many streams advanced at once: commands of different tables, recorded by as few statements as one."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection

from service.database import sql
from service.database.sql import Insert, Row
from service.event_store.entries import Entry


class RowsToInsert(Struct, frozen=True):
    """*rows* to be added by an *insert*, each of a stream that its first column names."""

    insert: Insert
    rows: Sequence[Row]


def write(connection: Connection, entries: Sequence[Entry], rows: Sequence[RowsToInsert]) -> frozenset[bytes]:
    """Advance the streams of *entries*, each of another one, and add their *rows*; return the streams that were free.

    Nothing is written of a stream that does not stand any more where its entry begins, or whose row somebody else
    holds: nobody is waited for. On PostgreSQL all of it is one statement.
    """
    heads = [
        (one.stream_id, one.recorded[-1].position, one.recorded[-1].hash, one.head.position, one.head.hash)
        for one in entries
    ]
    added = [one for one in rows if one.rows]
    if connection.dialect.name == "postgresql":
        columns = [*sql.column_arrays(_NEW.values(), heads)]
        for one in added:
            columns += sql.column_arrays(one.insert.types, one.rows)
        found = connection.exec_driver_sql(_at_once(tuple([one.insert for one in added])), tuple(columns))
        return frozenset(bytes(row.stream_id) for row in found)
    flat = tuple([value for row in heads for value in row])
    found = connection.exec_driver_sql(_advance(sql.values_clause(len(_NEW), len(heads), "?")), flat)
    advanced = frozenset(row.stream_id for row in found)
    for one in added:
        one.insert.run(connection, [row for row in one.rows if row[0] in advanced])
    return advanced


_NEW: Final = {"stream_id": "BYTEA", "head": "INTEGER", "hash": "BYTEA", "old_head": "INTEGER", "old_hash": "BYTEA"}
_FREE: Final = (
    " AND streams.stream_id IN"
    " (SELECT free.stream_id FROM streams AS free JOIN new USING (stream_id) FOR UPDATE OF free SKIP LOCKED)"
)


def _advance(rows: str, only: str = "") -> str:
    return (
        f"WITH new ({', '.join(_NEW)}) AS ({rows})"  # noqa: S608  # Our names, and marks.
        " UPDATE streams SET head = new.head, head_hash = new.hash FROM new"
        " WHERE streams.stream_id = new.stream_id AND streams.head = new.old_head"
        f" AND streams.head_hash = new.old_hash AND streams.imported_at IS NULL{only}"
        " RETURNING streams.stream_id"
    )


@cache
def _at_once(inserts: tuple[Insert, ...]) -> str:
    """Return PostgreSQL's statement that advances streams and makes *inserts* for those that it did advance."""
    new = f"SELECT * FROM {sql.unnest_clause(_NEW.values())}"  # noqa: S608  # Our types.
    parts = [f"advanced AS ({_advance(new, _FREE)})"]
    parts += [
        f"{one.name}_ AS (INSERT INTO {one.name} ({one.columns})"  # noqa: S608  # Our names.
        f" SELECT added.* FROM {one.arrays} AS added ({one.columns})"
        " JOIN advanced ON advanced.stream_id = added.stream_id)"
        for one in inserts
    ]
    return f"WITH {', '.join(parts)} SELECT stream_id FROM advanced"  # noqa: S608  # Our names.
