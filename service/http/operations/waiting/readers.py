"""Lists the requests of this process that wait for events, and notifies them of events (DECISIONS 132 and 141)."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Final, Protocol, TypeAlias

from service.http.operations.waiting.notification import Notification

_REST_SECONDS: Final = 0.003
"""After a notification of throttled readers their streams rest for this long, times the number of these readers."""
_LONGEST_REST_SECONDS: Final = 0.1

Awaited: TypeAlias = bytes | str
"""What a request waits for: a stream, by its id, or a feed, by its name (DECISIONS 100)."""


class Hints(Protocol):
    """The hints of new events that the processes of a server send each other."""

    def begin(self, stream_id: bytes) -> None:
        """From now on get hints of the stream."""

    def end(self, stream_id: bytes) -> None:
        """Undo one call of `begin`."""

    def send(self, stream_id: bytes, position: int) -> None:
        """Send the other processes a hint that the stream has an event at *position*."""

    def end_hearing(self) -> None:
        """Hear no further hints, and wait until the thread that hears hints has ended."""


class _Of:
    """The readers of one stream or feed."""

    def __init__(self) -> None:
        self.prompt: set[Notification] = set()
        self.throttled: set[Notification] = set()

    def __iter__(self) -> Iterator[Notification]:
        yield from self.prompt
        yield from self.throttled

    def __bool__(self) -> bool:
        return bool(self.prompt or self.throttled)


class Readers:
    """The readers of streams and feeds.

    Throttled readers are notified of an event immediately. Then their stream rests: they are notified of all further
    events together, at the end of the rest. There is one rest at a time. Its length depends on the throttled readers of
    the streams that rest when it begins; a stream that begins to rest later rests only until the end of this rest. So
    the rest limits the notifications at streams that get events all the time; streams with an event now and then
    hardly rest.
    """

    def __init__(self, read_on: Callable[[Mapping[bytes, int]], None] = lambda _: None) -> None:
        """*read_on* reads each stream of a mapping up to the position in the mapping.

        It is called before this object notifies the readers of these streams after a hint or at the end of a rest.
        """
        self._read_on = read_on
        self._readers: dict[Awaited, _Of] = {}
        self._hints: Hints | None = None
        self._resting: dict[bytes, int] = {}
        """The streams whose throttled readers must not be notified now.

        The value is the position of the newest event of which they were not notified, or 0.
        """
        self._rests = Event()
        """Set while a stream is in `_resting`, and at the end."""
        self._ended = Event()
        self._throttle: Thread | None = None
        self._lock = Lock()

    @contextmanager
    def notification(self, awaited: Awaited, *, is_throttled: bool = False) -> Iterator[Notification]:
        """Yield a notification of new events in a stream or a feed. Only a reader of a stream can be throttled."""
        notification = Notification()
        with self._lock:
            if is_throttled and self._throttle is None:
                throttle = Thread(target=self._notify_throttled, name="throttle-streams", daemon=True)
                throttle.start()
                self._throttle = throttle
            readers = self._readers.setdefault(awaited, _Of())
            if not readers and self._hints is not None and isinstance(awaited, bytes):
                self._hints.begin(awaited)
            kind = readers.throttled if is_throttled else readers.prompt
            kind.add(notification)
        try:
            yield notification
        finally:
            with self._lock:
                kind.remove(notification)
                if not readers:
                    del self._readers[awaited]
                    if self._hints is not None and isinstance(awaited, bytes):
                        self._hints.end(awaited)

    def awaited(self) -> tuple[Awaited, ...]:
        """Return the streams and feeds that have a reader."""
        with self._lock:
            return tuple(self._readers)

    def has_readers(self, stream_id: bytes) -> bool:
        """Return whether a request in this process awaits events of the stream: it waits, or reads before its wait."""
        return stream_id in self._readers

    @property
    def has_hints(self) -> bool:
        """Whether the processes of this server send each other hints."""
        return self._hints is not None

    def share(self, hints: Hints) -> None:
        """From now on send hints of new events to the other processes through *hints*.

        Call this before the first reader waits. *hints* must call `hear` with the hints that come from other processes.
        """
        self._hints = hints

    def notify(self, stream_id: bytes, position: int) -> None:
        """Notify the readers of a stream, and send a hint, because this process committed an event at *position*."""
        with self._lock:
            self._notify(stream_id, position)
        if self._hints is not None:
            self._hints.send(stream_id, position)

    def hear(self, heads: Mapping[bytes, int]) -> None:
        """Notify the readers of the streams in *heads*, because other processes committed events there.

        *heads* are the positions that hints named; a hint may be wrong. The events that the readers of a table share
        are read first, so that no reader waits while another reader reads them.
        """
        with self._lock:
            heads = {one: head for one, head in heads.items() if self._is_heard(one, head)}
        self._read_on(heads)
        with self._lock:
            for stream_id, head in heads.items():
                self._notify(stream_id, head)

    def poll(self, heads: Mapping[Awaited, int]) -> bool:
        """Notify each reader whose stream or feed has new events; *heads* are the positions that a poll found.

        Return True if this poll has found an event that no earlier poll found, for a reader that has waited and has not
        seen the event. If the workers send each other hints, only readers of feeds count.
        """
        has_changed = False
        with self._lock:
            for one, head in heads.items():
                counts = self._hints is None or isinstance(one, str)
                behind = [reader for reader in self._readers.get(one, ()) if reader.position < head]
                has_changed |= counts and any(each.notified_head < head and each.has_waited for each in behind)
                is_new = any(each.notified_head < head for each in behind)
                for reader in behind:
                    reader.notified_head = head
                    if not is_new:  # The reader is busy, or missed a notification. Its stream must not rest again.
                        reader.notify(head)
                if is_new:
                    self._notify(one, head)
        return has_changed

    def notify_all(self) -> None:
        """Let every reader read, because of an error or because the process is about to stop."""
        with self._lock:
            for readers in self._readers.values():
                for notification in readers:
                    notification.notify()

    def end(self) -> None:
        """End the throttle, the hearing of hints and every wait: the process is about to stop."""
        with self._lock:
            self._ended.set()
            self._rests.set()  # `end_rest` does not clear this event any more: otherwise the thread would wait for ever
        self.notify_all()
        if throttle := self._throttle:
            throttle.join()  # the caller is about to close the database that `read_on` reads
        if self._hints is not None:
            self._hints.end_hearing()  # `hear` reads the same database

    def end_rest(self) -> None:
        """Notify the throttled readers of the events since their last notification, and let their streams rest again.

        A stream without such events rests no longer.
        """
        with self._lock:
            due = {stream_id: head for stream_id, head in self._resting.items() if head}
            self._resting = dict.fromkeys(due, 0)
            if not due and not self._ended.is_set():
                self._rests.clear()
        if due:
            self._read_on(due)
            with self._lock:
                for stream_id, head in due.items():
                    if (readers := self._readers.get(stream_id)) is not None:
                        for notification in readers.throttled:
                            notification.notify(head)

    def _is_heard(self, stream_id: bytes, head: int) -> bool:
        """Return whether a reader must be notified now; if all readers of the stream rest, remember *head* for them."""
        readers = self._readers.get(stream_id)
        if readers is None:
            return False
        if readers.prompt or stream_id not in self._resting:
            return True
        self._resting[stream_id] = max(head, self._resting[stream_id])
        return False

    def _notify(self, awaited: Awaited, head: int) -> None:
        """Notify the readers, but remember *head* for throttled readers that rest. The caller must hold the lock."""
        readers = self._readers.get(awaited)
        if readers is None:
            return
        for notification in readers.prompt:
            notification.notify(head)
        if not readers.throttled or isinstance(awaited, str):
            return
        if awaited in self._resting:
            self._resting[awaited] = max(head, self._resting[awaited])
            return
        for notification in readers.throttled:
            notification.notify(head)
        self._resting[awaited] = 0
        self._rests.set()

    def _notify_throttled(self) -> None:
        """At the end of each rest, notify the throttled readers, until the process stops."""
        while self._rests.wait() and not self._ended.wait(self._rest_seconds()):
            self.end_rest()

    def _rest_seconds(self) -> float:
        """Return for how many seconds the streams in `_resting` must rest."""
        with self._lock:
            resting = [self._readers[one] for one in self._resting if one in self._readers]
            return min(_LONGEST_REST_SECONDS, _REST_SECONDS * sum(len(each.throttled) for each in resting))
