"""SQL statements of the command path, written once and translated to each driver's placeholders (DECISIONS 16)."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, TypeVar, cast

from sqlalchemy import Connection, CursorResult, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError

from service.database.arrays import OF_TYPE, Array

Row: TypeAlias = tuple[Any, ...]
T = TypeVar("T")

_NAME: Final = re.compile(r":(\w+)")
_MARKS: Final = {"sqlite": "?", "postgresql": "%s"}  # placeholders, by SQLAlchemy's names of databases
_FEW_ROWS: Final = 4  # up to this number of rows, VALUES is cheaper than arrays
_MOST_IN_ONE_PIECE: Final = 64
_UNCUT: Final = 8  # up to this number of rows, which a single command often has, one statement inserts all
_BINARY_FORMAT: Final = 1  # psycopg.pq.Format.BINARY; SQLite must work without psycopg
_BINARY_OPTION: Final = "chiptrail_binary"
_IN_BINARY: Final = {_BINARY_OPTION: True}
_POSTGRESQL: Final = postgresql.dialect()  # type: ignore[no-untyped-call]


class Sql:
    """A statement with named parameters, such as ":stream_id".

    Written for speed: SQLAlchemy's text() does the same, but parses the text at every execution. With text() the server
    needed 1.69 ms a command instead of 1.45 (service/bench/README.md).
    """

    def __init__(self, sql: str) -> None:
        self._sql: Final = sql
        self._names: Final = tuple(_NAME.findall(sql))
        self._texts: Final = {database: _NAME.sub(mark, sql) for database, mark in _MARKS.items()}

    def run(
        self, connection: Connection, values: Mapping[str, Any], options: Mapping[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Execute the statement; *values* has the value of each parameter, by its name."""
        in_order = tuple([values[name] for name in self._names])
        return connection.exec_driver_sql(self._texts[connection.dialect.name], in_order, execution_options=options)

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[Row]:
        """Execute the statement as `run` does, and return all rows as the driver's plain tuples.

        A row of SQLAlchemy costs several times as much as a tuple. Driver errors are raised as SQLAlchemy errors.
        """
        result = self.run(connection, values, _IN_BINARY)
        driver = connection.dialect.loaded_dbapi.Error
        try:
            cursor: Any = result.cursor
            return cast("list[Row]", cursor.fetchall())
        except driver as error:  # SQLite may fail here: it reads while rows are fetched
            raise DBAPIError.instance(str(self), values, error, driver, dialect=connection.dialect) from error
        finally:
            result.close()

    def __str__(self) -> str:
        """Return the statement with its parameters' names."""
        return self._sql


class Insert:
    """An INSERT of any number of rows.

    PostgreSQL receives more than four rows as arrays, one array for each column, with one statement, in one round trip.
    The statement is then the same for every number of rows, and PostgreSQL caches its plan. Four rows or fewer go to
    PostgreSQL in a VALUES clause; SQLite receives all rows in VALUES clauses, one for each of the `pieces`.
    """

    def __init__(self, table: Table, *columns: str) -> None:
        """Take the table and the names of the *columns* to fill."""
        self.name: Final = table.name
        self.columns: Final = ", ".join(columns)
        self.types: Final = tuple(table.columns[column].type.compile(_POSTGRESQL) for column in columns)
        self.arrays: Final = unnest_clause(self.types)
        self._insert: Final = f"INSERT INTO {table.name} ({self.columns}) "  # The names are ours.
        self._column_count: Final = len(columns)

    def run(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Insert *rows*, if there are any."""
        if not rows:
            return
        database = connection.dialect.name
        if database == "postgresql" and len(rows) > _FEW_ROWS:
            statement = f"{self._insert} SELECT * FROM {self.arrays}"  # noqa: S608  # The names are ours.
            connection.exec_driver_sql(statement, column_arrays(self.types, rows))
        else:
            for piece in pieces(rows):
                flat = tuple([value for row in piece for value in row])
                connection.exec_driver_sql(
                    f"{self._insert} {values_clause(self._column_count, len(piece), _MARKS[database])}", flat
                )


def pieces(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield *rows* in pieces of 64, 32 or 16 rows, or of 1 to 8 rows: each statement then has one of eleven texts.

    SQLite keeps about 500 bytes for each row of a prepared statement, and each connection keeps its last 128
    statements. With a statement for each number of rows, a worker kept 90 MB of statements (DECISIONS 142).
    """
    first, left = 0, len(rows)
    while left:
        size = left if left <= _UNCUT else min(_MOST_IN_ONE_PIECE, _power_of_two(left))
        yield rows[first : first + size]
        first, left = first + size, left - size


def padded(values: Collection[T]) -> list[T]:
    """Return *values* for an IN list; the last value, if any, is repeated until their number is a power of two.

    Otherwise each number of values would have its own statement, and these statements would fill the caches, as
    `pieces` explains.
    """
    made = list(values)
    if made:
        made += made[-1:] * (_power_of_two(2 * len(made) - 1) - len(made))
    return made


def _power_of_two(most: int) -> int:
    """Return the largest power of two that is at most *most*; *most* is at least 1."""
    return 1 << most.bit_length() - 1


def unnest_clause(types: Iterable[str]) -> str:
    """Return PostgreSQL's expression for rows given as arrays, one array for each column of these *types*."""
    return f"unnest({', '.join(f'%b::{kind}[]' for kind in types)})"


def column_arrays(types: Iterable[str], rows: Sequence[Row]) -> tuple[Array, ...]:
    """Return *rows* as arrays, one for each column of these *types*."""
    return tuple([OF_TYPE[kind](values) for kind, values in zip(types, zip(*rows, strict=True), strict=True)])


@lru_cache(256)
def values_clause(columns: int, rows: int, mark: str) -> str:
    """Return a VALUES clause with the placeholder *mark* for each value."""
    row = f"({', '.join([mark] * columns)})"
    return f"VALUES {', '.join([row] * rows)}"


def request_binary(
    _connection: Connection,
    cursor: Any,  # noqa: ANN401 -- it is psycopg's cursor
    _sql: str,
    _values: object,
    context: Any,  # noqa: ANN401 -- it is SQLAlchemy's context of this statement
    _is_many: object,
) -> None:
    """Make PostgreSQL send the rows of `Sql.all` in binary format. A BYTEA value in text costs three times as much.

    SQLAlchemy calls this function before every statement.
    """
    if _BINARY_OPTION in context.execution_options:
        cursor.format = _BINARY_FORMAT
