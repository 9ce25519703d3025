"""Single statements without BEGIN and COMMIT on PostgreSQL: those of readers are read-only all the same."""

# DECISIONS 137

from typing import Any, Final

from sqlalchemy import Connection, Engine

_IS_READ_ONLY: Final = "chiptrail_is_read_only"


def options(engine: Engine) -> dict[str, str]:
    """Return the execution options by which each statement on PostgreSQL is a transaction; for SQLite none."""
    return {"isolation_level": "AUTOCOMMIT"} if engine.dialect.name == "postgresql" else {}


def name_access(driver: Any, _record: object) -> None:  # noqa: ANN401 -- it is a connection of psycopg
    """Make psycopg begin each transaction of a new connection by BEGIN READ WRITE, unless SQLAlchemy changes that.

    So a transaction does not depend on the default of its session, which `only_read` changes.
    """
    driver.read_only = False


def only_read(connection: Connection) -> None:
    """Let PostgreSQL refuse every single statement of *connection* that writes; SQLite refuses it anyway."""
    if connection.dialect.name == "postgresql":
        _set_default(connection, is_read_only=True)


def allow_writing(connection: Connection) -> None:
    """Let PostgreSQL run single statements of *connection* that write."""
    _set_default(connection, is_read_only=False)


def _set_default(connection: Connection, *, is_read_only: bool) -> None:
    """Change the default of the session, which stays as it is in the pool; this seldom takes a round trip."""
    if connection.info.get(_IS_READ_ONLY, False) != is_read_only:
        connection.exec_driver_sql(f"SET default_transaction_read_only = {'on' if is_read_only else 'off'}")
        connection.info[_IS_READ_ONLY] = is_read_only
