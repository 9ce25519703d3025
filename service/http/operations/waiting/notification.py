"""Wakes one reader of a stream or a feed, and says how far the reader must read (DECISIONS 134)."""

from contextlib import suppress
from threading import Lock


class Notification:
    """Wakes one reader once its stream or feed has an event after `position`, the last position that the reader saw."""

    def __init__(self) -> None:
        self.position = 0
        self.notified_head = 0
        """The head at the last poll that found a new event for the reader, which may still be busy with this event."""
        self.has_waited = False
        """Whether the reader has waited; before its first wait, it reads by itself."""
        self.is_abandoned = False
        """Whether the reader has left, so that nobody waits for the response any more."""
        self._announced = 0
        self._count = 0
        """The number of calls that announced a position."""
        self._count_seen = 0
        """The value of `_count` when the last wait ended: the reader has read since these announcements."""
        self._must_look = False
        self._asleep = Lock()  # Held while nobody has notified the reader. A lock costs less than an Event.
        self._asleep.acquire()

    @property
    def least(self) -> int:
        """The position up to which the reader must read; 0: unknown, so the reader must read up to the head."""
        return self._announced if self._announced > self.position else 0

    def notify(self, head: int = 0) -> None:
        """Wake the reader, because its stream or feed has reached the position *head*; 0: the position is not known.

        A reader that has seen the position *head* is not woken.
        Calls with a *head* must not overlap: their callers hold the same lock.
        """
        if not head:
            self._must_look = True
        elif head > self.position:
            self._announced = max(self._announced, head)
            self._count += 1
        else:
            return
        self._wake()

    def abandon(self) -> None:
        """End the wait, because the reader has left."""
        self.is_abandoned = True
        self.notify()

    def wait(self, position: int, seconds: float) -> bool:
        """Wait at most *seconds* for an event after *position*; return whether the reader was notified.

        A notification of an event that the reader has read since does not end the wait.
        """
        self.position, self.has_waited = position, True
        # If the lock was released, take it again: what the notifier wrote before the release is read below. A later
        # release ends the wait.
        self._asleep.acquire(blocking=False)
        if position < self._announced and self._count_seen == self._count:
            self._announced = 0  # The reader has read and found no such event: the hint was wrong.
        was_notified = self._must_look or self._announced > position or self._asleep.acquire(timeout=seconds)
        if was_notified:  # The reader reads after this, but perhaps not after a wait whose time was over.
            self._must_look = False
            self._count_seen = self._count
        return was_notified

    def _wake(self) -> None:
        with suppress(RuntimeError):  # The lock is released already.
            self._asleep.release()
