"""Reads the streams of a table for an export, page by page, up to given heads."""

# DECISIONS 116

from collections.abc import Callable, Iterator
from contextlib import suppress

from msgspec import Struct
from sqlalchemy import Connection, Engine

from service.database.engines import reading
from service.disputes.dispute_events import DISPUTE_CODEC
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, Head, is_of_disputes
from service.event_store.hash_chain import ChainPoint
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log, NoSuchStream
from service.event_store.stream_reader import StreamReader
from service.games.common_events import SeatTaken

HEADLESS = "the stream has events and no head"


class CannotRead(Exception):
    """The stream can't be read from *position* on; *why* is the reason."""

    def __init__(self, position: int, why: str) -> None:
        super().__init__(why)
        self.position = position
        self.why = why


class StreamPages(Struct, frozen=True):
    """Reads the streams of tables and of disputes in *log*; reads at most *page* events in one transaction.

    *count* is called with the number of events of each page, before the page is used.
    """

    engine: Engine
    log: Log
    page: int
    count: Callable[[int], None]

    def head(self, stream_id: bytes) -> Head:
        """Return the present head of a stream; a stream without events has the head `EMPTY`.

        Raises:
            CannotRead: the stream has events, but no head.
        """
        with reading(self.engine) as connection:
            try:
                return self.log.head(connection, stream_id)
            except NoSuchStream:
                if self._has_events(connection, stream_id):
                    raise CannotRead(1, HEADLESS) from None
                return Head(EMPTY.position, EMPTY.hash)

    def events(self, stream_id: bytes, head: Head) -> Iterator[RecordedEvent]:
        """Yield the events of a stream up to *head*.

        Raises:
            CannotRead: the stream is damaged; the events before the damage were yielded.
        """
        last: ChainPoint = EMPTY
        while last.position < head.position:
            damage = ""
            with reading(self.engine) as connection:
                try:
                    page = self._reader(stream_id).read(connection, stream_id, last, self.page, head=head)
                except StreamCorrupted as error:
                    page, damage = error.sound_events, error.why
            self.count(len(page))
            yield from page
            last = page[-1] if page else last
            if damage or not page:
                raise CannotRead(last.position + 1, damage or HEADLESS)

    def seats_taken(self, stream_id: bytes, head: Head, owner: str) -> Iterator[bool]:
        """For each event up to *head*, yield whether *owner* takes a seat in it; end at the first unreadable event."""
        with suppress(CannotRead):
            for one in self.events(stream_id, head):
                yield isinstance(one.event, SeatTaken) and one.event.player == owner

    def _has_events(self, connection: Connection, stream_id: bytes) -> bool:
        try:
            return bool(self._reader(stream_id).read(connection, stream_id, limit=1))
        except StreamCorrupted:
            return True  # The first event is damaged.

    def _reader(self, stream_id: bytes) -> StreamReader:
        return StreamReader(DISPUTE_CODEC, self.log.quarantine) if is_of_disputes(stream_id) else self.log.reader
