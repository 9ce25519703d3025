"""Polls the heads of the streams and feeds that have readers, for events of which nobody notifies this process."""

# DECISIONS 141

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Final, TypeAlias

from sqlalchemy.exc import SQLAlchemyError

from service.http.operations.waiting.notification import Notification
from service.http.operations.waiting.readers import Awaited, Readers

_SHORTEST_PAUSE_SECONDS: Final = 0.01
_LONGEST_PAUSE_SECONDS: Final = 0.1
"""The longest pause between two polls of the heads of streams and feeds, unless `_HEADS_PER_SECOND` needs a longer one.

Nothing notifies the readers in this process of events that another server records, so a thread polls the heads. A feed
changes when the sequencer, which may run in another process, has given leaves their indexes. After a change the thread
pauses only briefly, so that readers get the next event soon. While nothing changes, each pause is twice as long as the
pause before, up to this maximum. If the workers of the server send each other hints, a change of a stream does not
shorten the pause: for nearly every change that the poll finds, a hint arrives a moment later.
"""
_HEADS_PER_SECOND: Final = 2_000
"""If the workers send each other hints and nothing changes, the pauses grow until polls read this many heads a second.

If there are few heads, the longest pause is `_LONGEST_PAUSE_SECONDS`.
"""

ReadHeads: TypeAlias = Callable[[Collection[Awaited]], Mapping[Awaited, int]]
"""Returns the positions of the heads of streams and feeds. The position in a feed is a size of the tree."""


class HeadWatcher:
    """Notifies *readers* of the new events that it finds; its thread runs while any stream or feed has a reader."""

    def __init__(self, readers: Readers, heads: ReadHeads) -> None:
        self.readers: Final = readers
        self._heads = heads
        self._thread: Thread | None = None
        self._lock = Lock()
        self._ended = Event()

    @contextmanager
    def notification(self, awaited: Awaited, *, is_throttled: bool = False) -> Iterator[Notification]:
        """Yield a notification of new events in a stream or a feed. Only a reader of a stream can be throttled."""
        with self.readers.notification(awaited, is_throttled=is_throttled) as notification:
            self._start()
            yield notification

    def end(self) -> None:
        """End the thread, and notify all readers: the process is about to stop."""
        self._ended.set()
        self.readers.end()
        if thread := self._thread:
            thread.join()  # the caller is about to close the database that the thread reads

    def _start(self) -> None:
        """Start the watcher, unless it runs.

        Raises:
            RuntimeError: the system refused a thread; the next reader tries again.
        """
        with self._lock:
            if self._thread is None:
                thread = Thread(target=self._watch, name="watch-heads", daemon=True)
                thread.start()
                self._thread = thread

    def _watch(self) -> None:
        """Poll the heads of the streams and feeds that have readers, until none has a reader or the process stops."""
        pause_seconds = _SHORTEST_PAUSE_SECONDS
        try:
            # The pause comes first, because each reader reads by itself before it waits: many never wait.
            while not self._ended.wait(pause_seconds) and (each := self._awaited()):
                longer = min(2 * pause_seconds, self._longest_pause_seconds(len(each)))
                pause_seconds = _SHORTEST_PAUSE_SECONDS if self._poll(each) else longer
        except BaseException:
            self._thread = None  # this is a defect; the next reader starts another watcher
            raise

    def _longest_pause_seconds(self, heads: int) -> float:
        return max(_LONGEST_PAUSE_SECONDS, heads / _HEADS_PER_SECOND * self.readers.has_hints)

    def _awaited(self) -> Collection[Awaited]:
        """Return the streams and feeds that have a reader. If none has, let the next reader start a new watcher."""
        with self._lock:
            awaited = self.readers.awaited()
            if not awaited:
                self._thread = None
            return awaited

    def _poll(self, each: Collection[Awaited]) -> bool:
        """Read the heads of the streams and feeds in *each*, and notify their readers of new events.

        Return what `Readers.poll` returns. If the heads can't be read, notify all readers, and return False.
        """
        try:
            heads = self._heads(each)
        except SQLAlchemyError:
            self.readers.notify_all()  # each reader then reads by itself, and reports the error of its own read
            return False
        return self.readers.poll(heads)
