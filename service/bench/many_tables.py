"""Figures of work on many short tables: the first look of a timekeeper at their time limits, and a rebuild."""

from collections.abc import Callable, Iterator
from typing import Final

from sqlalchemy import Engine, text

from service.bench import databases, filling, headless
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.stopwatch import rate
from service.clock import Clock
from service.database import engines
from service.play.timekeeper import Timekeeper
from service.projections.rebuild.projection_rebuild import rebuild

TABLES: Final = 5_000
MOVES: Final = 10  # in each table, after its start

_LIMIT: Final = text("UPDATE tables SET time_limit_seconds = 3600")


def measure(temporary: TemporaryDatabases, kind: str, clock: Clock) -> Iterator[Figure]:
    """Measure on a database of *kind* with many tables the first look of a timekeeper, and a rebuild."""
    with temporary.create(kind) as url, databases.opened(url) as engine:
        filled = filling.fill_tables(engine, TABLES, MOVES)
        about = f"{filled.streams:,} tables, {filled.events:,} events"
        measured = rate(_first_look(engine, filled.streams, clock), 0, clock.monotonic)
        yield Figure(f"many.{kind}.first_look_tables_per_second", measured.per_second, f"{about}; {measured.spread}")
        log = headless.HeadlessService(engine).log
        measured = rate(lambda: rebuild(engine, log, clock).streams, 0, clock.monotonic)
        remark = f"{about}, one process; {measured.spread}"
        yield Figure(f"many.{kind}.rebuilt_tables_per_second", measured.per_second, remark)


def _first_look(engine: Engine, tables: int, clock: Clock) -> Callable[[], int]:
    """Return a function that lets a new timekeeper look at *tables* tables with a time limit, and returns *tables*."""
    with engines.administering(engine) as connection:
        connection.execute(_LIMIT)

    def look() -> int:
        service = headless.HeadlessService(engine)
        Timekeeper(engine, service.play, service.tables, clock).look()
        return tables

    return look
