"""Finds the tables whose snapshots are missing, and writes these snapshots in a thread (DECISIONS 125)."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from threading import Event, Lock, Thread
from typing import Final

import structlog
from sqlalchemy import Connection, Engine

from service.database.engines import administering, reading
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import ChainPoint
from service.event_store.store import Log
from service.games.game import Decision
from service.tables import snapshots
from service.tables.fold import TableAt, begin, fold, table_id

_FAR: Final = 2
"""If a read passes this many places at which snapshots belong, and finds no snapshot, snapshots are missing."""
_MOST_NOTED: Final = 1_000
_PAGE: Final = 1_000
_LOG: Final = structlog.get_logger("service.projections")


class MissingSnapshots:
    """The streams of tables of which this process had to read many events, because snapshots are missing.

    Snapshots are missing after a rebuild, which deletes them; after the first start of a release, because a release
    does not read the snapshots of other releases; and if a process ended between a command and its snapshot.
    """

    def __init__(self) -> None:
        self._noted: OrderedDict[bytes, None] = OrderedDict()
        self._lock = Lock()

    def note_read(self, stream_id: bytes, after: int, last: int) -> None:
        """Note the stream if many events, at the positions *after* + 1 to *last*, were read to compute its table."""
        if last - after < _FAR * snapshots.SNAPSHOT_INTERVAL:
            return
        with self._lock:
            self._noted[stream_id] = None
            if len(self._noted) > _MOST_NOTED:
                self._noted.popitem(last=False)  # A dropped stream is noted again at its next long read.

    def take(self) -> bytes | None:
        """Return the stream that was noted first, and forget it; None: no stream is noted."""
        with self._lock:
            return self._noted.popitem(last=False)[0] if self._noted else None


class SnapshotFiller:
    """Writes the snapshots of the tables in *missing*."""

    def __init__(self, engine: Engine, log: Log, missing: MissingSnapshots) -> None:
        self._engine = engine
        self._log = log
        self._missing = missing

    def start(self, every_seconds: float = 1.0) -> Callable[[], None]:
        """Start a thread that calls `fill_noted` every *every_seconds*; return the function that ends the thread."""
        ended = Event()

        def run() -> None:
            while not ended.wait(every_seconds):
                self.fill_noted()

        thread = Thread(target=run, name="snapshot-filler", daemon=True)
        thread.start()

        def end() -> None:
            ended.set()
            thread.join()

        return end

    def fill_noted(self) -> int:
        """Write the missing snapshots of all noted tables; return how many were written. Errors are only logged."""
        written = 0
        while stream_id := self._missing.take():
            try:
                written += self.fill(stream_id)
            except Exception as error:  # noqa: BLE001 -- a snapshot only saves time; the next read notes the table again
                _LOG.warning("snapshots_failed", table=table_id(stream_id), error=type(error).__name__)
        return written

    def fill(self, stream_id: bytes) -> int:
        """Write the missing snapshots of a table; return how many were written.

        No snapshot is written for a position at or after damage in the stream.

        Raises:
            NoSuchStream: the stream has no head row.
            StreamCorrupted: the stream is damaged at or after the snapshot from which the first missing snapshot is
                computed.
        """
        with reading(self._engine, without_idle_limit=True) as connection:
            head = self._log.head(connection, stream_id)
            places = set(range(1, head.position // snapshots.SNAPSHOT_INTERVAL + 1))
            places -= {
                position // snapshots.SNAPSHOT_INTERVAL for position in snapshots.positions(connection, stream_id)
            }
            if not places:
                return 0
            before = snapshots.newest(connection, self._log, stream_id, min(places) * snapshots.SNAPSHOT_INTERVAL - 1)
            written = 0
            for page in self._pages(connection, stream_id, before, head):
                tables = [one for one in page if one.position // snapshots.SNAPSHOT_INTERVAL in places]
                if tables:
                    with administering(self._engine) as writing:
                        written += sum(snapshots.put(writing, self._log, table_at) for table_at in tables)
                places -= {one.position // snapshots.SNAPSHOT_INTERVAL for one in tables}
                if not places:
                    break
            return written

    def _pages(
        self, connection: Connection, stream_id: bytes, table_at: TableAt | None, head: ChainPoint
    ) -> Iterator[list[TableAt]]:
        """Yield, for each page of events after *table_at*, the tables at the positions where snapshots belong."""
        last: ChainPoint = table_at.head if table_at else EMPTY
        left: list[RecordedEvent] = []  # the events of the page's last command, which may go on in the next page
        while last.position < head.position:
            page = self._log.reader.read(connection, stream_id, last, _PAGE, head=head)
            last = page[-1]
            found: list[TableAt] = []
            for command in _commands([*left, *page]):
                left = list(command)
                if command[-1] is last and last.position < head.position:
                    break
                before = table_at or begin(stream_id, command[0])
                table_at = fold(before, command)
                if table_at.position // snapshots.SNAPSHOT_INTERVAL != before.position // snapshots.SNAPSHOT_INTERVAL:
                    found.append(table_at)
                left = []
            yield found


def _commands(events: Sequence[RecordedEvent]) -> Iterator[Sequence[RecordedEvent]]:
    """Yield the events of each command: its decision and the consequences."""
    first = 0
    for number, recorded in enumerate(events):
        if number > first and isinstance(recorded.event, Decision):
            yield events[first:number]
            first = number
    if events:
        yield events[first:]
