"""Quarantine: the streams that this process has found to be corrupted (DECISIONS 39 and 71)."""

from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple

import structlog

from service.database.cache_generation import Generation
from service.event_store.codec import RecordedEvent
from service.event_store.entries import place_name, stream_name

_LOG: Final = structlog.get_logger("service.log")


class StreamCorrupted(Exception):
    """The stream *stream_id* is corrupted at *position*; the reason *why* has no text from the log.

    *sound_events* are the requested events before the damage.
    """

    def __init__(self, stream_id: bytes, position: int, why: str, sound_events: tuple[RecordedEvent, ...] = ()) -> None:
        super().__init__(f"{stream_name(stream_id)} is corrupted at position {position}: {why}")
        self.stream_id = stream_id
        self.position = position
        self.why = why
        self.sound_events = sound_events


class StreamReplaced(Exception):
    """The stream does not continue the events that were read before; perhaps a database that lost commits took over.

    Nothing was recorded. The caller must read the stream again from its beginning; the stream may be sound.
    """

    def __init__(self, stream_id: bytes) -> None:
        super().__init__(f"{stream_name(stream_id)} differs from what was read before")


class ChainBreak(NamedTuple):
    """The *position* at which a stream is corrupted, and the reason *why*."""

    position: int
    why: str


class Quarantine:
    """The streams that this process knows to be corrupted. The process records no command in these streams.

    When a new cache generation begins, the streams in quarantine become suspects, because another database may have
    replaced the corrupted one. Before the process reads new events of a suspect, it checks the suspect's whole chain.
    """

    def __init__(self, on_change: Callable[[int], None] = lambda _: None, generation: Generation | None = None) -> None:
        """Call *on_change* with the number of corrupted and suspected streams whenever this number may have changed."""
        self.generation: Final = generation or Generation()
        self._on_change = on_change
        self._number = self.generation.number
        self._found: dict[bytes, ChainBreak] = {}
        self._suspected: set[bytes] = set()
        self._lock = Lock()

    def get(self, stream_id: bytes) -> ChainBreak | None:
        """Return the break with which the stream is in quarantine, or None if the stream is not in quarantine."""
        if self._number != self.generation.number:
            with self._lock:
                self._suspect_earlier_finds()
        return self._found.get(stream_id)

    def require_sound(self, stream_id: bytes) -> None:
        """Check that the stream is not in quarantine.

        Raises:
            StreamCorrupted: the stream is in quarantine.
        """
        if (found := self.get(stream_id)) is not None:
            raise StreamCorrupted(stream_id, *found)

    def add(self, stream_id: bytes, found: ChainBreak) -> ChainBreak:
        """Put the stream into quarantine, and log an error; return *found*.

        If the stream is in quarantine already, only return the break that was found first.
        """
        with self._lock:
            self._suspect_earlier_finds()
            if stream_id in self._found:
                return self._found[stream_id]
            self._found[stream_id] = found
            self._suspected.discard(stream_id)
            self._on_change(len(self._found) + len(self._suspected))
        _LOG.error("log_damaged", table=place_name(stream_id), position=found.position, why=found.why)
        return found

    def is_suspected(self, stream_id: bytes) -> bool:
        """Return whether the stream was corrupted in an earlier generation and has not been checked since."""
        return self.get(stream_id) is None and stream_id in self._suspected

    def release(self, stream_id: bytes) -> None:
        """Remove the stream from the suspects, after its chain was checked and found intact."""
        with self._lock:
            self._suspected.discard(stream_id)
            self._on_change(len(self._found) + len(self._suspected))
        _LOG.warning("log_holds_again", table=place_name(stream_id))

    def _suspect_earlier_finds(self) -> None:
        """Turn the streams in quarantine into suspects if a new generation has begun. The caller holds the lock."""
        number = self.generation.number
        if number != self._number:
            self._suspected |= self._found.keys()
            self._found = {}
            self._number = number
