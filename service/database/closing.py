"""Closes a database; on SQLite moves the write-ahead log into the database file, so that its copy is complete."""

from contextlib import closing

from sqlalchemy import Engine

from service.database.engines import write_lock
from service.database.sqlite_file import sqlite_path


def close_for_good(engine: Engine) -> bool:
    """Close *engine*; on SQLite checkpoint the write-ahead log. Return whether a copy of the one file is complete.

    SQLite checkpoints when its last connection closes; a killed process leaves a `-wal` file. While another process
    reads, the `-wal` is still needed.

    Raises:
        WriteLockNotAcquired: another thread or process is writing.
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
