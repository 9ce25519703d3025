"""The tables of the log: streams, unfinished imports, events, sealed values, the outbox (DECISIONS 13, 22, 38, 97)."""

from typing import Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    and_,
)

from service.database.metadata import (
    LAST_TABLE,
    SERVICE_STREAM,
    SQLITE_OPTIONS,
    about,
    metadata,
    stream_id,
    unique_where_given,
)

CMD_BYTES: Final = 14
"""The column `cmd` has the first 14 bytes of a command's id; the leaf has all 32.

One more byte would cost eight bytes in each entry of PostgreSQL's index. To find an id that collides with another
caller's command in the same stream, a caller would have to try about 2**112 ids. A caller who tries about 2**56 ids can
find two colliding ids of its own; the stream then accepts only one of the two commands.
"""


def command_column(cmd: str) -> bytes | None:
    """Return the value of the column `cmd` for *cmd*, a command's id in hex, or None if *cmd* is empty."""
    return bytes.fromhex(cmd[: 2 * CMD_BYTES]) or None


streams = Table(
    "streams",
    metadata,
    stream_id(),
    Column("head", Integer, nullable=False),
    Column("head_hash", LargeBinary(32), nullable=False),
    Column("imported_at", Text),
    PrimaryKeyConstraint("stream_id"),
    CheckConstraint("length(stream_id) = 16", name="stream_id_has_16_bytes"),
    CheckConstraint("head >= 0", name="head_is_a_position"),
    CheckConstraint("length(head_hash) = 32", name="head_hash_has_32_bytes"),
    info=about(grants="SELECT, INSERT, UPDATE (head, head_hash)", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""One row for each stream: the position and leaf hash of the last event. This row decides the order of new events.

*imported_at* is NULL if this service writes the stream. An imported stream accepts no commands; only imports append to
it.
"""

IS_OF_TABLE: Final = and_(streams.c.stream_id > SERVICE_STREAM, streams.c.stream_id <= LAST_TABLE)
"""The condition that a stream records a table."""
IS_OF_DISPUTES: Final = streams.c.stream_id > LAST_TABLE
"""The condition that a stream records the disputes of a table."""

unfinished_imports = Table(
    "unfinished_imports",
    metadata,
    stream_id(),
    PrimaryKeyConstraint("stream_id"),
    info=about(grants="SELECT, INSERT, DELETE", touched_by_commands=False, is_spread=True),
    **SQLITE_OPTIONS,
)
"""The streams whose first import is running, was killed or failed. The card tables of these streams are invisible."""

events = Table(
    "events",
    metadata,
    stream_id(),
    Column("position", Integer, nullable=False),
    Column("leaf", LargeBinary(65535), nullable=False),
    Column("cmd", LargeBinary(CMD_BYTES)),
    PrimaryKeyConstraint("stream_id", "position"),
    unique_where_given("events", "stream_id", "cmd"),
    CheckConstraint("position >= 1", name="position_counts_from_one"),
    CheckConstraint("length(leaf) BETWEEN 1 AND 65535", name="leaf_has_at_most_65535_bytes"),
    CheckConstraint(f"length(cmd) = {CMD_BYTES}", name="cmd_has_14_bytes"),
    info=about(grants="SELECT, INSERT", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""The log: leaves, byte for byte as they were hashed. *cmd*, on decisions only, is the leaf's `cmd` cut to `CMD_BYTES`.

A trigger refuses a gap between the positions of a stream, and a position above the stream's head. On PostgreSQL the
trigger is cheaper than a foreign key.
"""

sealed = Table(
    "sealed",
    metadata,
    stream_id(),
    Column("position", Integer, nullable=False),
    Column("field", Text, nullable=False),
    Column("key_id", LargeBinary(16), nullable=False),
    Column("nonce", LargeBinary(12), nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
    PrimaryKeyConstraint("stream_id", "position", "field"),
    CheckConstraint("length(field) BETWEEN 1 AND 64", name="field_is_named"),
    CheckConstraint("length(nonce) = 12", name="nonce_has_12_bytes"),
    ForeignKeyConstraint(["stream_id", "position"], ["events.stream_id", "events.position"]),
    info=about(grants="SELECT, INSERT", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""The sealed store: seeds of decks, and salts and values of sealed fields, encrypted under the service key."""

outbox = Table(
    "outbox",
    metadata,
    stream_id(),
    Column("position", Integer, nullable=False),
    PrimaryKeyConstraint("stream_id", "position"),
    CheckConstraint("position >= 1", name="position_counts_from_one"),
    info=about(grants="SELECT, INSERT, DELETE", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""One row for each command whose leaves have no index in the whole log yet: the position of the command's last event.

Imported events get no index, and no row. The transaction that commits the leaves also writes the row, so the sequencer
misses no committed leaf.
"""
