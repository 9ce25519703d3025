"""Waiting slots, and the waits of long polls for the next event of a table or a feed. A wait blocks a thread."""

# DECISIONS 21 and 141

from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from threading import Event, Lock
from typing import Final, Protocol, Self, TypeVar

from service.clock import Clock
from service.http.operations.bulkhead import KEYLESS, Bulkhead, Limits
from service.http.operations.waiting.head_watcher import HeadWatcher
from service.http.operations.waiting.readers import Awaited
from service.http.operations.waiting.retry_times import RetryTimes
from service.http.problems.problem import RETRY, Problem

MOST_SECONDS: Final = 30
"""The longest wait that a long poll may ask for, in seconds."""


_MOST_RETRY_TIMES: Final = 1_000


class HasPosition(Protocol):
    """The state of a stream or a feed at a position."""

    @property
    def position(self) -> int:
        """The position of the head when the state was read."""


S = TypeVar("S", bound=HasPosition)


class Slot:
    """A waiting slot, taken for *quota_owners* until `leave` is called; a second call of `leave` does nothing."""

    def __init__(self, quota_owners: tuple[str, ...], leave: "Callable[[Slot], None]") -> None:
        self.quota_owners: Final = quota_owners
        self._leave = leave

    def leave(self) -> None:
        """Free the slot."""
        self._leave(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()


class LongPolls:
    """Hands out waiting slots (the settings call them waiting places), within *limits*, and lets requests wait."""

    def __init__(
        self,
        limits: Limits,
        watcher: HeadWatcher,
        clock: Clock,
        *,
        count: Callable[[int], None] = lambda _: None,
        waiting: Callable[[Callable[[], None]], AbstractContextManager[None]] = lambda _: nullcontext(),
    ) -> None:
        """*count* is called with the number of taken waiting slots whenever this number changes.

        A request waits inside the context that *waiting* returns, which gives the request's worker slot back during
        the wait. The argument of *waiting* is a function that ends the wait.
        """
        self._count = count
        self._waiting = waiting
        self._bulkhead = Bulkhead(limits)
        self.notification: Final = watcher.notification
        self.readers: Final = watcher.readers
        self._watcher = watcher
        self._clock = clock
        self._retry_times: OrderedDict[str, RetryTimes] = OrderedDict()
        """The retry times by the quota owner that had its share; "": those for requests that found all slots taken."""
        self._slots: set[Slot] = set()
        self._lock = Lock()
        self._ended = Event()

    @property
    def slots_taken(self) -> int:
        """The number of waiting slots that are taken."""
        return len(self._slots)

    @property
    def is_ending(self) -> bool:
        """Whether the process is about to stop, so that no request may wait any longer."""
        return self._ended.is_set()

    def slot(self, *quota_owners: str) -> Slot:
        """Take a waiting slot for *quota_owners*; the caller of this method must call the slot's `leave`.

        Raises:
            Problem: all slots are taken, one of *quota_owners* has its share, or the process is about to stop.
        """
        with self._lock:
            if self._ended.is_set():
                raise Problem("place_must_be_free", "The service is about to stop.", headers=RETRY)
            full = self._bulkhead.full_for(quota_owners)
            if full is not None:
                why = _why(full, self._bulkhead.limits)
                raise Problem("place_must_be_free", why, headers=self._retry_headers(full))
            slot = Slot(quota_owners, self._leave)
            self._slots.add(slot)
            self._bulkhead.enter(quota_owners)
            self._count(len(self._slots))
            return slot

    def wait_for(  # noqa: PLR0913 -- these are the parts of a wait
        self,
        awaited: Awaited,
        seconds: int,
        quota_owners: Callable[[], tuple[str, ...]],
        look: Callable[[int], S],
        enough: Callable[[S], bool],
        check: Callable[[], None] | None = None,
    ) -> S:
        """Call *look* until *enough* accepts the result or *seconds* are over; return the last result.

        The argument of *look* is `Notification.least`: *look* may return any state that has reached this position. If
        the process is about to stop, or the client has left, the wait ends early. *check*, if given, is called instead
        of a last *look* if the client has left, or if the time is over and nobody has notified the request: then
        nothing has changed but perhaps the caller's right to look (DECISIONS 141).

        Raises:
            Problem: *look* or *check* has raised it; or the request must wait, and `slot` has raised it.
        """
        if not seconds:
            return look(0)
        end = self._clock.monotonic() + seconds
        with self.notification(awaited) as notification:  # before the first look, so that no event is missed
            state = look(0)
            if enough(state):
                return state
            with self.slot(*quota_owners()):
                while not enough(state) and not self.is_ending and (left := end - self._clock.monotonic()) > 0:
                    with self._waiting(notification.abandon):
                        was_notified = notification.wait(state.position, left)
                    if check is not None and (notification.is_abandoned or not was_notified):
                        check()
                        break
                    if notification.is_abandoned:
                        break
                    state = look(notification.least)
        return state

    def pause(self, seconds: float) -> None:
        """Wait for *seconds*, or for less if the process is about to stop."""
        if seconds > 0:
            self._ended.wait(seconds)

    def end(self) -> None:
        """End every wait: the process is about to stop."""
        self._ended.set()
        self._watcher.end()

    def _retry_headers(self, full: str) -> Mapping[str, str]:
        """Return Retry-After for a request that is refused because of *full*. The caller must hold the lock."""
        times = self._retry_times.setdefault(full, RetryTimes(self._clock))
        self._retry_times.move_to_end(full)
        if len(self._retry_times) > _MOST_RETRY_TIMES:
            self._retry_times.popitem(last=False)
        return times.headers()

    def _leave(self, slot: Slot) -> None:
        with self._lock:
            if slot in self._slots:
                self._slots.remove(slot)
                self._bulkhead.leave(slot.quota_owners)
                self._count(len(self._slots))


def _why(full: str, limits: Limits) -> str:
    """Return why no slot is free; *full* is the quota owner that has its share, or "" if all slots are taken."""
    if not full:
        return f"All {limits.in_all} waiting slots are taken."
    if full == KEYLESS:
        return f"Requests without a key may together take at most {limits.of(full)} of the waiting slots."
    return (
        "One owner, one address, or one host together with the owners that it made may take at most "
        f"{limits.each} of the waiting slots."
    )
