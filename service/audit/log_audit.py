"""Audits a whole database, table by table; servers can write meanwhile."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection as Pipe
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Engine, bindparam, select, text, union_all

from service import deck
from service.audit.database_report import Report, sum_up
from service.audit.disputes.dispute_audit import audit_disputes, strays
from service.audit.disputes.dispute_verdicts import DisputesReport
from service.audit.table_audit import TableReport, audit_table, no_progress
from service.database.engines import make_engine, reading
from service.database.partitions import ALL_TABLES, Partition, run_in_processes, split_streams
from service.deck import Shuffle
from service.entropy import Entropy
from service.event_store.codec import Codec
from service.event_store.log_tables import events, sealed, streams
from service.event_store.store import Log
from service.games import EVENTS
from service.projections.projection_tables import hands, seats, tables, transfers
from service.projections.swap_guard import require_current_projections, retry_after_swap
from service.secrets.encryption import Sealer
from service.secrets.keyring import ServiceKey
from service.tables.fold import table_id

MIN_EVENTS_FOR_PROCESSES: Final = 10_000  # starting a process costs as much as checking some thousands of events
_DONE: Final = "done"

_OF_STREAMS: Final = (streams, events, sealed, transfers, tables, seats, hands)

Progress = Callable[[int, int], None]
"""A function that is called with the number of checked events and the approximate number of all events."""


class Workers(Struct, frozen=True):
    """The number of worker *processes* that share the audit of a log, and the service *key* that they need.

    One process audits a log with fewer than *least* events.
    """

    processes: int
    key: ServiceKey
    least: int = MIN_EVENTS_FOR_PROCESSES


class NoSuchTable(Exception):
    """The database has no rows of a card table with this id."""


def verify(  # noqa: PLR0913  # The parameters are what to check, the dependencies, and the progress.
    engine: Engine,
    log: Log,
    codec: Codec,
    *,
    stream_id: bytes | None = None,
    shuffle: Shuffle = deck.shuffle,
    progress: Progress = no_progress,
    workers: Workers | None = None,
) -> Report:
    """Check every table, or only the table of *stream_id*; *workers* share a long log (DECISIONS 40).

    The audit reads each table in a separate transaction, so that a long audit blocks nobody. The audit may miss a table
    that is opened while the audit runs.

    Raises:
        NoSuchTable: the database has no rows of the stream *stream_id*.
    """
    total = _total(engine, stream_id)
    counter = _ProgressCounter(progress, total)
    if workers and workers.processes > 1 and stream_id is None and total >= workers.least:
        reported = _reports_of_processes(engine, log, codec, workers, counter)
    else:
        every = reports(engine, log, codec, stream_id=stream_id, shuffle=shuffle, on_progress=counter.at)
        reported = counter.counted(every)
    return sum_up(reported, () if stream_id else _strays(engine))


class _ProgressCounter:
    """Adds up the checked events of all tables, and reports the progress."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def at(self, of_this_table: int) -> None:
        """Report the progress; *of_this_table* is the number of checked events of the current table."""
        done = self._done + of_this_table
        self._progress(done, max(self._total, done))

    def counted(self, reported: Iterable[TableReport]) -> Iterator[TableReport]:
        """Yield the reports in *reported*, and add the number of their events to the progress."""
        for report in reported:
            self._done += report.events
            self.at(0)
            yield report


@retry_after_swap
def _strays(engine: Engine) -> list[DisputesReport]:
    with reading(engine) as connection:
        return list(strays(connection))


def _reports_of_processes(
    engine: Engine, log: Log, codec: Codec, workers: Workers, counter: _ProgressCounter
) -> Iterator[TableReport]:
    """Check each partition of the streams in a separate process, and yield the reports in the order of the streams.

    If a worker process dies, the calling process checks the tables for which it got no report.
    """
    url = engine.url.render_as_string(hide_password=False)
    each = split_streams(engine, workers.processes)
    reported: list[list[TableReport]] = [[] for _ in each]
    undone = set(range(len(each)))
    for number, said in run_in_processes(_verify_partition, [(url, workers.key, partition) for partition in each]):
        if said == _DONE:
            undone.remove(number)
        else:
            reported[number] += counter.counted([said])
    for number, partition in enumerate(each):
        yield from reported[number]
        if number in undone:
            after = bytes.fromhex(reported[number][-1].table.partition("_")[2]) if reported[number] else partition.after
            yield from counter.counted(
                reports(engine, log, codec, partition=Partition(after, partition.last), on_progress=counter.at)
            )


def _verify_partition(pipe: Pipe, url: str, key: ServiceKey, partition: Partition) -> None:
    """Check a *partition* of the streams in this worker process, and send the report of each table."""
    engine, codec, entropy = make_engine(url), Codec(EVENTS), Entropy()
    for report in reports(engine, Log(codec, Sealer(key), entropy), codec, partition=partition):
        pipe.send(report)
    pipe.send(_DONE)
    engine.dispose()


def reports(  # noqa: PLR0913  # `verify` has nearly the same parameters.
    engine: Engine,
    log: Log,
    codec: Codec,
    *,
    stream_id: bytes | None = None,
    partition: Partition = ALL_TABLES,
    shuffle: Shuffle = deck.shuffle,
    on_progress: Callable[[int], None] = no_progress,
) -> Iterator[TableReport]:
    """Yield the report of each table of *partition*, or only of the table of *stream_id*.

    *on_progress* is called with the number of checked events of the current table.

    Raises:
        NoSuchTable: the database has no rows of the stream *stream_id*.
    """
    if stream_id is not None:
        _must_be_there(engine, stream_id)
    for one in _all(engine, partition) if stream_id is None else [stream_id]:
        yield _report(engine, one, log, codec, shuffle, on_progress)


@retry_after_swap
def _report(  # noqa: PLR0913  # `audit_table` needs nearly the same parameters.
    engine: Engine, stream_id: bytes, log: Log, codec: Codec, shuffle: Shuffle, on_progress: Callable[[int], None]
) -> TableReport:
    with reading(engine, without_idle_limit=True) as connection:
        report = audit_table(connection, stream_id, log, codec, shuffle=shuffle, on_progress=on_progress)
        return replace(report, disputes=audit_disputes(connection, stream_id, log, codec, report))


@retry_after_swap
def _must_be_there(engine: Engine, stream_id: bytes) -> None:
    with reading(engine) as connection:
        require_current_projections(connection)
        if connection.execute(_HAS, {"stream_id": stream_id}).first() is None:
            raise NoSuchTable(table_id(stream_id))


def _all(engine: Engine, partition: Partition) -> Iterator[bytes]:
    """Yield the id of every stream in *partition* that has rows in an SQL table, even if its head row is missing."""
    after = partition.after
    while True:
        following = _following(engine, after)
        after = min((bytes(one) for one in following), default=partition.last)
        if not following or after > partition.last:
            return
        yield after


@retry_after_swap
def _following(engine: Engine, after: bytes) -> Sequence[bytes]:
    with reading(engine) as connection:
        require_current_projections(connection)
        return connection.execute(_FOLLOWING, {"after": after}).scalars().all()


def _total(engine: Engine, stream_id: bytes | None) -> int:
    """Return the number of events to check: the sum of the positions in the head rows."""
    values = {"all": stream_id is None, **ALL_TABLES._asdict(), "stream_id": stream_id or b""}
    with reading(engine) as connection:
        return int(connection.execute(_TOTAL, values).scalar_one())


_FOLLOWING: Final = union_all(
    *(
        select(
            select(table.c.stream_id)
            .where(table.c.stream_id > bindparam("after"))
            .order_by(table.c.stream_id)
            .limit(1)
            .subquery()
            .c.stream_id
        )
        for table in _OF_STREAMS
    )
)
_HAS: Final = union_all(
    *(select(table.c.stream_id).where(table.c.stream_id == bindparam("stream_id")) for table in _OF_STREAMS)
).limit(1)
_TOTAL: Final = text(
    "SELECT coalesce(sum(head), 0) FROM streams"
    " WHERE :all AND stream_id > :after AND stream_id <= :last OR stream_id = :stream_id"
)
