"""Long polls and event streams: each waits for the next event of a table or a feed, and blocks a thread meanwhile."""

# DECISIONS 21

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Event, Lock, Thread
from typing import Final, Protocol, Self, TypeAlias, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from service.clock import Clock
from service.http.operations.bulkhead import KEYLESS, Bulkhead, Limits
from service.http.operations.waiting.notification import Notification
from service.http.operations.waiting.retry_times import RetryTimes
from service.http.problems.problem import RETRY, Problem

MOST_SECONDS: Final = 30
"""The longest wait that a long poll may ask for, in seconds."""
_SHORTEST_PAUSE_SECONDS: Final = 0.01
_LONGEST_PAUSE_SECONDS: Final = 0.1
"""The longest pause between two polls of the heads of streams and feeds.

Nothing notifies the readers in this process of events that another server or the timekeeper records, so a thread polls
the heads. A feed changes when the sequencer, which may run in another process, has given leaves their indexes. After a
change the thread pauses only briefly, so that readers get the next event soon. While nothing changes, each pause is
twice as long as the pause before, up to this maximum. If the workers of the server send each other hints, a change of a
stream does not shorten the pause: for nearly every change that the poll finds, a hint arrives a moment later.
"""

Awaited: TypeAlias = bytes | str
"""What a request waits for: a stream, by its id, or a feed, by its name (DECISIONS 100)."""

ReadHeads = Callable[[Collection[Awaited]], Mapping[Awaited, int]]
"""Returns the positions of the heads of streams and feeds. The position in a feed is a size of the tree."""


class HasPosition(Protocol):
    """The state of a stream or a feed at a position."""

    @property
    def position(self) -> int:
        """The position of the head when the state was read."""


class Hints(Protocol):
    """The hints of new events that the processes of a server give each other."""

    def begin(self, stream_id: bytes) -> None:
        """From now on get hints of the stream."""

    def end(self, stream_id: bytes) -> None:
        """Undo one call of `begin`."""

    def send(self, stream_id: bytes, position: int) -> None:
        """Tell the other processes that the stream has an event at *position*."""


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
    """Hands out waiting slots, within *limits*, and notifies readers of new events.

    The settings call a waiting slot a waiting place.
    """

    def __init__(
        self,
        limits: Limits,
        heads: ReadHeads,
        clock: Clock,
        *,
        count: Callable[[int], None] = lambda _: None,
        waiting: Callable[[Callable[[], None]], AbstractContextManager[None]] = lambda _: nullcontext(),
    ) -> None:
        """*count* is called with the number of taken waiting slots whenever this number changes.

        A request waits inside the context *waiting*, which gives the request's worker slot back during the wait, and
        gets a function that ends the wait.
        """
        self._count = count
        self._waiting = waiting
        self._bulkhead = Bulkhead(limits)
        self._heads = heads
        self._clock = clock
        self._retry_times = RetryTimes(clock)
        self._hints: Hints | None = None
        self._slots: set[Slot] = set()
        self._notifications: dict[Awaited, set[Notification]] = {}
        self._watcher: Thread | None = None
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
                raise Problem("place_must_be_free", why, headers=self._retry_times.headers())
            slot = Slot(quota_owners, self._leave)
            self._slots.add(slot)
            self._bulkhead.enter(quota_owners)
            self._count(len(self._slots))
            return slot

    @contextmanager
    def notification(self, awaited: Awaited) -> Iterator[Notification]:
        """Yield a notification of new events in a stream or a feed."""
        notification = Notification()
        with self._lock:
            readers = self._notifications.setdefault(awaited, set())
            if not readers and self._hints is not None and isinstance(awaited, bytes):
                self._hints.begin(awaited)
            readers.add(notification)
            if self._watcher is None:
                self._watcher = Thread(target=self._watch, name="watch-heads", daemon=True)
                self._watcher.start()
        try:
            yield notification
        finally:
            with self._lock:
                readers.remove(notification)
                if not readers:
                    del self._notifications[awaited]
                    if self._hints is not None and isinstance(awaited, bytes):
                        self._hints.end(awaited)

    def has_readers(self, stream_id: bytes) -> bool:
        """Return whether a request in this process waits for the next event of the stream, or reads it."""
        return stream_id in self._notifications

    def share(self, hints: Hints) -> None:
        """From now on send *hints* of new events to the other processes; a hint from another process calls `hear`.

        Call this before the first reader waits.
        """
        self._hints = hints

    def notify(self, stream_id: bytes, position: int) -> None:
        """Wake the readers of the stream, because this process committed an event to the stream at *position*."""
        self.hear(stream_id, position)
        if self._hints is not None:
            self._hints.send(stream_id, position)

    def hear(self, stream_id: bytes, position: int) -> None:
        """Wake the readers of the stream in this process; the caller may be wrong about the event."""
        with self._lock:
            for notification in self._notifications.get(stream_id, ()):
                notification.notify(position)

    def wait_for(
        self,
        awaited: Awaited,
        seconds: int,
        quota_owners: Callable[[], tuple[str, ...]],
        look: Callable[[int], S],
        enough: Callable[[S], bool],
    ) -> S:
        """Call *look* until *enough* accepts the result or *seconds* are over; return the last result.

        The argument of *look* is `Notification.least`: *look* may return an older state that has reached this position.
        If the process is about to stop, or the client has left, the wait ends early.

        Raises:
            Problem: *enough* did not accept the first result, *seconds* is not 0, and `slot` has raised the problem.
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
                        notification.wait(state.position, left)
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
        self._notify_all()
        if watcher := self._watcher:
            watcher.join()  # the caller is about to close the database that the watcher reads

    def _leave(self, slot: Slot) -> None:
        with self._lock:
            if slot in self._slots:
                self._slots.remove(slot)
                self._bulkhead.leave(slot.quota_owners)
                self._count(len(self._slots))

    def _watch(self) -> None:
        """Poll the heads of the streams and feeds that have readers, until none has a reader or the process stops."""
        pause_seconds = _SHORTEST_PAUSE_SECONDS
        try:
            while not self.is_ending and (each := self._awaited()):
                longer = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)
                pause_seconds = _SHORTEST_PAUSE_SECONDS if self._poll(each) else longer
                self._ended.wait(pause_seconds)
        except BaseException:
            self._watcher = None  # this is a defect; the next reader starts another watcher
            raise

    def _awaited(self) -> Collection[Awaited]:
        """Return the streams and feeds that have a reader. If none has, let the next reader start a new watcher."""
        with self._lock:
            if not self._notifications:
                self._watcher = None
            return tuple(self._notifications)

    def _poll(self, each: Collection[Awaited]) -> bool:
        """Notify each reader of the streams and feeds *each* that has new events.

        Return whether a reader had neither seen a new event nor been notified of it; only readers of feeds count if the
        workers send each other hints.
        """
        try:
            heads = self._heads(each)
        except SQLAlchemyError:
            self._notify_all()  # each reader then reads its stream, and reports the error of this read
            return False
        with self._lock:
            awaited = [
                (head, notification) for one, head in heads.items() for notification in self._notifications.get(one, ())
            ]
            has_changed = any(
                max(notification.position, notification.notified_head) < head
                for one, head in heads.items()
                if self._hints is None or isinstance(one, str)
                for notification in self._notifications.get(one, ())
            )
            for head, notification in awaited:
                if notification.position < head:
                    notification.notified_head = head
                    notification.notify(head)
        return has_changed

    def _notify_all(self) -> None:
        with self._lock:
            for readers in self._notifications.values():
                for notification in readers:
                    notification.notify()


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
