"""Time limits: the decision that is due too long is made by the service (G.3)."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Final

import structlog
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from service.entropy import Entropy
from service.games.commands import CallTime
from service.games.game import SERVICE
from service.log.database import reading
from service.log.holding import LogMustRunOn
from service.log.tables import streams
from service.orders import Order, PositionMustMatch, Refused
from service.play import Play
from service.projections.kept import Situations
from service.projections.situations import table_id
from service.projections.tables import tables

_LOG: Final = structlog.get_logger("service.timekeeper")


class _Waiting(Struct, frozen=True):
    """A table at *position* that waits since the event at *waiting*, seen here *since* (`Entropy.monotonic`)."""

    position: int
    waiting: int
    since: float


class Timekeeper:
    """Watches the tables that have a time limit.

    Where several are due at once their time is one: who is left when the others have decided has no more of it. Since
    which event a table waits follows from its stream (`Situation.waiting`), as does the deadline that players are told.
    What it has seen is kept in memory alone, so that a limit that ran out while the service was
    down is set anew. Several processes may watch: the same call of two is one command.
    """

    def __init__(self, engine: Engine, play: Play, tables: Situations, entropy: Entropy) -> None:
        self._engine = engine
        self._play = play
        self._tables = tables
        self._entropy = entropy
        self._waiting: dict[bytes, _Waiting] = {}

    def look(self) -> int:
        """Call time at every table whose limit has run out since it was first seen there; return at how many."""
        now = self._entropy.monotonic()
        waiting = {
            stream_id: (self._seen(stream_id, position, now), limit_seconds)
            for stream_id, position, limit_seconds in self._limited()
        }
        self._waiting = {stream_id: seen for stream_id, (seen, _) in waiting.items()}
        late = [stream_id for stream_id, (seen, limit_seconds) in waiting.items() if now - seen.since >= limit_seconds]
        return sum(self._call_all(stream_id, now) for stream_id in late)

    def start(self, every_seconds: float = 1.0) -> Callable[[], None]:
        """Look again and again, in a thread of its own; return what ends that."""
        ended = Event()

        def run() -> None:
            while not ended.wait(every_seconds):
                try:
                    self.look()
                except SQLAlchemyError as error:  # The database may be back at the next look.
                    _LOG.warning("time_not_kept", error=type(error).__name__)

        thread = Thread(target=run, name="timekeeper", daemon=True)
        thread.start()

        def end() -> None:
            ended.set()
            thread.join()

        return end

    def _limited(self) -> list[tuple[bytes, int, int]]:
        statement = (
            select(tables.c.stream_id, streams.c.head, tables.c.time_limit_seconds)
            .join(streams, streams.c.stream_id == tables.c.stream_id)
            .where(tables.c.status == "playing", tables.c.time_limit_seconds > 0, streams.c.imported_at.is_(None))
        )
        with reading(self._engine) as connection:
            return [tuple(row) for row in connection.execute(statement)]

    def _seen(self, stream_id: bytes, position: int, now: float) -> _Waiting:
        """Return since which event the table at *position* waits, and since when, as far as we saw."""
        before = self._waiting.get(stream_id)
        if before is not None and before.position == position:
            return before
        seen = self._now(stream_id, now)
        return replace(seen, since=before.since) if before is not None and seen.waiting == before.waiting else seen

    def _now(self, stream_id: bytes, now: float) -> _Waiting:
        """Return since which event the table waits, as if it were seen for the first time *now*."""
        try:
            with reading(self._engine) as connection:
                situation = self._tables.now(connection, stream_id)
        except LogMustRunOn:
            situation = None
        if situation is None or situation.broken_at:  # it has been said in the journal, and goes on no more
            return _Waiting(0, 0, now)
        return _Waiting(situation.position, situation.waiting.position, now)

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
            asker=SERVICE,
            key=f"time/{position}",
            command=CallTime(by=SERVICE),
            if_match=position,
            reads_all=True,
        )
        try:
            played = self._play.do(order)
        except (PositionMustMatch, Refused, LogMustRunOn):
            return False  # The player was in time after all; or nothing is written there any more.
        except Exception as error:  # noqa: BLE001  # What ails one table must not stop the others' clocks.
            _LOG.error("time_not_kept", table=table_id(stream_id), error=type(error).__name__)
            return False
        if not played.replayed:
            first, last = played.recorded[0].position, played.receipt.position
            _LOG.info("time_called", table=table_id(stream_id), first=first, position=last)
        return not played.replayed
