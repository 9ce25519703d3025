"""The write lock of an SQLite database: of all threads and processes, only one writes at a time."""

# DECISIONS 45 and 70

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock
from typing import Final

from service.clock import Clock

_POLL_SECONDS: Final = 0.0005
_CLOCK: Final = Clock()
_NEVER: Final = Event()


class WriteLockNotAcquired(Exception):
    """Nothing was written: other writers were busy for too long, or the lock's file can't be opened."""


class FileLock:
    """A lock on a file beside *database*. Each kind of *work* has its own file.

    *database* may also be a file of another kind, such as the file of a witness. At most one thread of one process
    holds the lock. The operating system can't wait for the lock with a timeout, so this class polls every half
    millisecond. When a process dies, the operating system releases its lock.

    The file is empty. If the file is missing, this class creates it with the database's permissions. The operator may
    delete the file while no process holds the lock or waits for it.
    """

    def __init__(self, database: Path, work: str = "turn") -> None:
        self._database: Final = database
        self._path: Final = database.with_name(f"{database.name}-{work}")
        self._descriptor = -1

    def acquire(self, seconds: float) -> bool:
        """Wait for the lock for at most *seconds*; return whether it was acquired. Not thread-safe.

        Raises:
            OSError: the file can be neither opened nor created.
        """
        end = _CLOCK.monotonic() + seconds
        self._descriptor = self._open()
        is_acquired = False
        try:
            while not (is_acquired := self._try()) and _CLOCK.monotonic() < end:
                _NEVER.wait(_POLL_SECONDS)
        finally:
            if not is_acquired:
                self.release()
        return is_acquired

    def release(self) -> None:
        """Release the lock."""
        os.close(self._descriptor)

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)  # Locking needs no permission to write.
        except FileNotFoundError:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        with suppress(OSError):  # another user made the file meanwhile, or there is no database yet
            os.fchmod(descriptor, self._database.stat().st_mode & 0o666)
        return descriptor

    def _try(self) -> bool:
        """Acquire the lock if it is free; return whether it was acquired."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class WriteLock:
    """The write lock of one database: a lock among the threads of this process, then a *file* lock among processes.

    SQLite's own lock is not enough, for two reasons. A writer that waits for SQLite's lock sleeps longer after each
    attempt. And SQLite releases its lock before COMMIT copies the write-ahead log into the database; the write lock is
    released after the copy. Before 3.51.3 SQLite can lose pages if one process copies the log while another process
    writes (sqlite.org/wal.html, "the WAL-reset bug").
    """

    def __init__(self, file: FileLock, patience_seconds: float, check: Callable[[], None] = lambda: None) -> None:
        """Call *check* whenever the lock is acquired; *check* raises `WriteLockNotAcquired` to forbid writing."""
        self._threads = Lock()
        self._check = check
        self._file = file
        self._patience_seconds = patience_seconds

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the lock while the block runs.

        Raises:
            WriteLockNotAcquired: other writers held the lock for too long, the lock file can't be opened, or *check*
                raised this error.
        """
        end = _CLOCK.monotonic() + self._patience_seconds
        if not self._threads.acquire(timeout=self._patience_seconds):
            raise WriteLockNotAcquired("another transaction of this process is still writing")
        try:
            self._wait_for_processes(max(0.0, end - _CLOCK.monotonic()))
            try:
                self._check()
                yield
            finally:
                self._file.release()
        finally:
            self._threads.release()

    def _wait_for_processes(self, seconds: float) -> None:
        try:
            is_acquired = self._file.acquire(seconds)
        except OSError as error:
            raise WriteLockNotAcquired(f"{error.filename} can't be opened: {error.strerror}") from error
        if not is_acquired:
            raise WriteLockNotAcquired("another process is still writing")
