"""The end of a database's use: on SQLite one file is left, so that a copy of it is whole."""

from contextlib import closing

from sqlalchemy import Engine

from service.database.engines import write_lock
from service.database.sqlite_file import sqlite_path


def close_for_good(engine: Engine) -> bool:
    """Close *engine*; on SQLite bring all that was written into the one file, and tell whether a copy of it is whole.

    SQLite does so when its last connection is closed; processes that ended without that have left a `-wal`. It stays
    needed where another process is reading.

    Raises:
        WriteLockNotAcquired: somebody else is writing.
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
