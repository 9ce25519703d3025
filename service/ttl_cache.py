"""A cache of one value that expires after a number of seconds."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from service.clock import Clock

T = TypeVar("T")


class TtlCache(Generic[T]):
    """Caches the result of *load* for *seconds*. While one thread loads again, other threads get the old result."""

    def __init__(self, load: Callable[[], T], seconds: float, clock: Clock) -> None:
        self._load = load
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._entry: tuple[T, float] | None = None

    def get(self) -> T:
        """Return the cached value. Load a value if there is none, or if the value has expired.

        If another thread is loading the first value, wait for this value.
        """
        entry = self._entry
        if entry is not None and (self._is_fresh(entry) or not self._lock.acquire(blocking=False)):
            return entry[0]
        if entry is None:
            self._lock.acquire()
        try:
            if self._entry is None or not self._is_fresh(self._entry):
                self._entry = (self._load(), self._clock.monotonic())
            return self._entry[0]
        finally:
            self._lock.release()

    def _is_fresh(self, entry: tuple[T, float]) -> bool:
        return self._clock.monotonic() - entry[1] < self._seconds
