"""The shadow build: a second set of projection tables, and its swap in one short transaction (DECISIONS 18 and 129)."""

import re
from typing import Final, Protocol

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, Table, text

from service.database.metadata import metadata
from service.database.spread import placement
from service.projections import swap_guard
from service.projections.projection_tables import hands, seats, tables, transfers

IN_WRITE_ORDER: Final = (transfers.name, hands.name, seats.name, tables.name)
"""The order in which a command writes the tables: a swap that locks in this order cannot deadlock with a command."""

PROGRESS: Final = "rebuilt_streams"
RUN: Final = "rebuilt_by"
progress: Final = Table(PROGRESS, MetaData(), Column("stream_id", LargeBinary), Column("position", Integer))
"""The columns of PROGRESS: each rebuilt stream, and its last rebuilt position."""

_SCHEMA: Final = "chiptrail_rebuild"
_LOCK_MILLISECONDS: Final = 500  # below PostgreSQL's deadlock_timeout, so that in a deadlock the rebuild gives way


class ShadowBuild(Protocol):
    """The tables of a rebuild, on one kind of database."""

    def name(self, table: str) -> str:
        """Return the name of the shadow table of *table*; *table* may also be PROGRESS or RUN."""
        ...

    def make(self, connection: Connection) -> None:
        """Drop the tables that an earlier, killed run has left, and create all tables of the rebuild, empty."""
        ...

    def exists(self, connection: Connection) -> bool:
        """Return whether the tables of the rebuild still exist."""
        ...

    def commit_without_sync(self, connection: Connection) -> None:
        """Let this transaction of the shadow build commit without waiting for the disk, if the database can do this."""
        ...

    def lock(self, connection: Connection) -> None:
        """Lock out readers and writers of projections until the transaction ends, if the swap needs this lock."""
        ...

    def swap(self, connection: Connection) -> None:
        """Replace the projections in use by the shadow build, under the same names; drop the rebuild's other tables."""
        ...


def shadow_build(dialect: str) -> ShadowBuild:
    """Return the shadow build of a database with this *dialect*."""
    return _Sqlite() if dialect == "sqlite" else _Postgresql()


class _Postgresql:
    """Builds in a separate schema, where indexes and constraints have their final names.

    Moving a table to another schema changes only catalogue rows, so the duration of the swap does not depend on the
    number of rows. Copying the rows would lock out every command until the copy ends; renaming the tables would need
    a new name for each index too.
    """

    def name(self, table: str) -> str:
        return f"{_SCHEMA}.{table}"

    def make(self, connection: Connection) -> None:
        placement.begin_schema_change(connection)
        _run(connection, f"DROP SCHEMA IF EXISTS {_SCHEMA} CASCADE", f"CREATE SCHEMA {_SCHEMA}")
        there = MetaData(schema=_SCHEMA, naming_convention=metadata.naming_convention)
        for name in IN_WRITE_ORDER:
            metadata.tables[name].to_metadata(there)
        there.create_all(connection, checkfirst=False)
        _make_own(connection, self)
        for name in (*IN_WRITE_ORDER, PROGRESS):
            placement.place_beside(connection, self.name(name))

    def exists(self, connection: Connection) -> bool:
        return bool(connection.scalar(text(f"SELECT to_regclass('{self.name(RUN)}') IS NOT NULL")))

    def commit_without_sync(self, connection: Connection) -> None:
        # A crash that loses rows also ends the rebuild. The swap's commit waits for the disk, and so for all earlier
        # commits.
        _run(connection, "SET LOCAL synchronous_commit = off")

    def lock(self, connection: Connection) -> None:
        placement.begin_schema_change(connection)
        _run(connection, f"SET LOCAL lock_timeout = {_LOCK_MILLISECONDS}", "SET LOCAL statement_timeout = 0")
        swap_guard.lock(connection)
        for name in IN_WRITE_ORDER:
            _run(connection, f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")

    def swap(self, connection: Connection) -> None:
        quote = connection.dialect.identifier_preparer.quote
        schema = quote(connection.scalars(text("SELECT current_schema()")).one())
        for name in IN_WRITE_ORDER:
            grants = connection.execute(_GRANTS, {"name": name}).all()
            owner = connection.scalars(_OWNER, {"name": name}).one()
            _run(
                connection,
                f"DROP TABLE {name}",
                f"ALTER TABLE {self.name(name)} SET SCHEMA {schema}",
                f"ALTER TABLE {name} OWNER TO {quote(owner)}",
                *(f"GRANT {grant.privilege_type} ON {name} TO {quote(grant.grantee)}" for grant in grants),
            )
        _run(connection, f"DROP SCHEMA {_SCHEMA} CASCADE")


class _Sqlite:
    """Builds in the same schema under other names, and renames the tables in the swap.

    SQLite cannot rename an index, so the swap recreates the indexes. Commands are locked out during the swap: about
    a second for a million transfers.
    """

    def name(self, table: str) -> str:
        return table if table in {PROGRESS, RUN} else f"rebuilt_{table}"

    def make(self, connection: Connection) -> None:
        for name in (*IN_WRITE_ORDER, PROGRESS, RUN):
            _run(connection, f"DROP TABLE IF EXISTS {self.name(name)}")
        for name in IN_WRITE_ORDER:
            (made,) = connection.scalars(_MADE_BY, {"name": name, "kind": "table", "other": "table"})
            _run(connection, re.sub(rf'^CREATE TABLE "?{name}"?', f"CREATE TABLE {self.name(name)}", made))
        _make_own(connection, self)

    def exists(self, connection: Connection) -> bool:
        return connection.scalar(_MADE_BY, {"name": self.name(RUN), "kind": "table", "other": "table"}) is not None

    def commit_without_sync(self, connection: Connection) -> None:
        """Do nothing: SQLite has one journal, and every commit waits until the journal is on the disk."""

    def lock(self, connection: Connection) -> None:
        """Do nothing: SQLite has one writer."""

    def swap(self, connection: Connection) -> None:
        for name in IN_WRITE_ORDER:
            belongings = connection.scalars(_MADE_BY, {"name": name, "kind": "index", "other": "trigger"}).all()
            _run(connection, f"DROP TABLE {name}", f"ALTER TABLE {self.name(name)} RENAME TO {name}", *belongings)
        _run(connection, f"DROP TABLE {PROGRESS}", f"DROP TABLE {RUN}")


def _make_own(connection: Connection, there: ShadowBuild) -> None:
    """Create the table of rebuilt positions, and the table of the run's token."""
    binary = "BYTEA" if connection.dialect.name == "postgresql" else "BLOB"
    _run(
        connection,
        f"CREATE TABLE {there.name(PROGRESS)} (stream_id {binary} PRIMARY KEY, position INTEGER NOT NULL)",
        f"CREATE TABLE {there.name(RUN)} (token TEXT PRIMARY KEY)",
    )


def _run(connection: Connection, *statements: str) -> None:
    for statement in statements:
        connection.exec_driver_sql(statement)


_MADE_BY: Final = text("SELECT sql FROM sqlite_master WHERE tbl_name = :name AND type IN (:kind, :other) AND sql <> ''")
_OWNER: Final = text("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass(:name)")
_GRANTS: Final = text(
    "SELECT pg_get_userbyid(acl.grantee) AS grantee, acl.privilege_type"
    " FROM pg_class, aclexplode(pg_class.relacl) AS acl"
    " WHERE pg_class.oid = to_regclass(:name) AND acl.grantee NOT IN (0, pg_class.relowner)"
)
