"""The database tables about witnesses: their cosignatures of checkpoints, and the state of each witness."""

from sqlalchemy import BigInteger, Column, Integer, PrimaryKeyConstraint, Table, Text

from service.database.metadata import SQLITE_OPTIONS, about, metadata

cosignatures = Table(
    "cosignatures",
    metadata,
    Column("origin", Text, nullable=False),
    Column("size", BigInteger().with_variant(Integer(), "sqlite"), autoincrement=False, nullable=False),
    Column("vkey", Text, nullable=False),
    Column("line", Text, nullable=False),
    PrimaryKeyConstraint("origin", "size", "vkey"),
    info=about(grants="SELECT, INSERT", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""The signature lines by which witnesses cosigned the checkpoint of *origin* with *size*; anybody can verify them."""

witness_reports = Table(
    "witness_reports",
    metadata,
    Column("vkey", Text, nullable=False),
    Column("since", Text, nullable=False),
    Column("problem", Text, nullable=False),
    PrimaryKeyConstraint("vkey"),
    info=about(grants="SELECT, INSERT, UPDATE", touched_by_commands=False, is_spread=False),
    **SQLITE_OPTIONS,
)
"""Why each witness does not cosign (*problem*; "": it cosigns), and the time when this state began (*since*)."""
