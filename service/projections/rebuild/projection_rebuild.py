"""The rebuild: recomputes the projections from the log, while servers continue to write (DECISIONS 18)."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from multiprocessing.connection import Connection as Pipe
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from service.clock import Clock
from service.database import errors
from service.database.engines import UnknownCommit, administering, make_engine, migrating, reading
from service.database.exclusive import REBUILD, exclusive_work
from service.database.partitions import ALL_TABLES, Partition, run_in_processes, split_streams
from service.database.write_lock import WriteLockNotAcquired
from service.event_store.codec import Codec
from service.event_store.quarantine import Quarantine, StreamCorrupted
from service.event_store.store import Log
from service.event_store.stream_reader import StreamReader
from service.games import EVENTS
from service.projections import swap_guard
from service.projections.rebuild.behind_streams import BehindStream, BehindStreams, Transaction
from service.projections.rebuild.rebuilt_rows import RebuiltRows, RebuiltTable
from service.projections.rebuild.shadow_build import PROGRESS, RUN, shadow_build
from service.tables.replay import CannotReplay, commands

Progress = Callable[[int, int], None]
"""A function that is called with the number of rebuilt events and the approximate number of all events."""

_MOST_ROWS: Final = 2_000  # a transaction writes about this many rows; on SQLite other writers wait until it ends
_MOST_ROWS_COPIED: Final = 20_000
MIN_EVENTS_FOR_PROCESSES: Final = 50_000  # starting a process costs as much as rebuilding from some thousands of events
_MOST_CACHED: Final = 2_000
_MOST_ROUNDS: Final = 20
# The swap, which locks out commands, begins after a round with at most this many events, or after the last round.
_FEW_EVENTS: Final = 500
_MOST_TRIES: Final = 60  # the maximum number of tries to swap; on PostgreSQL each lock waits at most half a second
_OVER: Final = ("finished", "closed")


class RebuildOvertaken(Exception):
    """Another rebuild has begun since this rebuild began. This rebuild has not changed the projections in use."""


class NoQuietMoment(Exception):
    """Other transactions kept locking the projections. The projections in use are unchanged."""


class Rebuilt(Struct, frozen=True):
    """The number of rebuilt *streams*, and the number of their *events*."""

    streams: int
    events: int


def rebuild(  # noqa: PLR0913  # The parameters say what to rebuild, and in how many processes.
    engine: Engine,
    log: Log,
    clock: Clock,
    progress: Progress = lambda _done, _total: None,
    *,
    processes: int = 1,
    least: int = MIN_EVENTS_FOR_PROCESSES,
) -> Rebuilt:
    """Build the projections from the log, and swap the built tables with the tables in use.

    If the log has at least *least* events, *processes* processes share the work. If a process fails, the calling
    process completes the work. Commands continue during the build; on SQLite, between the transactions of the build.
    The last transaction locks commands out, catches up with the latest events and swaps the tables. Until this
    transaction commits, the projections in use are unchanged.

    Raises:
        CannotReplay, StreamCorrupted: the log itself is broken; `verify` reports the position.
        WorkUnderWay, RebuildOvertaken: another rebuild is running.
        NoQuietMoment: other transactions kept locking the projections.
    """
    with exclusive_work(engine, REBUILD):
        return _Rebuild(engine, log.reader, clock.new_id("rbd"), progress).run(processes, least)


class _Rebuild:
    """One run of the rebuild, identified by its *token*, or the part of a run that rebuilds one *partition*."""

    def __init__(
        self, engine: Engine, reader: StreamReader, token: str, progress: Progress, partition: Partition = ALL_TABLES
    ) -> None:
        self._engine = engine
        self._token = token
        self._progress = progress
        self._shadow = shadow_build(engine.dialect.name)
        self._most_rows = _MOST_ROWS if engine.dialect.name == "sqlite" else _MOST_ROWS_COPIED
        self._streams = BehindStreams(reader, self._shadow, partition)
        self._cached: OrderedDict[bytes, RebuiltTable] = OrderedDict()
        self._batch = RebuiltRows()
        self._events = 0
        self._total = 0

    def run(self, processes: int, least: int) -> Rebuilt:
        with migrating(self._engine) as connection:
            self._shadow.make(connection)
            ours = f"INSERT INTO {self._shadow.name(RUN)} VALUES (:token)"  # noqa: S608
            connection.execute(text(ours), {"token": self._token})
        if processes > 1:
            self._rebuild_in_processes(processes, least)
        for _ in range(_MOST_ROUNDS):
            if self.catch_up() <= _FEW_EVENTS:
                break
        for _ in range(_MOST_TRIES):
            try:
                return self._swap()
            except (DBAPIError, WriteLockNotAcquired) as error:
                if errors.classify(error) is not errors.Fault.BUSY:
                    raise
        raise NoQuietMoment

    def catch_up(self) -> int:
        """Rebuild from the events since the last call; return the number of these events."""
        return self._catch_up(partial(reading, self._engine, without_idle_limit=True), self._writing_shadow)

    @contextmanager
    def _writing_shadow(self) -> Iterator[Connection]:
        with administering(self._engine) as connection:
            self._shadow.commit_without_sync(connection)
            yield connection

    def _rebuild_in_processes(self, processes: int, least: int) -> None:
        """If the log has at least *least* events, rebuild in other processes; each process rebuilds one partition."""
        with reading(self._engine) as connection:
            total = int(connection.scalars(_TOTAL, ALL_TABLES._asdict()).one())
        if total < least:
            return
        url = self._engine.url.render_as_string(hide_password=False)
        done: dict[int, int] = {}
        each = [(url, self._token, partition) for partition in split_streams(self._engine, processes)]
        for number, events in run_in_processes(_rebuild_partition, each):
            done[number] = events
            self._progress(sum(done.values()), max(total, sum(done.values())))
        self._events = sum(done.values())

    def _swap(self) -> Rebuilt:
        with migrating(self._engine) as connection:
            self._check_run(connection)
            self._shadow.lock(connection)
            self._catch_up(lambda: nullcontext(connection), lambda: nullcontext(connection))
            count = f"SELECT count(*), coalesce(sum(position), 0) FROM {self._shadow.name(PROGRESS)}"  # noqa: S608
            streams, events = connection.execute(text(count)).one()
            self._shadow.swap(connection)
            swap_guard.begin_generation(connection)
            connection.execute(_DELETE_SNAPSHOTS)  # Later commands and reads lead to new snapshots.
        return Rebuilt(streams=streams, events=int(events))

    def _catch_up(self, read: Transaction, write: Transaction) -> int:
        before, self._batch = self._events, RebuiltRows()
        with read() as connection:
            self._total = int(connection.scalars(_TOTAL, ALL_TABLES._asdict()).one())
        with closing(self._streams.read(read, self._cached_at)) as behind:
            for stream in behind:
                self._extend(stream, write)
        self._write(write)
        return self._events - before

    def _cached_at(self, stream_id: bytes, done: int) -> RebuiltTable | None:
        rebuilt = self._cached.get(stream_id)
        if rebuilt and rebuilt.table_at.position != done:
            return None  # The transaction that rebuilt the events after *done* was rolled back.
        return rebuilt

    def _extend(self, stream: BehindStream, write: Transaction) -> None:
        """Rebuild a stream after the position *stream.done*."""
        rebuilt, is_stored = stream.rebuilt, stream.done > 0
        for steps in commands(stream.stream_id, stream.events, rebuilt.table_at if rebuilt else None):
            rebuilt = RebuiltTable(steps[-1].after, rebuilt.opened_at if rebuilt else steps[0].recorded.at)
            if rebuilt.table_at.position > stream.done:
                self._batch.add(stream.stream_id, steps, rebuilt, is_stored=is_stored)
                self._events += len(steps)
            if self._batch.count >= self._most_rows:
                self._write(write)
                is_stored = True
        self._cached.pop(stream.stream_id, None)
        if rebuilt and rebuilt.table_at.state.status not in _OVER:
            self._cached[stream.stream_id] = rebuilt
            if len(self._cached) > _MOST_CACHED:
                self._cached.popitem(last=False)

    def _write(self, write: Transaction) -> None:
        """Write the batch in one transaction."""
        batch, self._batch = self._batch, RebuiltRows()
        with write() as connection:
            self._check_run(connection)
            batch.write(connection, self._shadow)
        self._progress(self._events, max(self._events, self._total))

    def _check_run(self, connection: Connection) -> None:
        """Check that no other rebuild has begun since this run began.

        Raises:
            RebuildOvertaken: another rebuild has begun.
        """
        token = text(f"SELECT token FROM {self._shadow.name(RUN)}")  # noqa: S608
        if not self._shadow.exists(connection) or connection.scalar(token) != self._token:
            raise RebuildOvertaken


def _rebuild_partition(pipe: Pipe, url: str, token: str, partition: Partition) -> None:
    """Rebuild a *partition* of the streams in this child process; send the number of rebuilt events through *pipe*."""
    engine, reader = make_engine(url), StreamReader(Codec(EVENTS), Quarantine())
    with suppress(*_ERRORS):  # The parent process does the rest; if the error lasts, the parent raises it.
        _Rebuild(engine, reader, token, lambda done, _total: pipe.send(done), partition).catch_up()
    engine.dispose()


_ERRORS: Final = (CannotReplay, StreamCorrupted, RebuildOvertaken, SQLAlchemyError, UnknownCommit, WriteLockNotAcquired)
_TOTAL: Final = text("SELECT coalesce(sum(head), 0) FROM streams WHERE stream_id > :after AND stream_id <= :last")
_DELETE_SNAPSHOTS: Final = text("DELETE FROM snapshots")
