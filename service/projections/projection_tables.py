"""The SQL tables of the projections, in the same MetaData as the log's tables (DECISIONS 38 and 61)."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    text,
)

from service.database.metadata import SQLITE_OPTIONS, about, metadata, stream_id

UNITS: Final = BigInteger().with_variant(Integer(), "sqlite")
"""The SQL type of chips or points. SQLite's INTEGER has 64 bits, and its STRICT tables have no BIGINT."""

_SMALL: Final = SmallInteger().with_variant(Integer(), "sqlite")

_WITH_HOUSE: Final = "source = 'house' OR target = 'house'"

transfers = Table(
    "transfers",
    metadata,
    stream_id(),
    Column("ordinal", _SMALL, nullable=False),
    Column("position", Integer, nullable=False),
    Column("amount", UNITS, nullable=False),
    Column("source_balance", UNITS, nullable=False),
    Column("target_balance", UNITS, nullable=False),
    Column("source", Text, nullable=False),
    Column("target", Text, nullable=False),
    PrimaryKeyConstraint("stream_id", "position", "ordinal"),
    CheckConstraint("ordinal >= 0", name="ordinal_counts_from_zero"),
    CheckConstraint("amount > 0", name="something_moves"),
    CheckConstraint("source <> target", name="it_moves_elsewhere"),
    CheckConstraint("source_balance >= 0 OR source IN ('house', 'pool')", name="source_is_covered"),
    CheckConstraint("target_balance >= 0 OR target IN ('house', 'pool')", name="target_is_covered"),
    Index(
        "ix_transfers_with_house",
        "stream_id",
        "position",
        "ordinal",
        sqlite_where=text(_WITH_HOUSE),
        postgresql_where=text(_WITH_HOUSE),
    ),
    info=about(grants="SELECT, INSERT", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""The transfers of events, each with the balances of both accounts after the transfer.

The unit and the rule of a transfer are only in the event. The columns are ordered so that PostgreSQL needs no alignment
padding (service/bench/README.md). There is no index by source or by target: both would cost each command too much. Past
balances come from the states of tables. The transfers with the house, which are few, have an index for the winnings and
for the statement of the house.
"""

tables = Table(
    "tables",
    metadata,
    stream_id(),
    Column("game", Text, nullable=False),
    Column("edition", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("visibility", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("seats_taken", Integer, nullable=False),
    Column("time_limit_seconds", Integer, nullable=False),
    Column("opened_at", Text, nullable=False),
    PrimaryKeyConstraint("stream_id"),
    CheckConstraint("seats_taken BETWEEN 0 AND seats", name="seats_are_enough"),
    Index(None, "status", "time_limit_seconds"),
    Index(None, "opened_at", "stream_id"),
    Index(None, "host", "opened_at"),
    Index(None, "host", "status"),
    info=about(grants="SELECT, INSERT, UPDATE", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""One row for each card table, for lists; a command writes the row only if the row changes."""

seats = Table(
    "seats",
    metadata,
    stream_id(),
    Column("seat", Integer, nullable=False),
    Column("player", Text, nullable=False),
    PrimaryKeyConstraint("stream_id", "seat"),
    CheckConstraint("seat >= 1", name="seat_counts_from_one"),
    Index(None, "player", "stream_id"),
    info=about(grants="SELECT, INSERT, UPDATE, DELETE", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""The taken seats, the open invitations, and the players who left (see `seats_and_invitations`).

*player* is an owner's id.
"""

hands = Table(
    "hands",
    metadata,
    stream_id(),
    Column("hand", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("last", Integer, nullable=False),
    PrimaryKeyConstraint("stream_id", "hand"),
    CheckConstraint("hand >= 1", name="hand_counts_from_one"),
    CheckConstraint("first >= 1 AND last >= first", name="last_is_not_before_first"),
    info=about(grants="SELECT, INSERT", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""Settled hands, each with the positions of its *first* and its *last* event."""

snapshots = Table(
    "snapshots",
    metadata,
    stream_id(),
    Column("release", LargeBinary(16), nullable=False),
    Column("position", Integer, nullable=False),
    Column("head_hash", LargeBinary(32), nullable=False),
    Column("key_id", LargeBinary(16), nullable=False),
    Column("nonce", LargeBinary(12), nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
    PrimaryKeyConstraint("stream_id", "release", "position"),
    CheckConstraint("position >= 1", name="position_counts_from_one"),
    CheckConstraint("length(head_hash) = 32", name="head_hash_has_32_bytes"),
    info=about(grants="SELECT, INSERT, UPDATE", touched_by_commands=True, is_spread=True),
    **SQLITE_OPTIONS,
)
"""The state of a table at a *position*, folded by the code of *release*, and the hash of the leaf at that position.

A snapshot is not secret. It is encrypted so that nobody without the service key can write a snapshot that the service
uses.
"""

projection_generation = Table(
    "projection_generation",
    metadata,
    Column("slot", Integer, autoincrement=False, nullable=False),
    Column("generation", Integer, nullable=False),
    PrimaryKeyConstraint("slot"),
    CheckConstraint("slot = 1", name="there_is_one"),
    CheckConstraint("generation >= 1", name="generation_counts_from_one"),
    info=about(grants="SELECT", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""One row: the generation of the projections. `swap_guard` reads the generation; each rebuild raises it by one."""
