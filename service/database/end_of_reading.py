"""Ends a transaction that has only read (DECISIONS 137)."""

from sqlalchemy import Connection, RootTransaction
from sqlalchemy.exc import DBAPIError


def end_reading(connection: Connection, transaction: RootTransaction) -> None:
    """End the read-only *transaction* of *connection*; an error of COMMIT is ignored, because all reading is done.

    On PostgreSQL the transaction ends by COMMIT, because psycopg drops the prepared statements at each ROLLBACK.
    """
    if connection.dialect.name != "postgresql" or connection.invalidated:
        transaction.rollback()
        return
    try:
        transaction.commit()
    except DBAPIError as error:
        connection.invalidate(error)
