"""The tables of a process: kept as they were last seen, and begun from a snapshot where they were not."""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from threading import Lock
from typing import Final

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
from service.tables import snapshots
from service.tables.fold import TableAt, begin, fold, table_id

MOST_TABLES: Final = 10_000

_LOG: Final = structlog.get_logger("service.projections")


class TableCache:
    """The tables of this process as they were last seen, brought up to date by reading only what is newer."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kept: OrderedDict[bytes, TableAt] = OrderedDict()
        self._lock = Lock()
        self._generation = log.generation.number

    def cached(self, stream_id: bytes) -> TableAt | None:
        """Return the table as it was last seen here, which may be long ago; None: never, in this generation."""
        with self._lock:
            self._forget_what_is_old()
            return self._kept.get(stream_id)

    def latest_positions(self, most: int) -> dict[bytes, int]:
        """Return the positions of the tables that were used last, of *most* at most, by their streams."""
        with self._lock:
            self._forget_what_is_old()
            return {stream_id: self._kept[stream_id].position for stream_id in islice(reversed(self._kept), most)}

    def put(self, table_at: TableAt, generation: int) -> None:
        """Remember *table_at*, committed and read in a *generation*, unless that is over, or a later one is known."""
        with self._lock:
            self._forget_what_is_old()
            if generation != self._generation:
                return
            known = self._kept.get(table_at.stream_id)
            if known is None or known.position < table_at.position:
                self._kept[table_at.stream_id] = table_at
            self._kept.move_to_end(table_at.stream_id)
            if len(self._kept) > MOST_TABLES:
                self._kept.popitem(last=False)

    def drop(self, stream_id: bytes) -> None:
        """Forget one table."""
        with self._lock:
            self._kept.pop(stream_id, None)

    def current(self, connection: Connection, stream_id: bytes) -> TableAt | None:
        """Return the table as it stands, or as far as its log holds; None: there is none.

        The connection's transaction must see only what is committed.

        Raises:
            StreamCorrupted: not even its first event holds.
            StreamReplaced: the database was changed for another one twice while it was read.
        """
        try:
            return self._now(connection, stream_id)
        except StreamReplaced:  # What was remembered here is forgotten by now.
            return self._now(connection, stream_id)

    def _now(self, connection: Connection, stream_id: bytes) -> TableAt | None:
        generation, seen = self._log.generation.number, self.cached(stream_id)
        if seen is not None and seen.broken_at:
            return seen
        try:
            seen = seen or self.from_snapshot(connection, stream_id)
            since = seen.head if seen else EMPTY
            newer = self._log.reader.newer(connection, stream_id, since, generation=generation)
            table_at = self.extended(connection, seen, stream_id, newer)
        except StreamCorrupted as error:
            table_at = self._before(connection, stream_id, error)
        if table_at is not None:
            self.put(table_at, generation)
        return table_at

    def at_position(self, connection: Connection, present: TableAt, position: int) -> TableAt | None:
        """Return the table that is at *present* where it stood at *position*; None: there was none yet.

        A value that was erased since is shown no more there either.

        Raises:
            StreamCorrupted: what led there does not hold.
        """
        stream_id = present.stream_id
        since = self.from_snapshot(connection, stream_id, position)
        head = since.head if since else EMPTY
        recorded = self._log.reader.read(connection, stream_id, head, position - head.position, head=present.head)
        past = self.extended(connection, since, stream_id, recorded)
        return replace(past, erased=present.erased) if past else None

    def from_snapshot(self, connection: Connection, stream_id: bytes, upto: int = ALL) -> TableAt | None:
        """Return the table as a snapshot has it, the last at a position of *upto* at most; None: there is none."""
        found = snapshots.newest(connection, self._log, stream_id, upto)
        return replace(found, imported_at=self._log.imported_at(connection, stream_id)) if found else None

    def extended(
        self, connection: Connection, seen: TableAt | None, stream_id: bytes, events: Sequence[RecordedEvent]
    ) -> TableAt | None:
        """Fold *events* into what was *seen*; a table seen for the first time is asked whether it was imported.

        None: there is no table, or its import is unfinished.

        Raises:
            StreamCorrupted: one of them can't come there.
        """
        try:
            table_at = fold(seen or begin(stream_id, events[0]), events) if events else seen
        except Exception as error:  # Whatever an altered event does to the rules ends with this table.
            raise self._log.reader.quarantine_stream(
                connection, stream_id, ChainBreak(_first_odd(seen, stream_id, events), EVENT_IMPOSSIBLE)
            ) from error
        if table_at is None or seen is not None:
            return table_at
        imported_at = self._log.imported_at(connection, stream_id)
        if imported_at and self._log.is_unfinished(connection, stream_id):
            return None
        return replace(table_at, imported_at=imported_at)

    def _forget_what_is_old(self) -> None:
        """Forget all tables where a generation has ended. The lock is held."""
        generation = self._log.generation.number
        if generation != self._generation:
            self._kept.clear()
            self._generation = generation

    def _before(self, connection: Connection, stream_id: bytes, error: StreamCorrupted) -> TableAt:
        """Return the table as it stood right before its log ceased to hold.

        Raises:
            StreamCorrupted: there was nothing before.
        """
        recorded = self._log.reader.read(connection, stream_id, EMPTY, error.position - 1)
        table_at = self.extended(connection, None, stream_id, recorded)
        if table_at is None:
            raise error
        return replace(table_at, broken_at=error.position)

    def snapshot_if_due(self, engine: Engine, before: int, table_at: TableAt) -> None:
        """Write a snapshot of *table_at*, which is committed, where it is the first past another EVERY events.

        *before*: where the table stood before the command. That costs a transaction of its own, once in many commands.
        Where it fails nothing is lost, nor told to who made the command, which is recorded.
        """
        if table_at.position // snapshots.EVERY == before // snapshots.EVERY:
            return
        try:
            with administering(engine) as connection:
                snapshots.put(connection, self._log, table_at)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is no matter of the command
            _LOG.warning("snapshot_failed", table=table_id(table_at.stream_id), error=type(error).__name__)


def _first_odd(seen: TableAt | None, stream_id: bytes, events: Sequence[RecordedEvent]) -> int:
    """Return the position of the first of *events* that can't come after what was *seen*."""
    for one in events:
        try:
            seen = fold(seen or begin(stream_id, one), [one])
        except Exception:  # noqa: BLE001 -- whatever it is, it is there
            return one.position
    return events[-1].position
