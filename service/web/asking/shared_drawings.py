"""Drawings of tables for spectators: all spectators of a table see the same drawing, so they share one drawing."""

# DECISIONS 113

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final
from zlib import crc32

from msgspec import Struct

from service.clock import Clock

_MOST: Final = 64
"""The maximum number of tables whose drawings are kept."""
_SECONDS: Final = 2.0
"""The seconds for which a drawing is kept: after an event all spectators ask for the new drawing at the same time."""
_LOCKS: Final = 16
_PATIENCE_SECONDS: Final = 0.25


class Shared(Struct, frozen=True):
    """A drawing as HTML, and the *position* of the table that it shows."""

    html: str
    position: int


class SharedDrawings:
    """Keeps the latest drawing of each table for a short time, as a spectator sees the table.

    All kept drawings are for spectators: *make* must ask the API without a key, and only a request without a sign-in
    may call `get`. So a kept drawing shows only what the API shows to everybody, and its key in the cache is the table
    alone. A player's own drawing is made for each request.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[Shared, float]] = OrderedDict()
        self._lock = Lock()
        self._making = tuple(Lock() for _ in range(_LOCKS))

    def get(self, table: str, least: int, make: Callable[[], Shared]) -> str:
        """Return a drawing of *table* at the position *least* or later: the kept drawing, or else the result of *make*.

        While one thread makes a drawing, the others wait for it, but at most a quarter of a second; then each of them
        makes a drawing too, because the API may have delayed the first thread's request. If *make* raises an
        error, `get` raises it, and nothing is kept.
        """
        making = self._making[crc32(table.encode()) % _LOCKS]
        has_lock = making.acquire(timeout=_PATIENCE_SECONDS)
        try:
            kept = self._find(table)
            if kept is None or kept.position < least:
                kept = make()
                self._keep(table, kept)
            return kept.html
        finally:
            if has_lock:
                making.release()

    def _find(self, table: str) -> Shared | None:
        with self._lock:
            shared, since = self._kept.get(table, (None, 0.0))
            return shared if self._clock.monotonic() - since < _SECONDS else None

    def _keep(self, table: str, made: Shared) -> None:
        with self._lock:
            self._kept[table] = (made, self._clock.monotonic())
            self._kept.move_to_end(table)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
