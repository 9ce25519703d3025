"""Work that one at a time does at a database: held for as long as it takes, and let go by whoever dies."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from service.database.engines import MODE
from service.database.sqlite_file import sqlite_path
from service.database.write_lock import FileLock, WriteLockNotAcquired

REBUILD: Final = "rebuild"
IMPORT: Final = "import"


class WorkUnderWay(Exception):
    """The same *work* is under way at this database already."""

    def __init__(self, work: str) -> None:
        super().__init__(f"Another {work} is under way at this database")
        self.work = work


@contextmanager
def exclusive_work(engine: Engine, work: str) -> Iterator[None]:
    """Run the block while nobody else runs one for the same *work* at the database of *engine*.

    SQLite: a file beside the database is locked. PostgreSQL: a session of its own holds an advisory lock, which keeps
    others out and gives nothing its order; should that session be cut, the work goes on without it.

    Raises:
        WorkUnderWay: somebody does; nobody is waited for.
        WriteLockNotAcquired: the file can be neither opened nor made.
    """
    if engine.dialect.name == "sqlite":
        yield from _by_file(FileLock(sqlite_path(engine.url), work), work)
    else:
        with engine.connect().execution_options(**_OPTIONS) as connection:
            connection.detach()  # It is closed at the end, so that its session lets go whatever became of it.
            yield from _by_session(connection, work)


def _by_file(file: FileLock, work: str) -> Iterator[None]:
    try:
        is_ours = file.acquire(0)
    except OSError as error:
        raise WriteLockNotAcquired(f"{error.filename} can't be opened: {error.strerror}") from error
    if not is_ours:
        raise WorkUnderWay(work)
    try:
        yield
    finally:
        file.release()


def _by_session(connection: Connection, work: str) -> Iterator[None]:
    number = int.from_bytes(sha256(f"chiptrail {work}".encode()).digest()[:8], signed=True)
    if (connection.dialect.server_version_info or ()) >= _FIRST_TO_END_IDLE_SESSIONS:
        connection.exec_driver_sql("SET idle_session_timeout = 0")
    if not connection.exec_driver_sql("SELECT pg_try_advisory_lock(%s)", (number,)).scalar_one():
        raise WorkUnderWay(work)
    try:
        yield
    finally:
        with suppress(DBAPIError):  # The session was cut, and has let go already.
            # Closing alone would let go a moment later: whoever comes right after would be refused.
            connection.exec_driver_sql("SELECT pg_advisory_unlock(%s)", (number,))


_OPTIONS: Final[dict[str, Any]] = {MODE: "administering", "isolation_level": "AUTOCOMMIT"}
_FIRST_TO_END_IDLE_SESSIONS: Final = (14,)
