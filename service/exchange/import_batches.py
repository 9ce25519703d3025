"""Writes an imported stream in short transactions, so that commands wait only for a moment (DECISIONS 69)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Final, NamedTuple

from sqlalchemy import Connection, Engine

from service.clock import Clock
from service.database.engines import administering
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import EMPTY, Head
from service.event_store.store import Log
from service.projections import projector
from service.service_log import import_events
from service.service_log.import_events import ImportStep
from service.service_log.service_log import ServiceLog
from service.tables.fold import Step
from service.tables.replay import commands

EVENTS_AT_ONCE: Final = 200
"""A batch ends after the command that reaches this number of events. No batch ends in the middle of a command."""

_SEALED_AT_ONCE: Final = 200
_LONGEST_PAUSE_SECONDS: Final = 0.1


class Plaintext(NamedTuple):
    """A *value* to seal as the field *field* of the event at *position*."""

    position: int
    field: str
    value: bytes


class Logs(NamedTuple):
    """The *log* of tables, and the *service_log*, which records each step of an import.

    The record of a step has the new head of the stream, and the position and name of each field that the step sealed.
    """

    log: Log
    service_log: ServiceLog


class ImportBatches:
    """Writes one imported stream, to which nobody else may write meanwhile.

    After each transaction, `ImportBatches` pauses as long as the transaction took, but at most _LONGEST_PAUSE_SECONDS.
    So other writers get about half of the time, unless the transactions take longer than _LONGEST_PAUSE_SECONDS.
    """

    def __init__(self, engine: Engine, logs: Logs, clock: Clock, stream_id: bytes, origin: str = "") -> None:
        """Take the *origin* that the first line of the imported file names; "": this line is missing or names none."""
        self._engine = engine
        self._log, self._service_log = logs
        self._clock = clock
        self._stream_id = stream_id
        self._origin = origin

    def write(self, recorded: Sequence[RecordedEvent], head: Head) -> None:
        """Append the events that come after the stored *head*; *recorded* has all events of the stream.

        If the stream is not stored yet, create the stream; its import stays unfinished until `finish`.
        """
        is_new = head == EMPTY
        for batch in _batches(self._stream_id, recorded, head.position):
            events = [step.recorded for steps in batch for step in steps]
            changes = projector.changes_of_many(self._stream_id, batch)
            with self._transaction() as connection:
                self._service_log.open_if_needed(connection)
                if is_new:
                    self._log.begin_import(connection, self._stream_id, self._clock.now())
                self._log.append_imported(connection, self._stream_id, events)
                projector.write_changes(connection, changes)
                self._record(connection)
            is_new = False

    def seal(self, plaintexts: Sequence[Plaintext]) -> None:
        """Seal *plaintexts*; none of them may be in the sealed store yet."""
        for start in range(0, len(plaintexts), _SEALED_AT_ONCE):
            page = plaintexts[start : start + _SEALED_AT_ONCE]
            with self._transaction() as connection:
                self._service_log.open_if_needed(connection)
                for one in page:
                    self._log.seal_imported_value(connection, self._stream_id, one.position, one.field, one.value)
                self._record(connection, [(one.position, one.field) for one in page])

    def finish(self) -> None:
        """Mark the import of the stream as finished, which makes the table visible."""
        with self._transaction() as connection:
            self._log.end_import(connection, self._stream_id)

    def _record(self, connection: Connection, values: Sequence[FieldPlace] = ()) -> None:
        """Record the present head of the stream, and *values*: the places of the values that this transaction seals."""
        step = ImportStep(
            stream_id=self._stream_id,
            origin=self._origin,
            head=self._log.head(connection, self._stream_id),
            imported_at=self._log.imported_at(connection, self._stream_id),
            values=values,
        )
        self._service_log.append(connection, [import_events.imported(step)])

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with administering(self._engine) as connection:
            began = self._clock.monotonic()
            yield connection
        Event().wait(min(_LONGEST_PAUSE_SECONDS, self._clock.monotonic() - began))


def _batches(stream_id: bytes, recorded: Sequence[RecordedEvent], after: int) -> Iterator[list[tuple[Step, ...]]]:
    """Yield the commands after the position *after*, in batches of about EVENTS_AT_ONCE events."""
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
