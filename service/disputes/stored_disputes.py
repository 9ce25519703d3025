"""Reads the disputes of a table from their stream."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection

from service.disputes.dispute_events import DisputeEvent
from service.disputes.dispute_state import NO_DISPUTES, Disputes, apply
from service.event_store import queries
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, Head, disputes_stream
from service.event_store.store import Log
from service.secrets.openings import FieldOpening


class StoredDisputes(Struct, frozen=True):
    """The disputes of a table: their stream's *head* (position 0: no dispute), its events, and the *state* then."""

    stream_id: bytes
    head: Head
    recorded: tuple[RecordedEvent, ...]
    state: Disputes

    def number_at(self, position: int) -> int:
        """Return the number of the dispute that the event at *position* is about."""
        event = self.recorded[position - 1].event
        return event.dispute if isinstance(event, DisputeEvent) else 0

    def of(self, number: int) -> tuple[RecordedEvent, ...]:
        """Return the events of the dispute *number*."""
        return tuple(one for one in self.recorded if self.number_at(one.position) == number)


def read_disputes(connection: Connection, log: Log, table_stream: bytes) -> StoredDisputes:
    """Return all disputes of a table; *log* has the codec of disputes.

    Raises:
        StreamCorrupted: the stream is damaged.
    """
    stream_id = disputes_stream(table_stream)
    row = queries.HEAD.run(connection, {"stream_id": stream_id}).first()
    if row is None:
        return StoredDisputes(stream_id, EMPTY, (), NO_DISPUTES)
    head = Head(row.head, bytes(row.head_hash))
    recorded = log.reader.read(connection, stream_id, EMPTY, head=head)
    return StoredDisputes(stream_id, head, recorded, fold(recorded))


def fold(recorded: Sequence[RecordedEvent]) -> Disputes:
    """Return the state after the events *recorded*, which begin their stream."""
    state = NO_DISPUTES
    for one in recorded:
        if isinstance(one.event, DisputeEvent):
            state = apply(state, one.position, one.at, one.event)
    return state


def texts(connection: Connection, log: Log, stored: StoredDisputes) -> tuple[FieldOpening, ...]:
    """Return the openings of all sealed texts that were not erased; the caller decides who may read them."""
    return log.openings(connection, stored.stream_id, stored.recorded)
