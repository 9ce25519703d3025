"""The tables of the log as a whole: the index of each leaf, the tree's tiles and head, and signed checkpoints."""

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
    UniqueConstraint,
)

from service.database.metadata import SQLITE_OPTIONS, about, metadata, stream_id

_INDEX: Final = BigInteger().with_variant(Integer(), "sqlite")
_SMALL: Final = SmallInteger().with_variant(Integer(), "sqlite")

SLOT: Final = 1
"""The primary key of the only row of `tree_head`."""

leaf_indexes = Table(
    "leaf_indexes",
    metadata,
    Column("leaf_index", _INDEX, autoincrement=False, nullable=False),
    stream_id(),
    Column("position", Integer, nullable=False),
    Column("leaf_hash", LargeBinary(32), nullable=False),
    PrimaryKeyConstraint("leaf_index"),
    UniqueConstraint("stream_id", "position"),
    Index(None, "stream_id", "leaf_index"),
    CheckConstraint("leaf_index >= 0", name="leaf_index_counts_from_zero"),
    CheckConstraint("position >= 1", name="position_counts_from_one"),
    CheckConstraint("length(leaf_hash) = 32", name="leaf_hash_has_32_bytes"),
    info=about(grants="SELECT, INSERT", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""The order of all leaves: 0, 1, 2 … without a gap. The order is in no leaf, so this table can't be rebuilt.

The database index over *stream_id* and *leaf_index* is for feeds, which look up the next leaf of each of their tables.
"""

tree_tiles = Table(
    "tree_tiles",
    metadata,
    Column("level", _SMALL, autoincrement=False, nullable=False),
    Column("number", _INDEX, autoincrement=False, nullable=False),
    Column("hashes", LargeBinary(8192), nullable=False),
    PrimaryKeyConstraint("level", "number"),
    CheckConstraint("length(hashes) BETWEEN 32 AND 8192", name="hashes_fit_in_a_tile"),
    info=about(grants="SELECT, INSERT, UPDATE, DELETE", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""The tiles of the present tree, the partial ones included. They can be computed from `leaf_indexes`."""

tree_head = Table(
    "tree_head",
    metadata,
    Column("slot", Integer, autoincrement=False, nullable=False),
    Column("size", _INDEX, nullable=False),
    Column("root", LargeBinary(32), nullable=False),
    PrimaryKeyConstraint("slot"),
    CheckConstraint("slot = 1", name="there_is_one"),
    CheckConstraint("size >= 0", name="size_counts_from_zero"),
    CheckConstraint("length(root) = 32", name="root_has_32_bytes"),
    info=about(grants="SELECT, UPDATE", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""One row: the present size and root of the tree. The sequencer replaces only the head that it has read."""

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("origin", Text, nullable=False),
    Column("size", _INDEX, autoincrement=False, nullable=False),
    Column("note", Text, nullable=False),
    PrimaryKeyConstraint("origin", "size"),
    CheckConstraint("size >= 1", name="size_counts_from_one"),
    info=about(grants="SELECT, INSERT", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""The signed checkpoints. An *origin* has at most one of each size; `chiptrail log restart` begins a new origin."""
