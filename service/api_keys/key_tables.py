"""The database tables of API keys (DECISIONS 9)."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from service.database.metadata import SQLITE_OPTIONS, about, metadata

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
    Column("limits", Text),
    PrimaryKeyConstraint("key_id"),
    CheckConstraint("length(key_id) = 16", name="key_id_has_16_bytes"),
    CheckConstraint("length(secret_hash) = 32", name="secret_hash_has_32_bytes"),
    CheckConstraint("length(label) <= 100", name="label_has_at_most_100_characters"),
    Index(None, "owner"),
    Index(None, "made_by"),
    info=about(grants="SELECT, INSERT", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""API keys. *scopes* are sorted and separated by single spaces; *expires_at* is NULL if the key does not expire.

*limits* are the tables and disputes to which the key is limited, sorted and separated by single spaces; NULL: no limit.
"""

key_revocations = Table(
    "key_revocations",
    metadata,
    Column("key_id", LargeBinary(16), nullable=False),
    Column("revoked_by", Text, nullable=False),
    Column("revoked_at", Text, nullable=False),
    PrimaryKeyConstraint("key_id"),
    ForeignKeyConstraint(["key_id"], ["keys.key_id"]),
    info=about(grants="SELECT, INSERT", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""The revocations of API keys: at most one revocation of each key."""
