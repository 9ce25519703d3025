"""Long polls: who waits for a table is woken when something is recorded at it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Event, Lock
from typing import Final, TypeVar

from service.entropy import Entropy

T = TypeVar("T")

MOST_SECONDS: Final = 30
_LOOK_AGAIN_SECONDS: Final = 0.25
"""What another process records wakes nobody here, and neither does the timekeeper: so whoever waits looks for it."""


class Waiting:
    """Those who wait, by stream; never more than *most* at once, for each of them holds a thread."""

    def __init__(self, most: int, entropy: Entropy) -> None:
        self._places = BoundedSemaphore(most) if most else None
        self._entropy = entropy
        self._bells: dict[bytes, set[Event]] = {}
        self._lock = Lock()

    def wake(self, stream_id: bytes) -> None:
        """Wake whoever waits for the stream: something was committed to it."""
        with self._lock:
            for bell in self._bells.get(stream_id, ()):
                bell.set()

    def until(self, stream_id: bytes, seconds: int, look: Callable[[], T], enough: Callable[[T], bool]) -> T:
        """Return what *look* sees, as soon as it is *enough*, or the *seconds* are over.

        Where all places are taken it is what is there now.
        """
        if not seconds or self._places is None or not self._places.acquire(blocking=False):
            return look()
        try:
            with self._bell(stream_id) as bell:
                return self._wait(bell, self._entropy.monotonic() + seconds, look, enough)
        finally:
            self._places.release()

    def _wait(self, bell: Event, end: float, look: Callable[[], T], enough: Callable[[T], bool]) -> T:
        while not enough(seen := look()) and (left := end - self._entropy.monotonic()) > 0:
            bell.wait(min(left, _LOOK_AGAIN_SECONDS))
            bell.clear()
        return seen

    @contextmanager
    def _bell(self, stream_id: bytes) -> Iterator[Event]:
        bell = Event()
        with self._lock:
            self._bells.setdefault(stream_id, set()).add(bell)
        try:
            yield bell
        finally:
            with self._lock:
                bells = self._bells[stream_id]
                bells.remove(bell)
                if not bells:
                    del self._bells[stream_id]
