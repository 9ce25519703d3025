"""SQLAlchemy's MetaData of all tables, and the parts that the tables' definitions share (DECISIONS 14)."""

from typing import Any, Final

from sqlalchemy import Column, Index, LargeBinary, MetaData, text

NAMING_CONVENTION: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = MetaData(naming_convention=NAMING_CONVENTION)

SERVICE_STREAM: Final = bytes(16)
"""The id of the service's own stream: no table has this id, and it sorts before the id of every table."""

DISPUTES_PREFIX: Final = b"\xff" * 6
"""The first bytes of the ids of streams of disputes: they sort after the ids of all tables (DECISIONS 105).

The id of a table is a MAC, so the chance that an id has these first bytes is 1 in 2**48.
"""

LAST_TABLE: Final = (int.from_bytes(DISPUTES_PREFIX + bytes(10)) - 1).to_bytes(16)
"""The largest id that a table can have."""

# SQLite: STRICT refuses a value of the wrong type. WITHOUT ROWID removes the rowid, a hidden second unique key, through
# which INSERT OR REPLACE could replace a row.
SQLITE_OPTIONS: Final[dict[str, Any]] = {"sqlite_strict": True, "sqlite_with_rowid": False}


def unique_where_given(table: str, *columns: str) -> Index:
    """Return a unique index over *columns* that leaves out the rows in which the last of *columns* is NULL."""
    given = text(f"{columns[-1]} IS NOT NULL")
    name = f"uq_{table}_{'_'.join(columns)}"
    return Index(name, *columns, unique=True, sqlite_where=given, postgresql_where=given)


def stream_id() -> Column[bytes]:
    """Return the column `stream_id`, the first column of every table that a command touches."""
    return Column("stream_id", LargeBinary(16), nullable=False)


def about(*, grants: str, touched_by_commands: bool, is_spread: bool) -> dict[str, Any]:
    """Return a table's `info`: the role's privileges, whether a command touches the table, and where its rows are.

    *grants* is a list of privileges in the syntax of PostgreSQL's GRANT. *is_spread*: on a database with several nodes,
    the table's rows are spread, all rows of a stream on one node; other tables are at the coordinator (DECISIONS 129).
    """
    return {"grants": grants, "touched_by_commands": touched_by_commands, "is_spread": is_spread}
