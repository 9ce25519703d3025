"""The cache of tables: a process reads only the events that follow a cached table or a snapshot."""

# DECISIONS 125

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

import structlog
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from service.database.engines import administering
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import EVENT_IMPOSSIBLE
from service.event_store.quarantine import ChainBreak, StreamCorrupted, StreamReplaced
from service.event_store.store import Log
from service.event_store.stream_reader import ALL
from service.ledger.account_balances import Balances
from service.tables import snapshots
from service.tables.fold import TableAt, begin, fold, table_id
from service.tables.missing_snapshots import MissingSnapshots

MOST_TABLES: Final = 10_000

_LOG: Final = structlog.get_logger("service.projections")


class Seen(NamedTuple):
    """The *tables* that the cache had in one *generation*, by stream; None: the cache did not have the table."""

    generation: int
    tables: Mapping[bytes, TableAt | None]


class TableCache:
    """Caches up to MOST_TABLES tables of one generation, each at the last position that this process has folded.

    When the cache is full, it drops the table whose last `put` was the earliest.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._tables: OrderedDict[bytes, TableAt] = OrderedDict()
        self._lock = Lock()
        self._generation = log.generation.number
        self.missing_snapshots: Final = MissingSnapshots()

    def cached(self, stream_id: bytes) -> TableAt | None:
        """Return the cached table, which may be behind its stream; None: this generation has not cached the table."""
        with self._lock:
            self._drop_ended_generation()
            return self._tables.get(stream_id)

    def latest_positions(self, most: int) -> dict[bytes, int]:
        """Return the positions of up to *most* tables by stream, in the order of their last `put`, the latest first."""
        with self._lock:
            self._drop_ended_generation()
            return {stream_id: self._tables[stream_id].position for stream_id in islice(reversed(self._tables), most)}

    def put(self, table_at: TableAt, generation: int) -> None:
        """Cache *table_at*, unless *generation* has ended, or the cache has the table at the same or a later position.

        The events of *table_at* must be committed.
        """
        with self._lock:
            self._drop_ended_generation()
            if generation != self._generation:
                return
            before = self._tables.get(table_at.stream_id)
            if before is None or before.position < table_at.position:
                self._tables[table_at.stream_id] = table_at
            self._tables.move_to_end(table_at.stream_id)
            if len(self._tables) > MOST_TABLES:
                self._tables.popitem(last=False)

    def drop(self, stream_id: bytes) -> None:
        """Drop the table of this stream, if it is cached."""
        with self._lock:
            self._tables.pop(stream_id, None)

    def seen(self, stream_ids: Iterable[bytes]) -> Seen:
        """Return the tables of *stream_ids* in the cache now, for a call of `current` in a later transaction."""
        generation = self._log.generation.number
        return Seen(generation, {stream_id: self.cached(stream_id) for stream_id in stream_ids})

    def current(self, connection: Connection, stream_id: bytes, seen: Seen | None = None) -> TableAt | None:
        """Return the table at the head of its stream; if the stream is damaged, the table right before the damage.

        Return None if there is no such table, or if its import is unfinished. The transaction of *connection* must see
        only committed events. If the transaction has read anything already, the cache may be newer than the
        transaction; then *seen* must be what `seen` returned before the transaction began.

        Raises:
            StreamCorrupted: the stream's first event is damaged.
            StreamReplaced: the database was replaced twice during the read.
        """
        try:
            return self._read_current(connection, stream_id, seen or self.seen([stream_id]))
        except StreamReplaced:  # The cache has dropped the old database's tables by now.
            again = Seen(self._log.generation.number, {stream_id: None}) if seen else self.seen([stream_id])
            return self._read_current(connection, stream_id, again)

    def _read_current(self, connection: Connection, stream_id: bytes, seen: Seen) -> TableAt | None:
        generation, cached = seen.generation, seen.tables[stream_id]
        if cached is not None and cached.broken_at:
            return cached
        try:
            cached = cached or self.from_snapshot(connection, stream_id)
            head = cached.head if cached else EMPTY
            newer = self._log.reader.newer(connection, stream_id, head, generation=generation)
            table_at = self.extended(connection, cached, stream_id, newer)
        except StreamCorrupted as error:
            table_at = self._before_damage(connection, stream_id, error)
        if table_at is not None:
            self.put(table_at, generation)
        return table_at

    def at_position(self, connection: Connection, present: TableAt, position: int) -> TableAt | None:
        """Return the table *present* as it was at *position*, or None if the table has no event up to *position*.

        A value that was erased after *position* is erased in the returned table too.

        Raises:
            StreamCorrupted: the stream is damaged at or before *position*.
        """
        stream_id = present.stream_id
        snapshot = self.from_snapshot(connection, stream_id, position)
        head = snapshot.head if snapshot else EMPTY
        recorded = self._log.reader.read(connection, stream_id, head, position - head.position, head=present.head)
        past = self.extended(connection, snapshot, stream_id, recorded)
        return replace(past, erased=present.erased) if past else None

    def balances_at(self, connection: Connection, present: TableAt, position: int) -> Balances:
        """Return the balances of the table *present* at *position*, from its state.

        The balances may have accounts that no transfer has used. The projection `transfers` has past balances too, but
        a query for the last transfer of a quiet account would read all transfers since that transfer.

        Raises:
            StreamCorrupted: the stream is damaged at or before *position*.
        """
        past = present if position == present.position else self.at_position(connection, present, position)
        return past.state.balances if past else {}

    def from_snapshot(self, connection: Connection, stream_id: bytes, upto: int = ALL) -> TableAt | None:
        """Return the table of the last snapshot up to the position *upto*, or None if there is no usable snapshot.

        A snapshot of a table whose import is unfinished is not usable.

        Raises:
            StreamCorrupted: as for `snapshots.newest`.
        """
        found = snapshots.newest(connection, self._log, stream_id, upto)
        imported_at = self._log.imported_at(connection, stream_id) if found else ""
        if found is None or (imported_at and self._log.is_unfinished(connection, stream_id)):
            return None
        return replace(found, imported_at=imported_at)

    def extended(
        self, connection: Connection, cached: TableAt | None, stream_id: bytes, events: Sequence[RecordedEvent]
    ) -> TableAt | None:
        """Return the *cached* table after *events*, the next events of its stream.

        If *cached* is None, *events* must begin the stream, and `imported_at` is read from the log. Return None if
        *cached* is None and there are no events, or if the table's import is unfinished.

        Raises:
            StreamCorrupted: one of the events is impossible at its position.
        """
        try:
            table_at = fold(cached or begin(stream_id, events[0]), events) if events else cached
        except Exception as error:  # For an altered event the rules may raise any error.
            raise self._log.reader.quarantine_stream(
                connection, stream_id, ChainBreak(_first_impossible(cached, stream_id, events), EVENT_IMPOSSIBLE)
            ) from error
        if table_at is not None and cached is None:
            imported_at = self._log.imported_at(connection, stream_id)
            if imported_at and self._log.is_unfinished(connection, stream_id):
                return None
            table_at = replace(table_at, imported_at=imported_at)
        if table_at is not None:
            self.missing_snapshots.note_read(stream_id, cached.position if cached else 0, table_at.position)
        return table_at

    def _drop_ended_generation(self) -> None:
        """Drop all tables if their generation has ended. The caller must hold the lock."""
        generation = self._log.generation.number
        if generation != self._generation:
            self._tables.clear()
            self._generation = generation

    def _before_damage(self, connection: Connection, stream_id: bytes, error: StreamCorrupted) -> TableAt:
        """Return the table right before the damage that *error* reports.

        Raises:
            StreamCorrupted: there is no event before the damage.
        """
        recorded = self._log.reader.read(connection, stream_id, EMPTY, error.position - 1)
        table_at = self.extended(connection, None, stream_id, recorded)
        if table_at is None:
            raise error
        return replace(table_at, broken_at=error.position)

    def snapshot_if_due(self, engine: Engine, before: int, table_at: TableAt) -> None:
        """Write a snapshot of *table_at* if its last command has reached or passed a multiple of SNAPSHOT_INTERVAL.

        *before*: the table's position before the command. The events of *table_at* must be committed. A snapshot costs
        a separate transaction, but only once in many commands. If writing the snapshot fails, `snapshot_if_due` logs
        the error, and the command still succeeds.
        """
        if table_at.position // snapshots.SNAPSHOT_INTERVAL == before // snapshots.SNAPSHOT_INTERVAL:
            return
        try:
            with administering(engine) as connection:
                snapshots.put(connection, self._log, table_at)
        except Exception as error:  # noqa: BLE001 -- the command is recorded, whatever the snapshot's error is
            _LOG.warning("snapshot_failed", table=table_id(table_at.stream_id), error=type(error).__name__)


def _first_impossible(cached: TableAt | None, stream_id: bytes, events: Sequence[RecordedEvent]) -> int:
    """Return the position of the first of *events* that is impossible after the *cached* table.

    If each of *events* is possible, return the last position.
    """
    for one in events:
        try:
            cached = fold(cached or begin(stream_id, one), [one])
        except Exception:  # noqa: BLE001 -- any error shows that the event is impossible
            return one.position
    return events[-1].position
