"""SQL of the command path, written once and handed to each driver in its own form."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection, CursorResult

_NAME: Final = re.compile(r":(\w+)")
_MARKS: Final = {"sqlite": "?", "postgresql": "%s"}  # what stands for a value, by SQLAlchemy's names of databases


class Sql:
    """A statement, its values named as in ":stream_id".

    A text() of SQLAlchemy's does the same, and is worked on at every execution: with it a command took
    a sixth more of a processor (service/bench/README.md).
    """

    def __init__(self, sql: str) -> None:
        self._names: Final = tuple(_NAME.findall(sql))
        self._texts: Final = {database: _NAME.sub(mark, sql) for database, mark in _MARKS.items()}

    def run(self, connection: Connection, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Execute it with *values*, by their names."""
        given = tuple([values[name] for name in self._names])
        return connection.exec_driver_sql(self._texts[connection.dialect.name], given)


def insert_rows(connection: Connection, table: str, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert *rows*, at least one, into *table* by one statement, which is one round trip.

    Names of tables and *columns* are our own, never a client's.
    """
    values = tuple([value for row in rows for value in row])
    connection.exec_driver_sql(_insert(table, columns, len(rows), connection.dialect.name), values)


@cache
def _insert(table: str, columns: tuple[str, ...], rows: int, database: str) -> str:
    row = f"({', '.join([_MARKS[database]] * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * rows)}"  # noqa: S608  # Our names.
