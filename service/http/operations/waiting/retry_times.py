"""Spreads the repeats of refused requests over time, so that the refusals stay cheap (DECISIONS 132)."""

from threading import Lock
from typing import Final

from service.clock import Clock

_PER_SECOND: Final = 20.0
"""How many refused clients are asked to come back in the same second."""
_MOST_SECONDS: Final = 30.0


class RetryTimes:
    """Gives each refused client a time at which to try again: one second from now, or later after many refusals.

    The times are a twentieth of a second apart. The header has whole seconds, so about twenty clients get the same
    second. A client whose time would be later than `_MOST_SECONDS` from now gets `_MOST_SECONDS`. While fewer than
    `_PER_SECOND` clients a second are refused, the number of seconds falls again, down to one.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0.0
        self._lock = Lock()

    def headers(self) -> dict[str, str]:
        """Return the header Retry-After with the next free time: 1 to 30 seconds from now."""
        now = self._clock.monotonic()
        with self._lock:
            self._last = min(max(now + 1.0, self._last + 1.0 / _PER_SECOND), now + _MOST_SECONDS)
            return {"Retry-After": str(round(self._last - now))}
