"""The tables of the log: streams, their events, and what is sealed with them."""

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
)

from service.database.metadata import SQLITE_OPTIONS, about, metadata, stream_id, unique_where_given

CMD_BYTES: Final = 14
"""How much of a command's id its column holds; the leaf has all 32 bytes.

PostgreSQL's index takes eight bytes more for one byte more. To be taken for a command of somebody else's that is in the
same stream, one would have to be found among 2**112; who works through 2**56 finds two of their own that are alike, and
can then record one of them alone.
"""


def command_column(cmd: str) -> bytes | None:
    """Return what the column holds of *cmd*, a command's id in hex; None for none."""
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
    info=about(grants="SELECT, INSERT, UPDATE (head, head_hash)", touched_by_commands=True),
    **SQLITE_OPTIONS,
)
"""One row a stream: the position and the leaf hash of its last event. The order of the log.

*imported_at* is NULL where the stream is written here; an imported one takes no commands, and grows by imports alone.
"""

unfinished_imports = Table(
    "unfinished_imports",
    metadata,
    stream_id(),
    PrimaryKeyConstraint("stream_id"),
    info=about(grants="SELECT, INSERT, DELETE", touched_by_commands=False),
    **SQLITE_OPTIONS,
)
"""The streams whose first import has not ended, or was killed: nobody is shown their tables yet."""

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
    info=about(grants="SELECT, INSERT", touched_by_commands=True),
    **SQLITE_OPTIONS,
)
"""The log: leaves as they were hashed. *cmd* stands on decisions alone: what its leaf says, cut to `CMD_BYTES`.

A trigger, in place of a foreign key and cheaper, makes positions run on without a gap, up to their stream's head.
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
    info=about(grants="SELECT, INSERT", touched_by_commands=True),
    **SQLITE_OPTIONS,
)
"""What an event does not show, under the service key: seeds of decks, salts and values of sealed fields."""
