"""Wakes one reader of a stream or a feed, and says how far the reader must read."""

from threading import Event


class Notification:
    """Wakes one reader once its stream has an event after `position`, the latest position that the reader has seen."""

    def __init__(self) -> None:
        self.position = 0
        self.notified_head = 0
        """The position of the head at the last notification. The reader may still be busy with that notification."""
        self.is_abandoned = False
        """Whether the reader has left, so that nobody waits for the response any more."""
        self._announced = 0
        self._asked = 0
        """The announced position when the last wait ended; since then, the reader has read up to this position."""
        self._event = Event()

    @property
    def least(self) -> int:
        """The position up to which the reader must read; 0: unknown, so the reader must read up to the head."""
        return self._announced if self._announced > self.position else 0

    def notify(self, head: int = 0) -> None:
        """Wake the reader, because its stream has reached the position *head*; 0: the position is not known."""
        self._announced = max(self._announced, head)
        self._event.set()

    def abandon(self) -> None:
        """End the wait, because the reader has left."""
        self.is_abandoned = True
        self._event.set()

    def wait(self, position: int, seconds: float) -> bool:
        """Wait at most *seconds* for an event after *position*; return whether `notify` was called."""
        self.position = position
        if position < self._asked == self._announced:
            self._announced = 0  # The reader has read, and found no event at this position: the hint was wrong.
        was_notified = self._event.wait(seconds)
        self._event.clear()
        self._asked = self._announced
        return was_notified
