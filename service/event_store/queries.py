"""The SQL statements of the log; every statement that a command runs has the stream as a parameter."""

from typing import Final

from sqlalchemy import Connection, bindparam, select

from service.database.sql import Insert, Sql
from service.event_store import log_tables
from service.event_store.entries import Entry

EVENTS: Final = Insert(log_tables.events, "stream_id", "position", "leaf", "cmd")
SEALED: Final = Insert(log_tables.sealed, "stream_id", "position", "field", "key_id", "nonce", "ciphertext")
OUTBOX: Final = Insert(log_tables.outbox, "stream_id", "position")

CREATE: Final = Sql(
    "INSERT INTO streams (stream_id, head, head_hash, imported_at) VALUES (:stream_id, :head, :head_hash, :imported_at)"
)
IMPORTED: Final = Sql("SELECT imported_at FROM streams WHERE stream_id = :stream_id")
HEAD: Final = Sql("SELECT head, head_hash FROM streams WHERE stream_id = :stream_id")
LOCKED_HEAD: Final = (
    select(log_tables.streams.c.head).where(log_tables.streams.c.stream_id == bindparam("stream_id")).with_for_update()
)
HEADS: Final = select(log_tables.streams.c.stream_id, log_tables.streams.c.head).where(
    log_tables.streams.c.stream_id.in_(bindparam("streams", expanding=True))
)
ADVANCE: Final = Sql(
    "UPDATE streams SET head = :head, head_hash = :head_hash"
    " WHERE stream_id = :stream_id AND head = :old_head AND head_hash = :old_head_hash AND imported_at IS NULL"
)


def advance(connection: Connection, entry: Entry) -> bool:
    """Move the head of the entry's stream from the entry's head to the entry's last event; return whether it moved.

    The stream's head does not move if it differs from the entry's head, or if the stream is imported.
    """
    new = {"head": entry.recorded[-1].position, "head_hash": entry.recorded[-1].hash}
    old = {"old_head": entry.head.position, "old_head_hash": entry.head.hash}
    return ADVANCE.run(connection, {"stream_id": entry.stream_id, **new, **old}).rowcount == 1


IMPORT_BEGUN: Final = Sql("INSERT INTO unfinished_imports (stream_id) VALUES (:stream_id)")
IMPORT_ENDED: Final = Sql("DELETE FROM unfinished_imports WHERE stream_id = :stream_id")
UNFINISHED: Final = Sql("SELECT stream_id FROM unfinished_imports WHERE stream_id = :stream_id")
GROW_IMPORTED: Final = Sql(
    "UPDATE streams SET head = :head, head_hash = :head_hash WHERE stream_id = :stream_id AND imported_at IS NOT NULL"
)
READ: Final = Sql(
    "SELECT leaf FROM events WHERE stream_id = :stream_id AND position > :after ORDER BY position LIMIT :limit"
)
# NEWER_OR_COMMAND uses UNION ALL instead of OR, so that each part uses its index, whatever number of rows the planner
# estimates. The last row of NEWER, and of NEWER_OR_COMMAND, has the hash of the head: one snapshot of the database then
# gives both the newest leaf and the hash that this leaf must have.
NEWER: Final = Sql(
    "SELECT position, leaf FROM events WHERE stream_id = :stream_id AND position > :after"
    " UNION ALL"
    " SELECT 2147483647, head_hash FROM streams WHERE stream_id = :stream_id"
    " ORDER BY position"
)
NEWER_OR_COMMAND: Final = Sql(
    "SELECT position, leaf FROM events WHERE stream_id = :stream_id AND position > :after"
    " UNION ALL"
    " SELECT position, leaf FROM events WHERE stream_id = :stream_id AND cmd = :cmd AND position <= :after"
    " UNION ALL"
    " SELECT 2147483647, head_hash FROM streams WHERE stream_id = :stream_id"
    " ORDER BY position"
)
COMMAND: Final = Sql("SELECT position FROM events WHERE stream_id = :stream_id AND cmd = :cmd")
HIDDEN: Final = Sql(
    "SELECT key_id, nonce, ciphertext FROM sealed"
    " WHERE stream_id = :stream_id AND position = :position AND field = :field"
)
ERASE: Final = Sql("DELETE FROM sealed WHERE stream_id = :stream_id AND position = :position AND field = :field")
SEALED_FIELDS: Final = Sql(
    "SELECT position, field, key_id, nonce, ciphertext FROM sealed"
    " WHERE stream_id = :stream_id AND position BETWEEN :first AND :last ORDER BY position, field"
)
