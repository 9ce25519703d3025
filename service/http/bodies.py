"""Places for reading bodies: who sends the beginning of one and no more keeps a thread, but never all of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from service.entropy import Entropy
from service.http.problems import RETRY, Problem

PATIENCE_SECONDS = 1.0
"""How long nothing may move before whoever comes is turned away; a body that came whole is read in no time."""


class Bodies:
    """The *most* bodies that are read at once, nobody's in more than half of the places."""

    def __init__(self, most: int, entropy: Entropy) -> None:
        self._most = most
        self._most_each = max(1, most // 2)
        self._entropy = entropy
        self._begun: dict[str, list[float]] = {}
        """When each was begun that is being read, in the order of time, by its holder; seconds of `monotonic`."""
        self._left = Condition()

    @contextmanager
    def place(self, holder: str) -> Iterator[None]:
        """Keep a place for *holder* as long as the block lasts; wait for it while others come and go.

        Raises:
            Problem: all are taken, or *holder* has its share, and no body has been begun there for a while.
        """
        with self._left:
            while in_the_way := self._in_the_way(holder):
                seconds = max(in_the_way) + PATIENCE_SECONDS - self._entropy.monotonic()
                if seconds <= 0:
                    raise Problem("body_must_find_a_place", headers=RETRY)
                self._left.wait(seconds)
            begun = self._entropy.monotonic()
            self._begun.setdefault(holder, []).append(begun)
        try:
            yield
        finally:
            with self._left:
                held = self._begun[holder]
                held.remove(begun)
                if not held:
                    del self._begun[holder]
                self._left.notify_all()

    def _in_the_way(self, holder: str) -> list[float]:
        """Return when those were begun of which one must end first; none: there is a place."""
        own = self._begun.get(holder, [])
        if len(own) >= self._most_each:
            return own
        everybodys = [one for held in self._begun.values() for one in held]
        return everybodys if len(everybodys) >= self._most else []
