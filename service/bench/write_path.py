"""Figures of the write path without HTTP: one thread, which commits each command before the next command."""

from collections.abc import Iterator
from functools import partial

from service.bench import databases, headless
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.games import LOADS
from service.bench.stopwatch import rate
from service.clock import Clock

_AT_ONCE = 32


def measure(temporary: TemporaryDatabases, kind: str, seconds: float, clock: Clock) -> Iterator[Figure]:
    """Measure how many commands of the steady load one thread records in a second, on a database of *kind*."""
    with temporary.create(kind) as url, databases.opened(url) as engine:
        table = headless.Table(headless.HeadlessService(engine), 1, LOADS.options, seats=LOADS.seats)
        moves = table.play(partial(LOADS.cycle, "steady"))

        def play() -> int:
            for _ in range(_AT_ONCE):
                next(moves)
            return _AT_ONCE

        measured = rate(play, seconds, clock.monotonic)
    yield Figure(f"play.{kind}.commands_per_second", measured.per_second, f"one thread, no HTTP; {measured.spread}")
