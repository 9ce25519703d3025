"""Time limits: the service decides for players whose time limit has run out (G.3) (DECISIONS 8, 29, 77, 127, 138)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from threading import Event, Thread
from typing import Final

import structlog
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, Engine, select

from service.clock import Clock
from service.database.engines import reading
from service.database.spread.node_readers import read_reachable
from service.event_store.codec import RecordedEvent
from service.event_store.log_tables import streams
from service.event_store.quarantine import StreamCorrupted
from service.games.common_commands import CallTime
from service.games.game import SERVICE
from service.play.handler import Play
from service.play.orders import Order, PositionMustMatch, Refused
from service.projections.projection_tables import tables
from service.projections.swap_guard import require_current_projections, retry_after_swap
from service.tables.cache import TableCache
from service.tables.fold import TableAt, table_id

_LOG: Final = structlog.get_logger("service.timekeeper")


class _Timer(Struct, frozen=True):
    """The timer of the players who are due at a table at *position*.

    *since*: when this process first saw that these players are due, in seconds of `Clock.monotonic`.
    """

    position: int
    since: float


class Timekeeper:
    """Watches the tables with a time limit, and calls time at each table whose limit has run out.

    Players who are due together share one time limit: when some of them have decided, the others get no new time.
    `TableAt.due_since` computes from the stream the event since which the players are due; the deadline that players
    see is computed from this event. The timers are only in memory, so after a restart of the service every time limit
    starts again. Several processes may watch one table: for the same position they give the same command, so time is
    called only once.

    A timer begins without a read of its stream: otherwise each process would, at its start, read every table with a
    time limit. The stream is read when its position has changed, and when time is called.
    """

    def __init__(
        self,
        engine: Engine,
        play: Play,
        tables: TableCache,
        clock: Clock,
        committed: Callable[[bytes, Sequence[RecordedEvent]], None] = lambda _stream_id, _recorded: None,
    ) -> None:
        """*committed* is called with the stream and the events of each recorded call of time."""
        self._committed = committed
        self._engine = engine
        self._play = play
        self._tables = tables
        self._clock = clock
        self._timers: dict[bytes, _Timer] = {}

    def look(self) -> int:
        """Call time at every table whose timer has reached its limit; return the number of tables with a recorded call.

        If `look` fails at one table, it logs the error and continues with the other tables.
        """
        now = self._clock.monotonic()
        late: list[bytes] = []
        timers: dict[bytes, _Timer] = {}
        for stream_id, position, limit_seconds in self._tables_with_limit():
            if before := self._timers.get(stream_id):
                timers[stream_id] = before  # After an error the timer continues.
            with _logged_errors(stream_id):
                timer = timers[stream_id] = self._timer_at(stream_id, position, now)
                if now - timer.since >= limit_seconds:
                    late.append(stream_id)
        self._timers = timers
        called = 0
        for stream_id in late:
            with _logged_errors(stream_id):
                called += self._call_repeatedly(stream_id, now)
        return called

    def start(self, every_seconds: float = 1.0) -> Callable[[], None]:
        """Start a thread that calls `look` every *every_seconds*; return the function that ends the thread."""
        ended = Event()

        def run() -> None:
            while not ended.wait(every_seconds):
                with _logged_errors():  # The error may be gone at the next look.
                    self.look()

        thread = Thread(target=run, name="timekeeper", daemon=True)
        thread.start()

        def end() -> None:
            ended.set()
            thread.join()

        return end

    @retry_after_swap
    def _tables_with_limit(self) -> list[tuple[bytes, int, int]]:
        """Return the stream, the head's position and the limit of each table in play with a time limit.

        Imported tables, and tables at a node that is down, are left out.
        """

        def read(connection: Connection) -> list[tuple[bytes, int, int]]:
            require_current_projections(connection)
            return [tuple(row) for row in connection.execute(_WITH_LIMIT)]

        return list(chain(*read_reachable(self._engine, lambda reach: reach.each(read)).value))

    def _timer_at(self, stream_id: bytes, position: int, now: float) -> _Timer:
        """Return the timer of the table at *position*. If the same players are still due, their timer continues."""
        before = self._timers.get(stream_id)
        if before is None:
            return _Timer(position, now)
        if before.position == position:
            return before
        table_at = self._table(stream_id)
        if table_at is None:  # The damage was logged. At a damaged table nobody is due.
            return _Timer(position, now)
        return _Timer(table_at.position, before.since if _is_due_since(table_at, before) else now)

    def _table(self, stream_id: bytes) -> TableAt | None:
        """Return the present table, or None if its stream is damaged."""
        try:
            with reading(self._engine) as connection:
                table_at = self._tables.current(connection, stream_id)
        except StreamCorrupted:
            return None
        return None if table_at is None or table_at.broken_at else table_at

    def _call_repeatedly(self, stream_id: bytes, now: float) -> bool:
        """Call time for all players who share the time limit that has run out; return whether any call was recorded.

        If a call is not recorded, for example because the table waits for no decision, the timer starts again: the next
        call comes after a whole time limit.
        """
        timer = self._timers[stream_id]
        is_called = False
        while self._call(stream_id, timer.position):
            is_called = True
            after = self._table(stream_id)
            if after is None or not _is_due_since(after, timer):
                break
            timer = replace(timer, position=after.position)
        else:
            self._timers[stream_id] = replace(timer, since=now)
        return is_called

    def _call(self, stream_id: bytes, position: int) -> bool:
        order = Order(
            stream_id=stream_id,
            caller=SERVICE,
            key=f"time/{position}",
            command=CallTime(by=SERVICE),
            if_match=position,
            reads_all=True,
        )
        try:
            result = self._play.do(order)
        except (PositionMustMatch, Refused, StreamCorrupted):
            return False  # A player has just decided, no decision is due, or the table is damaged.
        except Exception as error:  # noqa: BLE001  # Another call now would fail, too: we wait for a whole time limit.
            _log_error(error, stream_id)
            return False
        if not result.replayed:
            self._committed(stream_id, result.recorded)
            first, last = result.recorded[0].position, result.receipt.position
            _LOG.info("time_called", table=table_id(stream_id), first=first, position=last)
        return not result.replayed


def _is_due_since(table_at: TableAt, timer: _Timer) -> bool:
    """Return whether all players who are due at *table_at* were due already at the position of *timer*."""
    return table_at.due_since.position <= timer.position <= table_at.position


_WITH_LIMIT: Final = (
    select(tables.c.stream_id, streams.c.head, tables.c.time_limit_seconds)
    .join(streams, streams.c.stream_id == tables.c.stream_id)
    .where(tables.c.status == "playing", tables.c.time_limit_seconds > 0, streams.c.imported_at.is_(None))
)


@contextmanager
def _logged_errors(stream_id: bytes | None = None) -> Iterator[None]:
    """Log an error that ends the block, with the id of its table if *stream_id* is given, and suppress the error."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  # If the timekeeper stopped, time would be called at no table.
        _log_error(error, stream_id)


def _log_error(error: Exception, stream_id: bytes | None) -> None:
    table = {"table": table_id(stream_id)} if stream_id else {}
    with suppress(OSError, ValueError):  # The log's output may be closed.
        _LOG.error("time_not_kept", **table, error=type(error).__name__)
