"""Time limits: the decision that is due too long is made by the service (G.3)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Final

import structlog
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Engine, select

from service.clock import Clock
from service.database.engines import reading
from service.event_store.log_tables import streams
from service.event_store.quarantine import StreamCorrupted
from service.games.common_commands import CallTime
from service.games.game import SERVICE
from service.play.handler import Play
from service.play.orders import Order, PositionMustMatch, Refused
from service.projections.projection_tables import tables
from service.projections.swap_guard import require_current_projections, retry_after_swap
from service.tables.cache import TableCache
from service.tables.fold import table_id

_LOG: Final = structlog.get_logger("service.timekeeper")


class _Clock(Struct, frozen=True):
    """A table at *position* that waits since the event at *waiting*, seen here *since* (`Clock.monotonic`)."""

    position: int
    waiting: int
    since: float


class Timekeeper:
    """Watches the tables that have a time limit.

    Where several are due at once their time is one: who is left when the others have decided has no more of it. Since
    which event a table waits follows from its stream (`TableAt.due_since`), as does the deadline that players are told.
    What it has seen is kept in memory alone, so that a limit that ran out while the service was
    down is set anew. Several processes may watch: the same call of two is one command.
    """

    def __init__(self, engine: Engine, play: Play, tables: TableCache, clock: Clock) -> None:
        self._engine = engine
        self._play = play
        self._tables = tables
        self._clock = clock
        self._waiting: dict[bytes, _Clock] = {}

    def look(self) -> int:
        """Call time at every table whose limit has run out since it was first seen there; return at how many.

        What ails one table is said, and does not stop the clocks of the others.
        """
        now = self._clock.monotonic()
        late: list[bytes] = []
        waiting: dict[bytes, _Clock] = {}
        for stream_id, position, limit_seconds in self._limited():
            if before := self._waiting.get(stream_id):
                waiting[stream_id] = before  # in case of an error: the clock goes on
            with _said(stream_id):
                seen = waiting[stream_id] = self._seen(stream_id, position, now)
                if now - seen.since >= limit_seconds:
                    late.append(stream_id)
        self._waiting = waiting
        called = 0
        for stream_id in late:
            with _said(stream_id):
                called += self._call_all(stream_id, now)
        return called

    def start(self, every_seconds: float = 1.0) -> Callable[[], None]:
        """Look again and again, in a thread of its own; return what ends that."""
        ended = Event()

        def run() -> None:
            while not ended.wait(every_seconds):
                with _said():  # Whatever it is, it may be over at the next look.
                    self.look()

        thread = Thread(target=run, name="timekeeper", daemon=True)
        thread.start()

        def end() -> None:
            ended.set()
            thread.join()

        return end

    @retry_after_swap
    def _limited(self) -> list[tuple[bytes, int, int]]:
        statement = (
            select(tables.c.stream_id, streams.c.head, tables.c.time_limit_seconds)
            .join(streams, streams.c.stream_id == tables.c.stream_id)
            .where(tables.c.status == "playing", tables.c.time_limit_seconds > 0, streams.c.imported_at.is_(None))
        )
        with reading(self._engine) as connection:
            require_current_projections(connection)
            return [tuple(row) for row in connection.execute(statement)]

    def _seen(self, stream_id: bytes, position: int, now: float) -> _Clock:
        """Return since which event the table at *position* waits, and since when, as far as we saw."""
        before = self._waiting.get(stream_id)
        if before is not None and before.position == position:
            return before
        seen = self._now(stream_id, now)
        return replace(seen, since=before.since) if before is not None and seen.waiting == before.waiting else seen

    def _now(self, stream_id: bytes, now: float) -> _Clock:
        """Return since which event the table waits, as if it were seen for the first time *now*."""
        try:
            with reading(self._engine) as connection:
                table_at = self._tables.current(connection, stream_id)
        except StreamCorrupted:
            table_at = None
        if table_at is None or table_at.broken_at:  # it has been said in the journal, and goes on no more
            return _Clock(0, 0, now)
        return _Clock(table_at.position, table_at.due_since.position, now)

    def _call_all(self, stream_id: bytes, now: float) -> bool:
        """Call time for all who are late together; tell whether it was called at all.

        Where it is refused, because nothing moves by itself there, it is not called again before another limit is over.
        """
        seen = self._waiting[stream_id]
        is_called = False
        while self._call(stream_id, seen.position):
            is_called = True
            after = self._now(stream_id, now)
            if after.waiting != seen.waiting:
                break
            seen = after
        else:
            self._waiting[stream_id] = replace(seen, since=now)
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
            return False  # The player was in time after all; or nothing is written there any more.
        except Exception as error:  # noqa: BLE001  # Called again, it would fail again: not before another limit is over.
            _say(error, stream_id)
            return False
        if not result.replayed:
            first, last = result.recorded[0].position, result.receipt.position
            _LOG.info("time_called", table=table_id(stream_id), first=first, position=last)
        return not result.replayed


@contextmanager
def _said(stream_id: bytes | None = None) -> Iterator[None]:
    """Say which error ends what is done, at a table or for all of them, and go on after it."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  # A clock that stops stops its table, and nobody would know.
        _say(error, stream_id)


def _say(error: Exception, stream_id: bytes | None) -> None:
    table = {"table": table_id(stream_id)} if stream_id else {}
    with suppress(OSError, ValueError):  # nobody may be there to read it
        _LOG.error("time_not_kept", **table, error=type(error).__name__)
