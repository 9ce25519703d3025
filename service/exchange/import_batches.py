"""Pieces: an imported stream is written in many short transactions, so that commands go on beside it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Final, NamedTuple

from sqlalchemy import Connection, Engine

from service.clock import Clock
from service.database.engines import administering
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, Head
from service.event_store.store import Log
from service.projections import projector
from service.tables.fold import Step
from service.tables.replay import commands

EVENTS_AT_ONCE: Final = 200
"""A piece ends with the command that reaches this number: the stream stands between two commands after each piece."""

_SEALED_AT_ONCE: Final = 200
_LONGEST_PAUSE_SECONDS: Final = 0.1


class Plaintext(NamedTuple):
    """What is to be sealed for the event at *position* under *field*."""

    position: int
    field: str
    value: bytes


class ImportBatches:
    """Writes one imported stream, which nobody else writes meanwhile.

    After each piece the writer pauses as long as the piece took, so that others have at least half of the time.
    """

    def __init__(self, engine: Engine, log: Log, clock: Clock, stream_id: bytes) -> None:
        self._engine = engine
        self._log = log
        self._clock = clock
        self._stream_id = stream_id

    def write(self, recorded: Sequence[RecordedEvent], head: Head) -> None:
        """Add those of *recorded*, the stream from its first event on, that come after its *head*.

        A stream that is not there is made, marked as unfinished until `finish`.
        """
        for piece in _pieces(self._stream_id, recorded, head.position):
            events = [step.recorded for steps in piece for step in steps]
            changed = projector.changes_of_many(self._stream_id, piece)
            with self._turn() as connection:
                if head == EMPTY:
                    self._log.begin_import(connection, self._stream_id, self._clock.now())
                self._log.append_imported(connection, self._stream_id, events)
                projector.write_changes(connection, changed)
            head = Head(events[-1].position, events[-1].hash)

    def seal(self, plaintexts: Sequence[Plaintext]) -> None:
        """Keep *plaintexts*, none of which is there yet, in the sealed store."""
        for start in range(0, len(plaintexts), _SEALED_AT_ONCE):
            with self._turn() as connection:
                for one in plaintexts[start : start + _SEALED_AT_ONCE]:
                    self._log.seal_imported_value(connection, self._stream_id, one.position, one.field, one.value)

    def finish(self) -> None:
        """Let the table be seen: all of it is written."""
        with self._turn() as connection:
            self._log.end_import(connection, self._stream_id)

    @contextmanager
    def _turn(self) -> Iterator[Connection]:
        with administering(self._engine) as connection:
            began = self._clock.monotonic()
            yield connection
        Event().wait(min(_LONGEST_PAUSE_SECONDS, self._clock.monotonic() - began))


def _pieces(stream_id: bytes, recorded: Sequence[RecordedEvent], after: int) -> Iterator[list[tuple[Step, ...]]]:
    """Yield the commands after the position *after*, some together."""
    piece: list[tuple[Step, ...]] = []
    events = 0
    for steps in commands(stream_id, recorded):
        if steps[0].recorded.position > after:
            piece.append(steps)
            events += len(steps)
        if events >= EVENTS_AT_ONCE:
            yield piece
            piece, events = [], 0
    if piece:
        yield piece
