"""Migrates the schema of the database, and checks the schema before the service serves requests."""

from functools import cache
from importlib import resources
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import OperationalError

from service.database import engines, errors
from service.database.metadata import metadata
from service.database.spread import placement


class NoDatabase(Exception):
    """The URL has no database of Chiptrail, or the database cannot be reached."""


class SchemaNotAtHead(Exception):
    """Another release migrated the database: its revision is *current*, but this release needs *head*."""

    def __init__(self, current: str, head: str) -> None:
        super().__init__(f"the database's schema is at {current}, this release needs {head}")
        self.current = current
        self.head = head


def migrate(engine: Engine) -> tuple[str, str]:
    """Migrate to the newest revision, completely or not at all; return the revisions before ("": none) and after.

    If several processes migrate at the same time, one of them migrates and the others wait; on SQLite they wait only as
    long as for any write lock.
    """
    with engines.migrating(engine) as connection:
        wait_for_other_migrations(connection)
        before = _revision(connection)
        placement.begin_schema_change(connection)
        upgrade(connection, "head")
        placement.keep_up(connection)
        return before, _revision(connection)


def upgrade(connection: Connection, revision: str) -> bool:
    """Migrate to *revision*, or "head", in the transaction of *connection*.

    Return True, or False if this release does not know *revision*.
    """
    # The import of Alembic takes long, and every command and server checks the schema without it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    if revision != "head" and not any((_folder() / "versions").glob(f"{revision}_*.py")):
        return False
    config = Config()
    config.set_main_option("script_location", str(_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
    return True


def current_revision(engine: Engine) -> str:
    """Return the revision of the database.

    Raises:
        NoDatabase: there is no database, it was never migrated, or it cannot be reached.
    """
    shown = engine.url.render_as_string(hide_password=True)
    if engine.dialect.name == "sqlite" and not Path(engine.url.database or "").exists():
        raise NoDatabase(f"there is no database {shown}")  # connecting would make an empty database
    try:
        with engines.reading(engine) as connection:
            revision = _revision(connection)
    except OperationalError as error:
        if errors.classify(error) is errors.Fault.UNREACHABLE:
            raise NoDatabase(f"{shown} cannot be reached: {error.orig}") from error
        raise
    if not revision:
        raise NoDatabase(f"{shown} was never migrated")
    return revision


@cache
def head_revision() -> str:
    """Return the revision that this release needs: the number with which the name of the last migration begins."""
    return max(path.name for path in (_folder() / "versions").glob("*.py")).partition("_")[0]


def check_schema(engine: Engine) -> None:
    """Check that the database's schema is at the newest migration.

    Raises:
        NoDatabase: there is no database, it was never migrated, or it cannot be reached.
        SchemaNotAtHead: the schema is at another migration.
    """
    current, head = current_revision(engine), head_revision()
    if current != head:
        raise SchemaNotAtHead(current, head)


def grant_service_role(connection: Connection, role: str) -> None:
    """Grant *role* the privileges that the service needs; revoke its other privileges on the tables of the MetaData.

    For example, *role* may read and insert events, but not change them.

    Raises:
        ValueError: the database is not PostgreSQL, or its tables are not the tables of the MetaData.
    """
    if connection.dialect.name != "postgresql":
        raise ValueError("only PostgreSQL has roles")
    placement.begin_schema_change(connection)
    found = set(connection.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")))
    unknown = found - set(metadata.tables) - {"alembic_version"}
    if unknown or not set(metadata.tables) <= found:
        raise ValueError(f"the database must have exactly the tables of this release, but has {sorted(found)}")
    quote = connection.dialect.identifier_preparer.quote
    schema = quote(connection.scalars(text("SELECT current_schema()")).one())
    connection.execute(text(f"GRANT USAGE ON SCHEMA {schema} TO {quote(role)}"))
    connection.execute(text(f"GRANT SELECT ON alembic_version TO {quote(role)}"))
    for table in metadata.sorted_tables:
        connection.execute(text(f"REVOKE ALL ON {table.name} FROM {quote(role)}"))
        connection.execute(text(f"GRANT {table.info['grants']} ON {table.name} TO {quote(role)}"))


def _folder() -> Path:
    repository = Path(__file__).parents[2]
    if (repository / "pyproject.toml").exists():
        return repository / "migrations"
    return Path(str(resources.files("service") / "migrations"))  # where an installed wheel has the migrations


def _revision(connection: Connection) -> str:
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return str(connection.scalar(text("SELECT version_num FROM alembic_version")) or "")


def wait_for_other_migrations(connection: Connection) -> None:
    """Wait until no other process changes the schema; let no other process change it until this transaction ends."""
    # On SQLite, BEGIN IMMEDIATE has already waited.
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL lock_timeout = 0"))
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('chiptrail migrate'))"))
