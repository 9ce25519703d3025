"""Writes the entries of many streams together, with as few statements as the database allows (DECISIONS 44 and 142)."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection

from service.database import sql
from service.database.spread.spread_check import is_spread
from service.database.sql import Insert, Row
from service.event_store import queries
from service.event_store.entries import Entry

# Written for speed: each of eight commands costs PostgreSQL and the client 207 to 252 µs if one statement of arrays
# writes all eight, and 421 to 454 µs if each command has its own statements (service/bench/README.md).


class RowsToInsert(Struct, frozen=True):
    """*rows* for one *insert*; the first value of each row is the id of its stream."""

    insert: Insert
    rows: Sequence[Row]


def write(connection: Connection, entries: Sequence[Entry], rows: Sequence[RowsToInsert]) -> frozenset[bytes]:
    """Move the heads of the streams of *entries*, and insert *rows*; return the ids of the streams that were advanced.

    No two entries may have the same stream. A stream is advanced if its head was moved to the last event of its entry.

    A stream and its rows are skipped if the stream was imported, or if its head is not the head that its entry follows.
    On PostgreSQL, where all of this is one statement, a stream is also skipped if another transaction has locked the
    stream's row. On a spread database this function waits for such a transaction, stream by stream in the order of
    their ids, so that two batches never wait for each other (DECISIONS 130).
    """
    insertions = [insertion for insertion in rows if insertion.rows]
    if is_spread(connection):
        return _insert(connection, insertions, _advance_one_by_one(connection, entries))
    heads = [
        (entry.stream_id, entry.recorded[-1].position, entry.recorded[-1].hash, entry.head.position, entry.head.hash)
        for entry in entries
    ]
    if connection.dialect.name == "postgresql":
        columns = [*sql.column_arrays(_NEW.values(), heads)]
        for insertion in insertions:
            columns += sql.column_arrays(insertion.insert.types, insertion.rows)
        statement = _one_statement(tuple([insertion.insert for insertion in insertions]))
        found = connection.exec_driver_sql(statement, tuple(columns))
        return frozenset(bytes(row.stream_id) for row in found)
    advanced: list[bytes] = []
    for piece in sql.pieces(heads):
        flat = tuple([value for row in piece for value in row])
        found = connection.exec_driver_sql(_advance(sql.values_clause(len(_NEW), len(piece), "?")), flat)
        advanced += [row.stream_id for row in found]
    return _insert(connection, insertions, frozenset(advanced))


def _insert(connection: Connection, insertions: Sequence[RowsToInsert], advanced: frozenset[bytes]) -> frozenset[bytes]:
    """Insert the rows of the *advanced* streams; return these streams."""
    for insertion in insertions:
        insertion.insert.run(connection, [row for row in insertion.rows if row[0] in advanced])
    return advanced


def _advance_one_by_one(connection: Connection, entries: Sequence[Entry]) -> frozenset[bytes]:
    in_order = sorted(entries, key=lambda entry: entry.stream_id)
    return frozenset(entry.stream_id for entry in in_order if queries.advance(connection, entry))


_NEW: Final = {"stream_id": "BYTEA", "head": "INTEGER", "hash": "BYTEA", "old_head": "INTEGER", "old_hash": "BYTEA"}
_UNLOCKED: Final = (
    " AND streams.stream_id IN"
    " (SELECT free.stream_id FROM streams AS free JOIN new USING (stream_id) FOR UPDATE OF free SKIP LOCKED)"
)


def _advance(rows: str, condition: str = "") -> str:
    return (
        f"WITH new ({', '.join(_NEW)}) AS ({rows})"  # noqa: S608  # The names are ours; *rows* has only placeholders.
        " UPDATE streams SET head = new.head, head_hash = new.hash FROM new"
        " WHERE streams.stream_id = new.stream_id AND streams.head = new.old_head"
        f" AND streams.head_hash = new.old_hash AND streams.imported_at IS NULL{condition}"
        " RETURNING streams.stream_id"
    )


@cache
def _one_statement(inserts: tuple[Insert, ...]) -> str:
    """Return PostgreSQL's statement that advances streams, and runs *inserts* for the advanced streams."""
    new = f"SELECT * FROM {sql.unnest_clause(_NEW.values())}"  # noqa: S608  # The types are ours.
    parts = [f"advanced AS ({_advance(new, _UNLOCKED)})"]
    parts += [
        f"{insert.name}_ AS (INSERT INTO {insert.name} ({insert.columns})"  # noqa: S608  # The names are ours.
        f" SELECT added.* FROM {insert.arrays} AS added ({insert.columns})"
        " JOIN advanced ON advanced.stream_id = added.stream_id)"
        for insert in inserts
    ]
    return f"WITH {', '.join(parts)} SELECT stream_id FROM advanced"  # noqa: S608  # The names are ours.
