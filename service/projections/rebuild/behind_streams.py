"""Reads the streams with events that a rebuild does not have yet, many short streams with one statement."""

# DECISIONS 127

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import groupby
from typing import Final, TypeAlias

from msgspec import Struct
from sqlalchemy import Connection, text

from service.database.partitions import Partition
from service.database.sql import Sql
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import ChainPoint, KnownPoint
from service.event_store.stream_reader import StreamReader
from service.projections.rebuild.rebuilt_rows import RebuiltTable
from service.projections.rebuild.shadow_build import PROGRESS, ShadowBuild

Transaction: TypeAlias = Callable[[], AbstractContextManager[Connection]]
Cached: TypeAlias = Callable[[bytes, int], RebuiltTable | None]
"""Returns the rebuilt table of a stream at a position, or None if the cache does not have the table there."""

_STREAMS: Final = 1_000
_PAGE: Final = 1_000  # events that one statement reads
_MOST_READ: Final = 20_000
"""After about this many events, `BehindStreams.read` begins a new transaction at the next stream.

A long transaction makes the database keep old versions of rows.
"""


class BehindStream(Struct, frozen=True):
    """A stream that is rebuilt up to the position *done*, and has later events.

    *rebuilt*: the table at *done*, if it is cached. *events*: the events after *rebuilt*; all events if *rebuilt* is
    None.
    """

    stream_id: bytes
    done: int
    rebuilt: RebuiltTable | None
    events: Iterable[RecordedEvent]


class _Behind(Struct, frozen=True):
    stream_id: bytes
    done: int
    rebuilt: RebuiltTable | None
    head: KnownPoint

    @property
    def since(self) -> ChainPoint:
        """The point after which the stream must be read."""
        return self.rebuilt.table_at.head if self.rebuilt else EMPTY

    @property
    def left(self) -> int:
        """The number of events that must be read."""
        return self.head.position - self.since.position


class BehindStreams:
    """The streams of one *partition* that have events after the positions in the shadow build *shadow*."""

    def __init__(self, reader: StreamReader, shadow: ShadowBuild, partition: Partition) -> None:
        self._reader = reader
        self._partition = partition
        self._behind = text(_BEHIND.format(shadow.name(PROGRESS)))
        self._events = Sql(_EVENTS.format(shadow.name(PROGRESS)))

    def read(self, read: Transaction, cached: Cached) -> Generator[BehindStream]:
        """Yield each stream with new events; *read* begins the transactions in which the events are read.

        Raises:
            StreamCorrupted: the hash chain of a stream is broken.
        """
        after, is_last = self._partition.after, False
        while not is_last:
            with read() as connection:
                page = self._page(connection, after)
                is_last = len(page) < _STREAMS
                events_read = 0
                for group in _groups(_Behind(*key, cached(*key), head) for key, head in page):
                    if events_read >= _MOST_READ:
                        is_last = False
                        break
                    yield from self._of_group(connection, after, group)
                    after = group[-1].stream_id
                    events_read += sum(one.left for one in group)

    def _page(self, connection: Connection, after: bytes) -> list[tuple[tuple[bytes, int], KnownPoint]]:
        values = {"after": after, "last": self._partition.last, "limit": _STREAMS}
        rows = connection.execute(self._behind, values).all()
        return [((bytes(row.stream_id), row.position), KnownPoint(row.head, bytes(row.head_hash))) for row in rows]

    def _of_group(self, connection: Connection, after: bytes, group: list[_Behind]) -> Iterator[BehindStream]:
        if len(group) == 1:
            (one,) = group
            yield BehindStream(one.stream_id, one.done, one.rebuilt, self._of_stream(connection, one))
            return
        values = {"after": after, "last": group[-1].stream_id}
        rows = self._events.all(connection, values)
        leaves = {bytes(key): [data for _, data in each] for key, each in groupby(rows, key=lambda row: row[0])}
        for one in group:
            of_stream = leaves.get(one.stream_id, [])[: one.left]  # The stream may have grown since the page was read.
            events = self._reader.checked(connection, one.stream_id, of_stream, one.since, one.head)
            yield BehindStream(one.stream_id, one.done, one.rebuilt, events)

    def _of_stream(self, connection: Connection, one: _Behind) -> Iterator[RecordedEvent]:
        last = one.since
        while last.position < one.head.position:
            page = self._reader.read(connection, one.stream_id, last, _PAGE, head=one.head)
            yield from page
            last = page[-1]


def _groups(page: Iterable[_Behind]) -> Iterator[list[_Behind]]:
    """Yield *page* in groups of neighbouring streams.

    One statement reads a group of several streams, which together have at most _PAGE events to read. A stream is a
    group of its own if it has more than _PAGE events to read, or if it must be read from an earlier position than
    `done`.
    """
    group: list[_Behind] = []
    events = 0
    for one in page:
        if group and (events + one.left > _PAGE or one.since.position != one.done):
            yield group
            group, events = [], 0
        if one.since.position != one.done:
            yield [one]
            continue
        group.append(one)
        events += one.left
    if group:
        yield group


_BEHIND: Final = (
    "SELECT streams.stream_id, streams.head, streams.head_hash, coalesce(done.position, 0) AS position"
    " FROM streams LEFT JOIN {} AS done ON done.stream_id = streams.stream_id"
    " WHERE streams.stream_id > :after AND streams.stream_id <= :last AND streams.head > coalesce(done.position, 0)"
    " ORDER BY streams.stream_id LIMIT :limit"
)
_EVENTS: Final = (
    "SELECT events.stream_id, events.leaf"
    " FROM streams LEFT JOIN {} AS done ON done.stream_id = streams.stream_id"
    " JOIN events ON events.stream_id = streams.stream_id AND events.position > coalesce(done.position, 0)"
    " WHERE streams.stream_id > :after AND streams.stream_id <= :last AND streams.head > coalesce(done.position, 0)"
    " ORDER BY events.stream_id, events.position"
)
