"""Lets a connection send SELECTs to PostgreSQL without BEGIN and COMMIT, and refuses all other statements."""

# DECISIONS 137

from typing import Any, Final

from sqlalchemy import Connection, Engine

_SELECT_ONLY: Final = "chiptrail_select_only"


class StatementMustBeSelect(Exception):
    """A defect: over a connection of `engines.reading_once`, code wanted to send a statement that is no SELECT."""


def options(engine: Engine) -> dict[str, str | bool]:
    """Return the execution options by which each SELECT on PostgreSQL is its own transaction; for SQLite return {}."""
    return {"isolation_level": "AUTOCOMMIT", _SELECT_ONLY: True} if engine.dialect.name == "postgresql" else {}


def require_select(
    _connection: Connection,
    _cursor: object,
    statement: str,
    _values: object,
    context: Any,  # noqa: ANN401 -- it is SQLAlchemy's context of this statement
    _is_many: object,
) -> None:
    """Refuse *statement* if it is no SELECT and its connection has the options that `options` returns.

    SQLAlchemy calls this function before every statement.

    Raises:
        StatementMustBeSelect: the statement is refused; it was not sent.
    """
    if _SELECT_ONLY in context.execution_options and not statement.startswith("SELECT "):
        raise StatementMustBeSelect(statement)
