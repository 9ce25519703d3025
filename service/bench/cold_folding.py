"""Figures of reading tables from a database and folding them, without the table cache."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from sqlalchemy import Engine

from service.bench import databases, headless, streams
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.stopwatch import rate
from service.bench.streams import Stream
from service.clock import Clock
from service.database import engines
from service.event_store.entries import EMPTY
from service.event_store.store import Log
from service.tables import fold

TABLES: Final = 8
MOVES: Final = 1_500  # at each table

_AT: Final = "2026-01-01T00:00:00.000Z"


def folding(temporary: TemporaryDatabases, kind: str, seconds: float, clock: Clock) -> Iterator[Figure]:
    """Measure how fast one thread reads tables from a database and folds each table from its first event."""
    played = [streams.played(number, MOVES) for number in range(1, TABLES + 1)]
    with temporary.create(kind) as url, databases.opened(url) as engine:
        log = headless.HeadlessService(engine).log
        for stream in played:
            put(engine, log, stream)
        measured = rate(partial(_fold, engine, log, played), seconds, clock.monotonic)
    remark = f"read, decoded and folded by one thread, a transaction for each table; {measured.spread}"
    yield Figure(f"core.{kind}.events_folded_per_second", measured.per_second, remark)


def put(engine: Engine, log: Log, stream: Stream) -> None:
    """Write *stream* into the database as an imported stream."""
    with engines.administering(engine) as connection:
        log.create(connection, stream.stream_id, imported_at=_AT)
        log.append_imported(connection, stream.stream_id, stream.recorded)


def _fold(engine: Engine, log: Log, played: list[Stream]) -> int:
    for stream in played:
        with engines.reading(engine) as connection:
            recorded = log.reader.newer(connection, stream.stream_id, EMPTY, generation=log.generation.number)
            fold.fold_stream(stream.stream_id, recorded)
    return sum(len(stream.recorded) for stream in played)
