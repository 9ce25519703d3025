"""SQL of the command path, written once and handed to each driver in its own form."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import Connection, CursorResult, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError

from service.database.arrays import OF_TYPE, Array

Row: TypeAlias = tuple[Any, ...]

_NAME: Final = re.compile(r":(\w+)")
_MARKS: Final = {"sqlite": "?", "postgresql": "%s"}  # what stands for a value, by SQLAlchemy's names of databases
_FEW: Final = 4  # rows
_BINARY: Final = 1  # psycopg's number for it; psycopg is not imported, because SQLite does without it
_MARK: Final = "chiptrail_binary"
_IN_BINARY: Final = {_MARK: True}
_POSTGRESQL: Final = postgresql.dialect()  # type: ignore[no-untyped-call]


class Sql:
    """A statement, its values named as in ":stream_id".

    A text() of SQLAlchemy's does the same, and is worked on at every execution: with it a command took
    a sixth more of a processor (service/bench/README.md).
    """

    def __init__(self, sql: str) -> None:
        self._sql: Final = sql
        self._names: Final = tuple(_NAME.findall(sql))
        self._texts: Final = {database: _NAME.sub(mark, sql) for database, mark in _MARKS.items()}

    def run(
        self, connection: Connection, values: Mapping[str, Any], options: Mapping[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Execute it with *values*, by their names."""
        given = tuple([values[name] for name in self._names])
        return connection.exec_driver_sql(self._texts[connection.dialect.name], given, execution_options=options)

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[Row]:
        """Execute it with *values*, and return all rows as the driver has them: plain tuples.

        A row of SQLAlchemy's costs several times as much. Errors are SQLAlchemy's here, too.
        """
        result = self.run(connection, values, _IN_BINARY)
        driver = connection.dialect.loaded_dbapi.Error
        try:
            cursor: Any = result.cursor
            return cast("list[Row]", cursor.fetchall())
        except driver as error:  # SQLite reads as it is asked for rows
            raise DBAPIError.instance(str(self), values, error, driver, dialect=connection.dialect) from error
        finally:
            result.close()

    def __str__(self) -> str:
        """Return its text, with names."""
        return self._sql


class Insert:
    """The INSERT of any number of rows into a table by one statement, which is one round trip.

    On PostgreSQL many rows go as one array for each column, so that the text stays the same and its plan is kept.
    """

    def __init__(self, table: Table, *columns: str) -> None:
        """Name the columns that rows have; the first one is the stream's id."""
        self.name: Final = table.name
        self.columns: Final = ", ".join(columns)
        self.types: Final = tuple(table.columns[column].type.compile(_POSTGRESQL) for column in columns)
        self.arrays: Final = unnest_clause(self.types)
        self._into: Final = f"INSERT INTO {table.name} ({self.columns}) "  # Our names.
        self._number: Final = len(columns)

    def run(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Insert *rows*, if there are any."""
        if not rows:
            return
        database = connection.dialect.name
        if database == "postgresql" and len(rows) > _FEW:
            statement = f"{self._into} SELECT * FROM {self.arrays}"  # noqa: S608  # Our names.
            connection.exec_driver_sql(statement, column_arrays(self.types, rows))
        else:
            flat = tuple([value for row in rows for value in row])
            connection.exec_driver_sql(f"{self._into} {values_clause(self._number, len(rows), _MARKS[database])}", flat)


def unnest_clause(types: Iterable[str]) -> str:
    """Return PostgreSQL's word for rows that come as arrays, one for each column of these *types*."""
    return f"unnest({', '.join(f'%b::{kind}[]' for kind in types)})"


def column_arrays(types: Iterable[str], rows: Sequence[Row]) -> tuple[Array, ...]:
    """Return *rows* as arrays, one for each column, of these *types*."""
    return tuple([OF_TYPE[kind](values) for kind, values in zip(types, zip(*rows, strict=True), strict=True)])


@lru_cache(1_024)
def values_clause(columns: int, rows: int, mark: str) -> str:
    """Return VALUES with a *mark* for each value."""
    row = f"({', '.join([mark] * columns)})"
    return f"VALUES {', '.join([row] * rows)}"


def request_binary(
    _connection: Connection,
    cursor: Any,  # noqa: ANN401 -- psycopg's
    _sql: str,
    _values: object,
    context: Any,  # noqa: ANN401 -- SQLAlchemy's, of this statement
    _is_many: object,
) -> None:
    """Have PostgreSQL send rows in binary where `Sql.all` asks: bytes cost a third of what they cost in hex.

    It hears of every statement that is about to be executed.
    """
    if _MARK in context.execution_options:
        cursor.format = _BINARY
