"""Writes an imported stream in batches, each a short transaction, so that commands go on meanwhile (DECISIONS 69)."""

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
"""A batch ends with the command that reaches this number of events, so that no batch ends inside a command."""

_SEALED_AT_ONCE: Final = 200
_LONGEST_PAUSE_SECONDS: Final = 0.1


class Plaintext(NamedTuple):
    """The *value* to seal for the event at *position* under *field*."""

    position: int
    field: str
    value: bytes


class ImportBatches:
    """Writes one imported stream, which no other writer writes meanwhile.

    After each batch it pauses as long as the batch took, so that other writers have at least half of the time.
    """

    def __init__(self, engine: Engine, log: Log, clock: Clock, stream_id: bytes) -> None:
        self._engine = engine
        self._log = log
        self._clock = clock
        self._stream_id = stream_id

    def write(self, recorded: Sequence[RecordedEvent], head: Head) -> None:
        """Append those events of *recorded*, the whole stream, that come after the stored *head*.

        A stream that is not stored yet is created, and is unfinished until `finish`.
        """
        for batch in _batches(self._stream_id, recorded, head.position):
            events = [step.recorded for steps in batch for step in steps]
            changes = projector.changes_of_many(self._stream_id, batch)
            with self._transaction() as connection:
                if head == EMPTY:
                    self._log.begin_import(connection, self._stream_id, self._clock.now())
                self._log.append_imported(connection, self._stream_id, events)
                projector.write_changes(connection, changes)
            head = Head(events[-1].position, events[-1].hash)

    def seal(self, plaintexts: Sequence[Plaintext]) -> None:
        """Seal *plaintexts*, none of which is in the sealed store yet."""
        for start in range(0, len(plaintexts), _SEALED_AT_ONCE):
            with self._transaction() as connection:
                for one in plaintexts[start : start + _SEALED_AT_ONCE]:
                    self._log.seal_imported_value(connection, self._stream_id, one.position, one.field, one.value)

    def finish(self) -> None:
        """Mark the stream as finished, so that the table becomes visible."""
        with self._transaction() as connection:
            self._log.end_import(connection, self._stream_id)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with administering(self._engine) as connection:
            began = self._clock.monotonic()
            yield connection
        Event().wait(min(_LONGEST_PAUSE_SECONDS, self._clock.monotonic() - began))


def _batches(stream_id: bytes, recorded: Sequence[RecordedEvent], after: int) -> Iterator[list[tuple[Step, ...]]]:
    """Yield batches of the commands after the position *after*."""
    batch: list[tuple[Step, ...]] = []
    events = 0
    for steps in commands(stream_id, recorded):
        if steps[0].recorded.position > after:
            batch.append(steps)
            events += len(steps)
        if events >= EVENTS_AT_ONCE:
            yield batch
            batch, events = [], 0
    if batch:
        yield batch
