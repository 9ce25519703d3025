"""What is looked up once for all who ask within a moment."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from service.clock import Clock

T = TypeVar("T")


class TtlCache(Generic[T]):
    """What *look* saw, for so many *seconds*; one at a time looks, and meanwhile the others have what it saw last."""

    def __init__(self, look: Callable[[], T], seconds: float, clock: Clock) -> None:
        self._look = look
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._seen: tuple[T, float] | None = None

    def get(self) -> T:
        """Return what is to be seen."""
        seen = self._seen
        if seen is not None and (self._is_fresh(seen) or not self._lock.acquire(blocking=False)):
            return seen[0]
        if seen is None:
            self._lock.acquire()
        try:
            if self._seen is None or not self._is_fresh(self._seen):
                self._seen = (self._look(), self._clock.monotonic())
            return self._seen[0]
        finally:
            self._lock.release()

    def _is_fresh(self, seen: tuple[T, float]) -> bool:
        return self._clock.monotonic() - seen[1] < self._seconds
