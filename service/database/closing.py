"""Closes a database; on SQLite, checkpoints the write-ahead log, so that a copy of the database file is complete."""

from contextlib import closing

from sqlalchemy import Engine

from service.database.engines import write_lock
from service.database.sqlite_file import sqlite_path


def close_for_good(engine: Engine) -> bool:
    """Close *engine*; on SQLite, checkpoint first.

    Return whether the file of an SQLite database is complete without other files; on PostgreSQL return True.

    SQLite checkpoints by itself when the last connection closes, but a killed process leaves a `-wal` file. While
    another process reads the database, the `-wal` file is still needed; then return False.

    Raises:
        WriteLockNotAcquired, DatabaseWasReplaced: as for `write_lock`.
    """
    is_busy = 0
    with write_lock(engine):
        if engine.dialect.name == "sqlite" and sqlite_path(engine.url).exists():
            with closing(engine.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                is_busy = (cursor.fetchone() or (1,))[0]
        engine.dispose()
    return not is_busy
