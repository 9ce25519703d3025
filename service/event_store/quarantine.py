"""Quarantine: the streams that a process has found not to hold, and what it says of them."""

from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple

import structlog

from service.database.cache_generation import Generation
from service.event_store.codec import RecordedEvent

_LOG: Final = structlog.get_logger("service.log")


class StreamCorrupted(Exception):
    """The log of *stream_id* does not hold from *position* on, for a reason that quotes nothing of it.

    *sound_events*: the events that were being read, as far as they come before.
    """

    def __init__(self, stream_id: bytes, position: int, why: str, sound_events: tuple[RecordedEvent, ...] = ()) -> None:
        super().__init__(f"table/tbl_{stream_id.hex()} does not hold at position {position}: {why}")
        self.stream_id = stream_id
        self.position = position
        self.why = why
        self.sound_events = sound_events


class StreamReplaced(Exception):
    """The stream is not the one that was read: a database that had lost commits took over. Read again, it may be sound.

    Nothing is recorded.
    """

    def __init__(self, stream_id: bytes) -> None:
        super().__init__(f"table/tbl_{stream_id.hex()} is not as it was read before")


class ChainBreak(NamedTuple):
    """Where a stream does not hold, and why."""

    position: int
    why: str


class Quarantine:
    """The streams that this process has found not to hold: nothing is written to them.

    What was found in an earlier generation is suspected only, since it may have been another database's: whoever reads
    such a stream next goes through all of it.
    """

    def __init__(self, count: Callable[[int], None] = lambda _: None, generation: Generation | None = None) -> None:
        """*count* is told how many there are, the suspected among them, whenever that changes."""
        self.generation: Final = generation or Generation()
        self._count = count
        self._number = self.generation.number
        self._found: dict[bytes, ChainBreak] = {}
        self._suspected: set[bytes] = set()
        self._lock = Lock()

    def get(self, stream_id: bytes) -> ChainBreak | None:
        """Return where the stream does not hold; None: nobody has found that."""
        if self._number != self.generation.number:
            with self._lock:
                self._suspect_what_is_old()
        return self._found.get(stream_id)

    def require_sound(self, stream_id: bytes) -> None:
        """Pass a stream that nothing was found about.

        Raises:
            StreamCorrupted: it does not hold.
        """
        if (found := self.get(stream_id)) is not None:
            raise StreamCorrupted(stream_id, *found)

    def add(self, stream_id: bytes, found: ChainBreak) -> ChainBreak:
        """Remember where the stream does not hold, and say so, once; return what was found first."""
        with self._lock:
            self._suspect_what_is_old()
            if stream_id in self._found:
                return self._found[stream_id]
            self._found[stream_id] = found
            self._suspected.discard(stream_id)
            self._count(len(self._found) + len(self._suspected))
        _LOG.error("log_damaged", table=f"tbl_{stream_id.hex()}", position=found.position, why=found.why)
        return found

    def is_suspected(self, stream_id: bytes) -> bool:
        """Tell whether the stream did not hold in an earlier generation, and was not gone through since."""
        return self.get(stream_id) is None and stream_id in self._suspected

    def remove(self, stream_id: bytes) -> None:
        """Suspect the stream no more: it was gone through, and holds."""
        with self._lock:
            self._suspected.discard(stream_id)
            self._count(len(self._found) + len(self._suspected))
        _LOG.warning("log_holds_again", table=f"tbl_{stream_id.hex()}")

    def _suspect_what_is_old(self) -> None:
        """Begin anew where a generation has ended. The lock is held."""
        number = self.generation.number
        if number != self._number:
            self._suspected |= self._found.keys()
            self._found = {}
            self._number = number
