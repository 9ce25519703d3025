"""Exclusive work, such as a rebuild: on a database, one process at a time does work of one kind (DECISIONS 68, 97)."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from service.database.engines import MODE
from service.database.sqlite_file import sqlite_path
from service.database.write_lock import FileLock, WriteLockNotAcquired

REBUILD: Final = "rebuild"
IMPORT: Final = "import"
SEQUENCING: Final = "sequencing"
WITNESSING: Final = "witnessing"
ARCHIVE: Final = "archive"
KEY_ROTATION: Final = "key rotation"
LOG_RESTART: Final = "log restart"
SERVER: Final = "server"
"""The name of a process that does the work SEQUENCING, and is neither a key rotation nor a log restart."""


class WorkUnderWay(Exception):
    """The work *work* is running on this database already. *is_same*: the caller wanted to begin the same work."""

    def __init__(self, work: str, *, is_same: bool = True) -> None:
        super().__init__(f"{'Another' if is_same else 'A'} {work} is running on this database")
        self.work = work


@contextmanager
def exclusive_work(engine: Engine, work: str) -> Iterator[None]:
    """Run the block while no other process does the same *work* on the database of *engine*.

    On SQLite the block holds a lock on a file beside the database. On PostgreSQL a separate session holds an advisory
    lock; if this session is cut, the block continues without the lock. This can't harm the order of events, which does
    not depend on the lock. When the process dies, the lock is released.

    Raises:
        WorkUnderWay: the lock is not free; this function does not wait for the lock.
        WriteLockNotAcquired: the lock file can be neither opened nor created.
    """
    if engine.dialect.name == "sqlite":
        yield from _by_file(FileLock(sqlite_path(engine.url), work.replace(" ", "-")), work)
    else:
        with engine.connect().execution_options(**_OPTIONS) as connection:
            connection.detach()  # A detached session is closed, not pooled, so it releases its lock.
            yield from _by_session(connection, work)


@contextmanager
def without_servers(engine: Engine, work: str) -> Iterator[None]:
    """Run the block, whose *work* is a key rotation or a log restart, while no server and no other such work runs.

    Raises:
        WorkUnderWay: a server, a key rotation or a log restart is running; the error names it.
        WriteLockNotAcquired: as for `exclusive_work`.
    """
    with exclusive_work(engine, work), ExitStack() as held:
        try:
            held.enter_context(exclusive_work(engine, SEQUENCING))
        except WorkUnderWay as error:
            others = {KEY_ROTATION, LOG_RESTART} - {work}
            holder = next((other for other in others if _is_under_way(engine, other)), SERVER)
            raise WorkUnderWay(holder, is_same=False) from error
        yield


def _is_under_way(engine: Engine, work: str) -> bool:
    try:
        with exclusive_work(engine, work):
            return False
    except WorkUnderWay:
        return True


def _by_file(file: FileLock, work: str) -> Iterator[None]:
    try:
        is_acquired = file.acquire(0)
    except OSError as error:
        raise WriteLockNotAcquired(f"{error.filename} can't be opened: {error.strerror}") from error
    if not is_acquired:
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
        with suppress(DBAPIError):  # An error means that the session was cut, which released the lock.
            # Without this statement, the lock would be released only when the server has ended the session, a moment
            # later. A process that begins the same work within this moment would fail.
            connection.exec_driver_sql("SELECT pg_advisory_unlock(%s)", (number,))


_OPTIONS: Final[dict[str, Any]] = {MODE: "administering", "isolation_level": "AUTOCOMMIT"}
_FIRST_TO_END_IDLE_SESSIONS: Final = (14,)
