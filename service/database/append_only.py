"""Switches off the triggers of append-only tables, so that the operator can correct, replace or restore rows."""

# DECISIONS 99 and 121

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, text

_TRIGGERS: Final = {
    "sqlite": (
        "SELECT 'DROP TRIGGER ' || name, sql FROM sqlite_master"
        " WHERE type = 'trigger' AND tbl_name = :table ORDER BY name"
    ),
    "postgresql": (
        "SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname),"
        " format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', tgrelid::regclass, tgname) FROM pg_trigger"
        " WHERE NOT tgisinternal AND tgrelid = CAST(:table AS regclass)"
    ),
}
"""Selects, for each trigger of a table, the statement that switches it off, and the statement that switches it on."""


@contextmanager
def without_triggers(connection: Connection, *tables: str) -> Iterator[None]:
    """While the block runs, switch off all triggers of *tables*; these triggers keep the tables append-only.

    If the block fails, the transaction's rollback restores the triggers. On PostgreSQL the role must own the tables.
    """
    statement = text(_TRIGGERS[connection.dialect.name])
    triggers = [row for table in tables for row in connection.execute(statement, {"table": table}).all()]
    for off, _ in triggers:
        connection.exec_driver_sql(off)
    yield
    for _, on in triggers:
        connection.exec_driver_sql(on)
