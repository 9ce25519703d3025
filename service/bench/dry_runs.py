"""Figures that show timing leaks: facts hidden from the caller must not change a dry run's duration (DECISIONS 47)."""

from collections.abc import Iterator
from statistics import median
from typing import Final

from service.bench import databases
from service.bench.databases import SQLITE, TemporaryDatabases
from service.bench.figures import Figure
from service.bench.games import HIDDEN_FACTS
from service.bench.trials import Sides
from service.clock import Clock

TRIES: Final = 2_000
"""The number of dry runs at each of the two tables, which take turns."""


def measure(temporary: TemporaryDatabases, clock: Clock) -> Iterator[Figure]:
    """Measure, for each hidden fact, the duration of a dry run if the fact holds, divided by its duration if not."""
    for name, fact in HIDDEN_FACTS.items():
        with temporary.create(SQLITE) as url, databases.opened(url) as engine:
            yield _ratio(f"dry_run.{name}_ratio", fact(engine), clock)


def _ratio(name: str, sides: Sides, clock: Clock) -> Figure:
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(TRIES):
        for side, times in zip(sides, taken, strict=True):
            begun = clock.monotonic()
            side()
            times.append(clock.monotonic() - begun)
    is_so, is_not = map(median, taken)
    durations = f"{is_so * 1e6:.1f} µs where the fact holds, {is_not * 1e6:.1f} µs where it does not"
    remark = f"medians of {TRIES:,} dry runs each, in turn: {durations}"
    return Figure(name, is_so / is_not, remark)
