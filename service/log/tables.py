"""The tables of the log and of the keys, and the one MetaData that all tables share."""

from typing import Any, Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)

NAMING_CONVENTION: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = MetaData(naming_convention=NAMING_CONVENTION)

# SQLite: STRICT refuses a value of another type, and without a rowid there is no second, hidden
# unique key through which INSERT OR REPLACE could reach a row.
SQLITE_OPTIONS: Final[dict[str, Any]] = {"sqlite_strict": True, "sqlite_with_rowid": False}

CMD_BYTES: Final = 14
"""How much of a command's id its column holds; the leaf has all 32 bytes.

PostgreSQL's index takes eight bytes more for one byte more. To be taken for a command of somebody else's that is in the
same stream, one would have to be found among 2**112; who works through 2**56 finds two of their own that are alike, and
can then record one of them alone.
"""


def command_column(cmd: str) -> bytes | None:
    """Return what the column holds of *cmd*, a command's id in hex; None for none."""
    return bytes.fromhex(cmd[: 2 * CMD_BYTES]) or None


def unique_where_given(table: str, *columns: str) -> Index:
    """Return a unique key over *columns*, the last of which may be NULL: rows without it are not in its index."""
    given = text(f"{columns[-1]} IS NOT NULL")
    name = f"uq_{table}_{'_'.join(columns)}"
    return Index(name, *columns, unique=True, sqlite_where=given, postgresql_where=given)


def stream_id() -> Column[bytes]:
    """Return the column that comes first in every table that a command touches."""
    return Column("stream_id", LargeBinary(16), nullable=False)


def about(*, grants: str, touched_by_commands: bool) -> dict[str, Any]:
    """Return a table's `info`: what the service's role may do to it, and whether a command touches it.

    *grants* is a list of privileges as PostgreSQL's GRANT takes it.
    """
    return {"grants": grants, "touched_by_commands": touched_by_commands}


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

service_keys = Table(
    "service_keys",
    metadata,
    Column("slot", Integer, nullable=False),
    Column("key_id", LargeBinary(16), nullable=False),
    Column("fingerprint", LargeBinary(32), nullable=False),
    Column("public_key", LargeBinary(32), nullable=False),
    PrimaryKeyConstraint("slot"),
    CheckConstraint("slot = 1", name="there_is_one"),
    CheckConstraint("length(fingerprint) = 32", name="fingerprint_has_32_bytes"),
    CheckConstraint("length(public_key) = 32", name="public_key_has_32_bytes"),
    info=about(grants="SELECT, INSERT", touched_by_commands=False),
    **SQLITE_OPTIONS,
)
"""By what the service key is known: never the key itself. One row."""

keys = Table(
    "keys",
    metadata,
    Column("key_id", LargeBinary(16), nullable=False),
    Column("owner", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("secret_hash", LargeBinary(32), nullable=False),
    Column("label", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("made_at", Text, nullable=False),
    Column("expires_at", Text),
    PrimaryKeyConstraint("key_id"),
    CheckConstraint("length(key_id) = 16", name="key_id_has_16_bytes"),
    CheckConstraint("length(secret_hash) = 32", name="secret_hash_has_32_bytes"),
    CheckConstraint("length(label) <= 100", name="label_has_at_most_100_characters"),
    Index(None, "owner"),
    Index(None, "made_by"),
    info=about(grants="SELECT, INSERT", touched_by_commands=False),
    **SQLITE_OPTIONS,
)
"""API keys. *scopes* are sorted and separated by single spaces; *expires_at* is NULL where a key does not end."""

key_revocations = Table(
    "key_revocations",
    metadata,
    Column("key_id", LargeBinary(16), nullable=False),
    Column("revoked_by", Text, nullable=False),
    Column("revoked_at", Text, nullable=False),
    PrimaryKeyConstraint("key_id"),
    ForeignKeyConstraint(["key_id"], ["keys.key_id"]),
    info=about(grants="SELECT, INSERT", touched_by_commands=False),
    **SQLITE_OPTIONS,
)
"""Keys that were ended before their time."""
