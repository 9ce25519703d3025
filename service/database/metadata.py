"""The one MetaData of all tables, and what their definitions share."""

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

# SQLite: STRICT refuses a value of another type, and without a rowid there is no second, hidden
# unique key through which INSERT OR REPLACE could reach a row.
SQLITE_OPTIONS: Final[dict[str, Any]] = {"sqlite_strict": True, "sqlite_with_rowid": False}


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
