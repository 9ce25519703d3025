"""The rebuild: recomputes the projections from the log, while servers continue to write (DECISIONS 18)."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from multiprocessing.connection import Connection as Pipe
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from service.clock import Clock
from service.database import errors
from service.database.engines import UnknownCommit, administering, make_engine, migrating, reading
from service.database.exclusive import REBUILD, exclusive_work
from service.database.partitions import ALL_TABLES, Partition, run_in_processes, split_streams
from service.database.write_lock import WriteLockNotAcquired
from service.event_store import queries
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import ChainPoint, KnownPoint
from service.event_store.quarantine import Quarantine, StreamCorrupted
from service.event_store.store import Log
from service.event_store.stream_reader import StreamReader
from service.games import EVENTS
from service.projections import swap_guard
from service.projections.projection_tables import hands, seats, tables, transfers
from service.projections.projector import hand_rows, table_row, transfer_rows
from service.projections.rebuild.bulk_load import load
from service.projections.rebuild.shadow_build import PROGRESS, RUN, shadow_build
from service.projections.seats_and_invitations import seat_and_invitation_rows
from service.tables.fold import Step, TableAt
from service.tables.replay import CannotReplay, commands

Progress = Callable[[int, int], None]
"""A function that is called with the number of rebuilt events and the approximate number of all events."""

Transaction = Callable[[], AbstractContextManager[Connection]]
Values = tuple[Any, ...]

_PAGE: Final = 1_000
_MOST_ROWS: Final = 2_000  # a transaction writes about this many rows; on SQLite other writers wait until it ends
_MOST_ROWS_COPIED: Final = 20_000
MIN_EVENTS_FOR_PROCESSES: Final = 50_000  # starting a process costs as much as rebuilding from some thousands of events
_MOST_CACHED: Final = 2_000
_MOST_ROUNDS: Final = 20
_FEW_EVENTS: Final = 500  # the swap, which locks out commands, begins after a round with at most this many events
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


def rebuild(  # noqa: PLR0913  # The parameters are what to rebuild, the progress, and the processes.
    engine: Engine,
    log: Log,
    clock: Clock,
    progress: Progress = lambda _done, _total: None,
    *,
    processes: int = 1,
    least: int = MIN_EVENTS_FOR_PROCESSES,
) -> Rebuilt:
    """Build the projections from the log, and swap the built tables with the tables in use.

    *processes* share a log of *least* or more events. If a process fails, the calling process completes its work.
    Commands continue during the build; on SQLite, between the transactions of the build. The last transaction locks
    commands out, catches up with the latest events and swaps the tables. Until then the projections in use are
    unchanged.

    Raises:
        CannotReplay, StreamCorrupted: the log itself is broken; `verify` reports the position.
        WorkUnderWay, RebuildOvertaken: another rebuild is running.
        NoQuietMoment: other transactions kept locking the projections.
    """
    with exclusive_work(engine, REBUILD):
        return _Rebuild(engine, log.reader, clock.new_id("rbd"), progress).run(processes, least)


class _RebuiltTable(Struct, frozen=True):
    """A card table at the last rebuilt position."""

    table_at: TableAt
    opened_at: str


class _Batch(Struct):
    """Rows to write in one transaction: new rows, and the *latest* state of each stream, which replaces older rows."""

    transfers: list[Values] = []
    hands: list[Values] = []
    latest: dict[bytes, _RebuiltTable] = {}

    @property
    def rows(self) -> int:
        return len(self.transfers) + len(self.hands) + len(self.latest)


class _Rebuild:
    """One run of the rebuild, identified by its *token*, or the part of a run that rebuilds one *partition*."""

    def __init__(
        self, engine: Engine, reader: StreamReader, token: str, progress: Progress, partition: Partition = ALL_TABLES
    ) -> None:
        self._engine = engine
        self._reader = reader
        self._token = token
        self._progress = progress
        self._partition = partition
        self._shadow = shadow_build(engine.dialect.name)
        self._most_rows = _MOST_ROWS if engine.dialect.name == "sqlite" else _MOST_ROWS_COPIED
        self._cached: OrderedDict[bytes, _RebuiltTable] = OrderedDict()
        self._batch = _Batch()
        self._events = 0
        self._total = 0

    def run(self, processes: int, least: int) -> Rebuilt:
        with migrating(self._engine) as connection:
            self._shadow.make(connection)
            ours = f"INSERT INTO {self._shadow.name(RUN)} VALUES (:token)"  # noqa: S608
            _execute(connection, ours, [{"token": self._token}])
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
        """Rebuild a log of *least* or more events in other processes; each process rebuilds one partition."""
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
            connection.execute(_DELETE_SNAPSHOTS)  # Later commands write new snapshots.
        return Rebuilt(streams=streams, events=int(events))

    def _catch_up(self, read: Transaction, write: Transaction) -> int:
        before, self._batch = self._events, _Batch()
        with read() as connection:
            self._total = int(connection.scalars(_TOTAL, ALL_TABLES._asdict()).one())
        for stream_id, done in self._behind(read):
            with read() as connection:
                self._extend(connection, stream_id, done, write)
        self._write(write)
        return self._events - before

    def _behind(self, read: Transaction) -> Iterator[tuple[bytes, int]]:
        """Yield each stream with new events, and the position up to which the stream is rebuilt."""
        statement = text(_BEHIND.format(self._shadow.name(PROGRESS)))
        after = self._partition.after
        while True:
            with read() as connection:
                page = connection.execute(
                    statement, {"after": after, "last": self._partition.last, "limit": _PAGE}
                ).all()
            yield from ((bytes(row.stream_id), row.position) for row in page)
            if len(page) < _PAGE:
                return
            after = bytes(page[-1].stream_id)

    def _extend(self, connection: Connection, stream_id: bytes, done: int, write: Transaction) -> None:
        """Rebuild a stream after the position *done*."""
        rebuilt = self._cached.pop(stream_id, None)
        if rebuilt and rebuilt.table_at.position != done:
            rebuilt = None  # The transaction that rebuilt the events after *done* was rolled back.
        since = rebuilt.table_at if rebuilt else None
        for steps in commands(stream_id, self._recorded(connection, stream_id, since), since):
            rebuilt = _RebuiltTable(steps[-1].after, rebuilt.opened_at if rebuilt else steps[0].recorded.at)
            if rebuilt.table_at.position > done:
                self._add(stream_id, steps, rebuilt)
            if self._batch.rows >= self._most_rows:
                self._write(write)
        if rebuilt and rebuilt.table_at.state.status not in _OVER:
            self._cached[stream_id] = rebuilt
            if len(self._cached) > _MOST_CACHED:
                self._cached.popitem(last=False)

    def _recorded(self, connection: Connection, stream_id: bytes, since: TableAt | None) -> Iterator[RecordedEvent]:
        last: ChainPoint = since.head if since else EMPTY
        row = queries.HEAD.run(connection, {"stream_id": stream_id}).one()
        head = KnownPoint(row.head, row.head_hash)
        while page := self._reader.read(connection, stream_id, last, _PAGE, head=head):
            yield from page
            last = page[-1]

    def _add(self, stream_id: bytes, steps: Sequence[Step], rebuilt: _RebuiltTable) -> None:
        self._batch.transfers += [(stream_id, *row) for step in steps for row in transfer_rows(step)]
        self._batch.hands += [(stream_id, *row) for row in hand_rows(steps)]
        self._batch.latest[stream_id] = rebuilt
        self._events += len(steps)

    def _write(self, write: Transaction) -> None:
        """Write the batch in one transaction."""
        batch, self._batch = self._batch, _Batch()
        with write() as connection:
            self._check_run(connection)
            load(connection, self._shadow.name(transfers.name), transfers, batch.transfers)
            load(connection, self._shadow.name(hands.name), hands, batch.hands)
            for name in (tables.name, seats.name, PROGRESS):
                delete = f"DELETE FROM {self._shadow.name(name)} WHERE stream_id = :stream_id"  # noqa: S608
                _execute(connection, delete, [{"stream_id": stream_id} for stream_id in batch.latest])
            of_tables = [_of_table(*one) for one in batch.latest.items()]
            load(connection, self._shadow.name(tables.name), tables, of_tables)
            of_seats = [row for one in batch.latest.items() for row in _of_seats(*one)]
            load(connection, self._shadow.name(seats.name), seats, of_seats)
            reached = f"INSERT INTO {self._shadow.name(PROGRESS)} VALUES (:stream_id, :position)"  # noqa: S608
            positions = [{"stream_id": key, "position": one.table_at.position} for key, one in batch.latest.items()]
            _execute(connection, reached, positions)
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
    """Rebuild a *partition* of the streams in this worker process, and send the number of rebuilt events."""
    engine, reader = make_engine(url), StreamReader(Codec(EVENTS), Quarantine())
    with suppress(*_ERRORS):  # The parent process will raise the same error, and report it.
        _Rebuild(engine, reader, token, lambda done, _total: pipe.send(done), partition).catch_up()
    engine.dispose()


def _of_table(stream_id: bytes, rebuilt: _RebuiltTable) -> Values:
    values = {"stream_id": stream_id, **table_row(rebuilt.opened_at, rebuilt.table_at.state)}
    return tuple(values[name] for name in tables.columns.keys())  # noqa: SIM118  # The columns are not a mapping.


def _of_seats(stream_id: bytes, rebuilt: _RebuiltTable) -> Iterator[Values]:
    return ((stream_id, seat, player) for seat, player in seat_and_invitation_rows(rebuilt.table_at.state).items())


def _execute(connection: Connection, statement: str, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        connection.execute(text(statement), rows)


_ERRORS: Final = (CannotReplay, StreamCorrupted, RebuildOvertaken, SQLAlchemyError, UnknownCommit, WriteLockNotAcquired)
_TOTAL: Final = text("SELECT coalesce(sum(head), 0) FROM streams WHERE stream_id > :after AND stream_id <= :last")
_DELETE_SNAPSHOTS: Final = text("DELETE FROM snapshots")
_BEHIND: Final = (
    "SELECT streams.stream_id, coalesce(done.position, 0) AS position"
    " FROM streams LEFT JOIN {} AS done ON done.stream_id = streams.stream_id"
    " WHERE streams.stream_id > :after AND streams.stream_id <= :last AND streams.head > coalesce(done.position, 0)"
    " ORDER BY streams.stream_id LIMIT :limit"
)
