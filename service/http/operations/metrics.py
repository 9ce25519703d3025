"""Metrics for Prometheus; each scrape returns the metrics of all processes of a server (DECISIONS 25 and 51)."""

import os
import platform
import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Final

from flask import Flask, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import SQLAlchemyError

from service import __version__
from service.clock import Clock
from service.database.engines import reading
from service.database.sql import padded
from service.database.write_lock import WriteLockNotAcquired
from service.event_store.log_tables import IS_OF_TABLE, streams
from service.http.request.context import RequestContext, request_context
from service.play.outcomes import Outcome
from service.tables.cache import TableCache
from service.transparency import published
from service.ttl_cache import TtlCache

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable of prometheus-client that names the folder in which the processes share their counts."""

_MOST_COMPARED: Final = 1_000
_READ_SECONDS: Final = 5.0
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_OF_COMMANDS: Final = (
    "Commands by game and outcome: recorded, replayed (a repeat), refused (by the rules), stale (the table is "
    "not at the position in If-Match), denied (there is no such table, the table is imported, or the caller has"
    " no right to the command), mismatched (the Idempotency-Key belongs to another command), damaged (the "
    "table's log is damaged), unknown (the database did not confirm the commit), failed (any other error). "
    "Denied, damaged, unknown and failed commands have no game. The timekeeper's commands are counted; dry runs"
    " are not counted."
)


class Metrics:
    """The metrics of one process."""

    def __init__(self, clock: Clock) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # prometheus-client has no types here
        self._clock = clock
        self._folder = os.environ.get(FOLDER, "")
        self._registry = CollectorRegistry()
        self._commands = Counter(
            "chiptrail_commands",
            _OF_COMMANDS,
            ["game", "outcome"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "chiptrail_request_seconds",
            "Seconds from a request to its response, by route and method; requests with `wait` are left out.",
            ["route", "method"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._answers = Counter(
            "chiptrail_answers",
            "Responses by route, method and HTTP status.",
            ["route", "method", "status"],
            registry=self._registry,
        )
        self.waiting_slots_taken: Final = Gauge(
            "chiptrail_waiting_places_taken",
            "Long polls that wait, and event streams; each of them blocks a thread.",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self._running = Gauge(
            "chiptrail_requests_running",
            "Requests in flight, long polls and event streams included; each of them takes a thread.",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self.damaged_tables: Final = Gauge(
            "chiptrail_damaged_tables",
            "Tables whose log is damaged, so that the service records nothing more there. Each process counts the "
            "tables that it found; this is the largest count of all processes. Above 0 is an alarm: the log lines "
            "`log_damaged` name the tables, and `chiptrail verify` finds the damage.",
            multiprocess_mode="livemax",
            registry=self._registry,
        )
        self._timed: dict[tuple[str, str], Histogram] = {}
        self._answered: dict[tuple[str, str, int], Counter] = {}
        self._by_outcome: dict[tuple[str, str], Counter] = {}

    def init_app(self, app: Flask) -> None:
        """Count the requests and the responses of *app*."""
        app.before_request(self._begin)
        app.after_request(self._count)
        app.teardown_request(self._end)

    def command(self, game: str, outcome: Outcome) -> None:
        """Count a command; this method is the observer of the write path (`service.play.outcomes`)."""
        counter = self._by_outcome.get((game, outcome))
        if counter is None:
            counter = self._by_outcome[game, outcome] = self._commands.labels(game, outcome)
        counter.inc()

    def rendered(self, besides: Iterable[Collector]) -> bytes:
        """Return the metrics of this service and of the collectors in *besides*, in the text format of Prometheus."""
        ours, registry = self._registry, CollectorRegistry()
        if self._folder:
            ours = CollectorRegistry()
            _remove_dead_processes(Path(self._folder))
            MultiProcessCollector(ours)  # type: ignore[no-untyped-call]  # prometheus-client has no types here
        for collector in besides:
            registry.register(collector)
        return generate_latest(ours) + generate_latest(registry)

    def _begin(self) -> None:
        request_context().is_running = True
        self._running.inc()

    def _end(self, _error: BaseException | None) -> None:
        now = request_context()
        if not now.is_streaming:
            self._leave(now)

    def _leave(self, now: RequestContext) -> None:
        if now.is_running:
            now.is_running = False
            self._running.dec()

    def _count(self, response: Response) -> Response:
        now = request_context()
        if response.is_streamed:  # Flask tears the request down twice: when the stream begins and when it ends
            now.is_streaming = True
            response.call_on_close(partial(self._leave, now))
        route = _template(now.url_rule.rule) if now.url_rule else ""
        method = now.method if now.method in _METHODS else "other"
        if b"wait=" not in now.query_string:
            timed = self._timed.get((route, method))
            if timed is None:
                timed = self._timed[route, method] = self._seconds.labels(route, method)
            timed.observe(self._clock.monotonic() - now.started)
        answered = self._answered.get((route, method, response.status_code))
        if answered is None:
            answered = self._answers.labels(route, method, str(response.status_code))
            self._answered[route, method, response.status_code] = answered
        answered.inc()
        return response


class LogGauges(Collector):
    """Gauges of the log, read at most once every `_READ_SECONDS`, however many scrapes there are."""

    def __init__(self, engine: Engine, tables: TableCache, clock: Clock, places: int, origin: str) -> None:
        self._engine = engine
        self._origin = origin
        self._tables = tables
        self._places = places
        self._cached = TtlCache(self._read, _READ_SECONDS, clock)

    def collect(self) -> Iterator[Metric]:
        """Yield the release, the number of waiting slots, and whether the database answered.

        If the database answered, also yield the gauges of the log.
        """
        built = GaugeMetricFamily(
            "chiptrail_build_info", "The release of Chiptrail, and the version of Python.", labels=["version", "python"]
        )
        built.add_metric([__version__, platform.python_version()], 1)
        yield built
        yield GaugeMetricFamily(
            "chiptrail_waiting_places", "Waiting slots for long polls and event streams, in each process.", self._places
        )
        gauges = self._cached.get()
        yield GaugeMetricFamily(
            "chiptrail_database_up", "1: the database answered the last query; 0: it did not.", int(gauges is not None)
        )
        if gauges is not None:
            yield from _families(*gauges)

    def _read(self) -> tuple[int, int, int, int, int, int] | None:
        try:
            with reading(self._engine) as connection:
                counted = select(func.count(), func.coalesce(func.sum(streams.c.head), 0), func.max(streams.c.head))
                of_tables = counted.where(IS_OF_TABLE)
                count, events, highest = connection.execute(of_tables).one()
                waiting = published.leaves_without_index(connection)
                signed = published.newest_size(connection, self._origin)
                cached = self._tables.latest_positions(_MOST_COMPARED)
                heads = select(streams.c.stream_id, streams.c.head).where(streams.c.stream_id.in_(padded(cached)))
                lag = sum(max(0, head - cached[bytes(stream)]) for stream, head in connection.execute(heads))
        except (SQLAlchemyError, WriteLockNotAcquired):
            return None
        return int(count), int(events), int(highest or 0), lag, waiting, signed


@cache
def _template(rule: str) -> str:
    """Return the path of a route as the OpenAPI document has it: `/v1/tables/{table}`."""
    return re.sub("<(?:[^:>]+:)?([^>]+)>", r"{\1}", rule)


def _families(  # noqa: PLR0913  # one parameter for each gauge
    count: int, events: int, highest: int, lag: int, waiting: int, signed: int
) -> Iterator[Metric]:
    yield GaugeMetricFamily("chiptrail_streams", "Streams of tables in the log: one for each table.", count)
    yield GaugeMetricFamily(
        "chiptrail_log_events", "Events of tables in the log: the sum of the heads of their streams.", events
    )
    yield GaugeMetricFamily(
        "chiptrail_stream_head_highest", "The position of the head of the longest stream of a table.", highest
    )
    yield GaugeMetricFamily(
        "chiptrail_log_lag_events",
        "Events that other processes recorded and that the process behind this scrape has not folded yet, of the "
        f"tables that the process used last (at most {_MOST_COMPARED:,} tables). The process folds the events of a "
        "table when it next reads the table. With a single process this is 0. Projections never lag: the service "
        "writes them in the transaction that records the events.",
        lag,
    )
    yield GaugeMetricFamily(
        "chiptrail_log_leaves_without_index",
        "Leaves that have no index in the whole log yet. A leaf gets its index within a second; a number that grows is "
        "an alarm: the log lines `log_not_kept` have the cause.",
        waiting,
    )
    yield GaugeMetricFamily(
        "chiptrail_log_checkpoint_size",
        "The number of leaves that the newest signed checkpoint covers. If this number stays the same while the log "
        "grows, the signer has stopped: the log lines `log_not_kept` have the cause.",
        signed,
    )


def _remove_dead_processes(folder: Path) -> None:
    """Remove the live gauges of processes that have ended; the counters of these processes stay."""
    for path in folder.glob("gauge_live*_*.db"):
        process = int(path.stem.rpartition("_")[2])
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]  # prometheus-client has no types here
        except PermissionError:
            continue
