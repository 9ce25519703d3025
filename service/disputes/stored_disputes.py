"""Reads the disputes of a table from their stream."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection

from service.disputes.dispute_events import DisputeEvent, DisputeOpened
from service.disputes.dispute_state import NO_DISPUTES, Disputes, apply
from service.event_store import queries
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, Head, disputes_stream
from service.event_store.hash_chain import EVENT_IMPOSSIBLE, SEALED_VALUE_LOST
from service.event_store.quarantine import ChainBreak, StreamCorrupted
from service.event_store.store import Log
from service.event_store.stream_reader import StreamReader
from service.secrets.encryption import Tampered, WrongKey
from service.secrets.openings import FieldOpening, OpeningMustMatch

_ALTERED: Final = (OpeningMustMatch, Tampered, WrongKey)
OF_NO_TABLE: Final = "the first event of the stream of disputes names a table with another stream of disputes"


class EventImpossible(Exception):
    """No earlier event of the stream opened the dispute of the event at *position*."""

    def __init__(self, position: int) -> None:
        super().__init__(f"The event at position {position} is about a dispute that was not opened.")
        self.position = position


class StoredDisputes(Struct, frozen=True):
    """The disputes of a table: their *state*, and the *head* (position 0: no stream) and the events of their stream."""

    stream_id: bytes
    head: Head
    recorded: tuple[RecordedEvent, ...]
    state: Disputes

    def number_at(self, position: int) -> int:
        """Return the number of the dispute that the event at *position* is about; 0: it is about no dispute."""
        event = self.recorded[position - 1].event
        return event.dispute if isinstance(event, DisputeEvent) else 0

    def of(self, number: int) -> tuple[RecordedEvent, ...]:
        """Return the events of the dispute *number*."""
        return tuple(one for one in self.recorded if self.number_at(one.position) == number)


def read_disputes(connection: Connection, log: Log, table_stream: bytes) -> StoredDisputes:
    """Return all disputes of a table; *log* has the codec of disputes.

    Raises:
        StreamCorrupted: the stream is damaged, or an event is about a dispute that was not opened.
    """
    stream_id, head = disputes_stream(table_stream), head_of(connection, table_stream)
    if head == EMPTY:
        return StoredDisputes(stream_id, EMPTY, (), NO_DISPUTES)
    recorded = log.reader.read(connection, stream_id, EMPTY, head=head)
    return StoredDisputes(stream_id, head, recorded, folded(connection, log.reader, stream_id, recorded))


def head_of(connection: Connection, table_stream: bytes) -> Head:
    """Return the head of the stream of a table's disputes; position 0: the table has no disputes."""
    row = queries.HEAD.run(connection, {"stream_id": disputes_stream(table_stream)}).first()
    return Head(row.head, bytes(row.head_hash)) if row else EMPTY


def locked(connection: Connection, log: Log, table_stream: bytes) -> StoredDisputes:
    """Return the disputes of a table as `read_disputes` does; no command changes them until the transaction ends.

    On PostgreSQL the first dispute of a table can still be opened, because a missing stream can't be locked.

    Raises:
        StreamCorrupted: as for `read_disputes`.
    """
    connection.execute(queries.LOCKED_HEAD, {"stream_id": disputes_stream(table_stream)})
    return read_disputes(connection, log, table_stream)


def table_stream_of(connection: Connection, log: Log, stream_id: bytes) -> bytes:
    """Return the stream of the table whose disputes the stream *stream_id* records.

    Raises:
        StreamCorrupted: the first event can't be read, does not open a dispute, or names a table with another stream
            of disputes.
    """
    for one in log.reader.read(connection, stream_id, EMPTY, 1):
        if isinstance(one.event, DisputeOpened):
            table_stream = bytes.fromhex(one.event.table.removeprefix("tbl_"))
            if disputes_stream(table_stream) == stream_id:
                return table_stream
    raise StreamCorrupted(stream_id, 1, OF_NO_TABLE)


def folded(
    connection: Connection, reader: StreamReader, stream_id: bytes, recorded: Sequence[RecordedEvent]
) -> Disputes:
    """Return the state after the events *recorded*, the first events of the stream, which *reader* has read.

    Raises:
        StreamCorrupted: an event is about a dispute that was not opened.
    """
    try:
        return fold(recorded)
    except EventImpossible as error:
        broken, before = ChainBreak(error.position, EVENT_IMPOSSIBLE), tuple(recorded[: error.position - 1])
        raise reader.quarantine_stream(connection, stream_id, broken, before) from error


def fold(recorded: Sequence[RecordedEvent]) -> Disputes:
    """Return the state after the events *recorded*, the first events of their stream.

    Raises:
        EventImpossible: an event is about a dispute that was not opened.
    """
    state = NO_DISPUTES
    for one in recorded:
        if isinstance(one.event, DisputeEvent):
            try:
                state = apply(state, one.position, one.at, one.event)
            except KeyError as error:
                raise EventImpossible(one.position) from error
    return state


def texts(connection: Connection, log: Log, stored: StoredDisputes) -> tuple[FieldOpening, ...]:
    """Return the openings of all sealed texts that the sealed store has; the caller decides who may read them.

    Raises:
        StreamCorrupted: as for `openings_of`.
    """
    return openings_of(connection, log, stored.stream_id, stored.recorded)


def openings_of(
    connection: Connection, log: Log, stream_id: bytes, recorded: Sequence[RecordedEvent]
) -> tuple[FieldOpening, ...]:
    """Return the openings of those sealed texts of *recorded* that the sealed store has: no erased and no lost texts.

    Raises:
        StreamCorrupted: a text was altered, or can't be decrypted.
    """
    try:
        return log.openings(connection, stream_id, recorded)
    except _ALTERED as error:
        position = next(one.position for one in recorded if _is_altered(connection, log, stream_id, one))
        raise log.reader.quarantine_stream(connection, stream_id, ChainBreak(position, SEALED_VALUE_LOST)) from error


def _is_altered(connection: Connection, log: Log, stream_id: bytes, one: RecordedEvent) -> bool:
    try:
        log.openings(connection, stream_id, [one])
    except _ALTERED:
        return True
    return False
