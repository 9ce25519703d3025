"""Waiting for what happens at a table: long polls and streams, which hold a thread each while they last."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Event, Lock, Thread
from typing import Final, Protocol, Self, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from service.clock import Clock
from service.http.operations.bulkhead import Bulkhead, Limits
from service.http.problems.problem import RETRY, Problem

MOST_SECONDS: Final = 30
_SOONEST_SECONDS: Final = 0.01
_LATEST_SECONDS: Final = 0.1
"""What another process records rings no bell here, and neither does the timekeeper: so the heads are looked at.

That is done often where things happen fast, so that nobody waits for a look much longer than for what it finds; each
time that nothing has happened it is put off for twice as long, up to this.
"""

ReadHeads = Callable[[Collection[bytes]], Mapping[bytes, int]]
"""Reads where streams stand."""


class Seen(Protocol):
    """What was seen of a stream at a position."""

    @property
    def position(self) -> int:
        """Where the stream stood."""


S = TypeVar("S", bound=Seen)


class Notification:
    """Rings once its stream goes on past the *position* that its holder has seen."""

    def __init__(self) -> None:
        self.position = 0
        self.notified_head = 0
        """The head that it was last rung for; who holds it may be busy telling of another one."""
        self._event = Event()

    def notify(self) -> None:
        """Wake whoever waits for it."""
        self._event.set()

    def wait(self, position: int, seconds: float) -> bool:
        """Wait until the stream stands beyond *position*, at most for *seconds*; tell whether it rang."""
        self.position = position
        rang = self._event.wait(seconds)
        self._event.clear()
        return rang


class Slot:
    """One of the places for those who wait, taken for *quota_owners* until it is left; leaving twice is leaving once."""

    def __init__(self, quota_owners: tuple[str, ...], leave: "Callable[[Slot], None]") -> None:
        self.quota_owners: Final = quota_owners
        self._leave = leave

    def leave(self) -> None:
        """Let somebody else have it."""
        self._leave(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()


class LongPolls:
    """The places of those who wait, within *limits*, and their bells by stream."""

    def __init__(
        self,
        limits: Limits,
        heads: ReadHeads,
        clock: Clock,
        *,
        count: Callable[[int], None] = lambda _: None,
        without_slot: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """*count* is called with how many wait, whenever that changes; a request sleeps inside *without_slot*."""
        self._count = count
        self._without_slot = without_slot
        self._bulkhead = Bulkhead(limits)
        self._heads = heads
        self._clock = clock
        self._slots: set[Slot] = set()
        self._notifications: dict[bytes, set[Notification]] = {}
        self._watcher: Thread | None = None
        self._lock = Lock()
        self._ended = Event()

    @property
    def slots_taken(self) -> int:
        """How many places are taken."""
        return len(self._slots)

    @property
    def is_ending(self) -> bool:
        """Whether the process is about to stop, so that nobody should wait any more."""
        return self._ended.is_set()

    def slot(self, *quota_owners: str) -> Slot:
        """Take a place for *quota_owners*, which must be left again.

        Raises:
            Problem: all are taken, or one of *quota_owners* has its share.
        """
        with self._lock:
            if self._ended.is_set():
                raise Problem("place_must_be_free", "The service is about to stop.", headers=RETRY)
            full = self._bulkhead.full_for(quota_owners)
            if full is not None:
                raise Problem("place_must_be_free", _why(full, self._bulkhead.limits), headers=RETRY)
            taken = Slot(quota_owners, self._leave)
            self._slots.add(taken)
            self._bulkhead.enter(quota_owners)
            self._count(len(self._slots))
            return taken

    @contextmanager
    def notification(self, stream_id: bytes) -> Iterator[Notification]:
        """Hang up a bell for the stream."""
        notification = Notification()
        with self._lock:
            self._notifications.setdefault(stream_id, set()).add(notification)
            if self._watcher is None:
                self._watcher = Thread(target=self._watch, name="watch-heads", daemon=True)
                self._watcher.start()
        try:
            yield notification
        finally:
            with self._lock:
                notifications = self._notifications[stream_id]
                notifications.remove(notification)
                if not notifications:
                    del self._notifications[stream_id]

    def notify(self, stream_id: bytes) -> None:
        """Wake whoever waits for the stream: something was committed to it."""
        with self._lock:
            for notification in self._notifications.get(stream_id, ()):
                notification.notify()

    def wait_for(
        self,
        stream_id: bytes,
        seconds: int,
        quota_owners: Callable[[], tuple[str, ...]],
        look: Callable[[], S],
        enough: Callable[[S], bool],
    ) -> S:
        """Return what *look* sees, as soon as it is *enough*, or the *seconds* are over.

        Raises:
            Problem: it is not there yet, and there is no place to wait for it.
        """
        end = self._clock.monotonic() + seconds
        seen = look()
        if not seconds or enough(seen):
            return seen
        with self.slot(*quota_owners()), self.notification(stream_id) as notification:
            while not enough(seen) and not self.is_ending and (left := end - self._clock.monotonic()) > 0:
                with self._without_slot():
                    notification.wait(seen.position, left)
                seen = look()
        return seen

    def pause(self, seconds: float) -> None:
        """Let so many seconds pass, or fewer where the process is about to stop."""
        if seconds > 0:
            self._ended.wait(seconds)

    def end(self) -> None:
        """Let nobody wait any more: the process is about to stop."""
        self._ended.set()
        self._notify_all()
        if watcher := self._watcher:
            watcher.join()  # what it reads with is about to be let go

    def _leave(self, slot: Slot) -> None:
        with self._lock:
            if slot in self._slots:
                self._slots.remove(slot)
                self._bulkhead.leave(slot.quota_owners)
                self._count(len(self._slots))

    def _watch(self) -> None:
        """Look where the streams stand for as long as there is a bell."""
        pause_seconds = _SOONEST_SECONDS
        try:
            while not self.is_ending and (streams := self._awaited()):
                has_rung = self._look(streams)
                pause_seconds = _SOONEST_SECONDS if has_rung else min(2 * pause_seconds, _LATEST_SECONDS)
                self._ended.wait(pause_seconds)
        except BaseException:
            self._watcher = None  # a defect; whoever comes next is watched for again
            raise

    def _awaited(self) -> Collection[bytes]:
        """Return the streams that somebody waits for; where there is none the watch is over."""
        with self._lock:
            if not self._notifications:
                self._watcher = None
            return tuple(self._notifications)

    def _look(self, streams: Collection[bytes]) -> bool:
        """Ring for those of *streams* that have gone on; tell whether one has since it was last rung for."""
        try:
            heads = self._heads(streams)
        except SQLAlchemyError:
            self._notify_all()  # whoever waits looks, and answers for what it finds
            return False
        with self._lock:
            awaited = [
                (head, notification)
                for stream_id, head in heads.items()
                for notification in self._notifications.get(stream_id, ())
            ]
            has_gone_on = any(
                max(notification.position, notification.notified_head) < head for head, notification in awaited
            )
            for head, notification in awaited:
                if notification.position < head:
                    notification.notified_head = head
                    notification.notify()
        return has_gone_on

    def _notify_all(self) -> None:
        with self._lock:
            for notifications in self._notifications.values():
                for notification in notifications:
                    notification.notify()


def _why(full: str, limits: Limits) -> str:
    """Say why there is no place; *full* is the party that has its share, "": all places are taken."""
    if not full:
        return f"All {limits.in_all} places are taken."
    return f"{limits.each} are the most for one owner, for one address, and for a host with the owners that it made."
