"""Loads many rows together into an SQL table that nobody else uses yet (DECISIONS 40)."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Integer, LargeBinary, SmallInteger, Table, Text

_TYPES: Final = {LargeBinary: "bytea", SmallInteger: "int2", Integer: "int4", BigInteger: "int8", Text: "text"}


def load(connection: Connection, name: str, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert *rows* into the table called *name*, which has the columns of *table* in the same order.

    On PostgreSQL this function uses COPY. COPY and larger transactions cut the processor time by about 40 %
    (service/bench/README.md).
    """
    if not rows:
        return
    columns = table.columns.keys()
    if connection.dialect.name == "sqlite":
        places = ", ".join("?" * len(columns))
        insert = f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608  # The names are our own.
        connection.exec_driver_sql(insert, list(rows))
        return
    driver: Any = connection.connection.driver_connection
    with (
        driver.cursor() as cursor,
        cursor.copy(f"COPY {name} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types([_TYPES[type(column.type)] for column in table.columns])
        for row in rows:
            copy.write_row(row)
