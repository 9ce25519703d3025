"""Turns at writing SQLite: one transaction at a time, whichever thread of whichever process it is of."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock
from typing import Final

from service.clock import Clock

_AGAIN_SECONDS: Final = 0.0005
_CLOCK: Final = Clock()
_NEVER: Final = Event()


class WriteLockNotAcquired(Exception):
    """Another writer of the SQLite database, in this process or in another one, held it for too long."""


class FileLock:
    """A file beside *database* that one at a time holds for its *work*, in this process or in another.

    The system's own waiting has no end that could be set, so it is asked again every half millisecond. Whoever dies
    lets go. The file is empty, is made where there is none, for all who may use the database, and may be removed while
    nobody holds it.
    """

    def __init__(self, database: Path, work: str = "turn") -> None:
        self._database: Final = database
        self._path: Final = database.with_name(f"{database.name}-{work}")
        self._descriptor = -1

    def acquire(self, seconds: float) -> bool:
        """Wait for it, at most for *seconds*; tell whether it is ours. One thread at a time may ask.

        Raises:
            OSError: the file can be neither opened nor made.
        """
        end = _CLOCK.monotonic() + seconds
        self._descriptor = self._opened()
        is_ours = False
        try:
            while not (is_ours := self._is_free()) and _CLOCK.monotonic() < end:
                _NEVER.wait(_AGAIN_SECONDS)
        finally:
            if not is_ours:
                self.release()
        return is_ours

    def release(self) -> None:
        """Let the next one have it."""
        os.close(self._descriptor)

    def _opened(self) -> int:
        try:
            return os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)  # to hold it takes no right to write to it
        except FileNotFoundError:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        with suppress(OSError):  # somebody else has made it meanwhile, or there is no database yet
            os.fchmod(descriptor, self._database.stat().st_mode & 0o666)
        return descriptor

    def _is_free(self) -> bool:
        """Take it, if nobody holds it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class WriteLock:
    """The turns at one database: among the threads of this process, and then among processes, by a *file*.

    SQLite's own waiting is sleeping in growing steps. And its lock is let go before COMMIT copies the journal into the
    database, which a turn outlasts: until 3.51.3 SQLite can lose pages where one process copies them while another
    one writes (sqlite.org/wal.html, "the WAL-reset bug").
    """

    def __init__(self, file: FileLock, patience_seconds: float, check: Callable[[], None] = lambda: None) -> None:
        """*check* raises `WriteLockNotAcquired` where nothing may be written, whoever's turn it is."""
        self._threads = Lock()
        self._check = check
        self._file = file
        self._patience_seconds = patience_seconds

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Write while nobody else does.

        Raises:
            WriteLockNotAcquired: others did for too long.
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
            is_ours = self._file.acquire(seconds)
        except OSError as error:
            raise WriteLockNotAcquired(f"{error.filename} can't be opened: {error.strerror}") from error
        if not is_ours:
            raise WriteLockNotAcquired("another process is still writing")
