"""Time limits: the decision that is due too long is made by the service (G.3)."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Final

import structlog
from msgspec import Struct
from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from service.entropy import Entropy
from service.games.commands import CallTime
from service.games.game import SERVICE
from service.log.database import reading
from service.log.tables import streams
from service.play import Order, Play, PositionMustMatch, Refused
from service.projections.situations import table_id
from service.projections.tables import tables

_LOG: Final = structlog.get_logger("service.timekeeper")


class _Waiting(Struct, frozen=True):
    """A table that has stood at *position* since *since* (seconds of `Entropy.monotonic`), as far as we saw."""

    position: int
    since: float


class Timekeeper:
    """Watches the tables that have a time limit.

    What it has seen is kept in memory alone, so that a limit that ran out while the service was
    down is set anew. Several processes may watch: the same call of two is one command.
    """

    def __init__(self, engine: Engine, play: Play, entropy: Entropy) -> None:
        self._engine = engine
        self._play = play
        self._entropy = entropy
        self._waiting: dict[bytes, _Waiting] = {}

    def look(self) -> int:
        """Call time at every table whose limit has run out since it was first seen there; return at how many."""
        now = self._entropy.monotonic()
        waiting: dict[bytes, _Waiting] = {}
        late = []
        for stream_id, position, limit_seconds in self._limited():
            seen = self._waiting.get(stream_id)
            if seen is None or seen.position != position:
                seen = _Waiting(position, now)
            waiting[stream_id] = seen
            if now - seen.since >= limit_seconds:
                late.append((stream_id, position))
        self._waiting = waiting
        return sum(self._call(stream_id, position) for stream_id, position in late)

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
        except (PositionMustMatch, Refused):
            return False  # The player was in time after all.
        except Exception as error:  # noqa: BLE001  # What ails one table must not stop the others' clocks.
            _LOG.error("time_not_kept", table=table_id(stream_id), error=type(error).__name__)
            return False
        if not played.replayed:
            first, last = played.recorded[0].position, played.receipt.position
            _LOG.info("time_called", table=table_id(stream_id), first=first, position=last)
        return not played.replayed
