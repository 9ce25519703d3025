"""The figures in groups, each taken by itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy.exc import SQLAlchemyError

from service.bench import (
    bulk,
    cold_folding,
    core,
    databases,
    dry_runs,
    http_load,
    long_tables,
    machine,
    memory,
    page_latency,
    storage,
    write_path,
)
from service.bench.databases import POSTGRESQL, SQLITE, NoPostgreSQL, TemporaryDatabases
from service.bench.figures import Figure, Report
from service.bench.http_load import NoFigure
from service.bench.serving import DidNotStart
from service.bench.wrk import NoWrk, WrkFailed
from service.bots.client import Problem, ServerGone
from service.clock import Clock
from service.database.durability import UnsafeDatabase

_SHORT: Final = 0.3  # of the time that a figure over HTTP is given, for one that needs no warm-up


class Bench(Struct, frozen=True, kw_only=True):
    """What figures are taken with: new *databases*, a *clock*, and *seconds* for each figure over HTTP."""

    databases: TemporaryDatabases
    clock: Clock
    seconds: int


Group = Callable[[Bench], Iterator[Figure]]

UNMEASURED: Final = (
    NoWrk,
    WrkFailed,
    NoPostgreSQL,
    DidNotStart,
    NoFigure,
    Problem,
    ServerGone,
    UnsafeDatabase,
    SQLAlchemyError,
)
"""Why a group of figures may be missing; the others are taken all the same."""

GROUPS: Final[Mapping[str, Group]] = {
    "core": lambda bench: core.folding(bench.seconds * _SHORT),
    "core.sqlite": lambda bench: cold_folding.folding(bench.databases, SQLITE, bench.seconds * _SHORT, bench.clock),
    "core.postgresql": lambda bench: cold_folding.folding(
        bench.databases, POSTGRESQL, bench.seconds * _SHORT, bench.clock
    ),
    "audit": lambda bench: core.judging(bench.seconds * _SHORT),
    "long.sqlite": lambda bench: long_tables.measure(bench.databases, SQLITE, bench.clock),
    "long.postgresql": lambda bench: long_tables.measure(bench.databases, POSTGRESQL, bench.clock),
    "memory": lambda _bench: memory.measure(),
    "storage": lambda bench: storage.measure(bench.databases),
    "bulk.sqlite": lambda bench: bulk.measure(bench.databases, SQLITE, bench.clock),
    "bulk.postgresql": lambda bench: bulk.measure(bench.databases, POSTGRESQL, bench.clock),
    "play.sqlite": lambda bench: write_path.measure(bench.databases, SQLITE, bench.seconds * _SHORT, bench.clock),
    "play.postgresql": lambda bench: write_path.measure(
        bench.databases, POSTGRESQL, bench.seconds * _SHORT, bench.clock
    ),
    "http.sqlite": lambda bench: http_load.measure(bench.databases, SQLITE, bench.seconds, bench.clock),
    "http.postgresql": lambda bench: http_load.measure(bench.databases, POSTGRESQL, bench.seconds, bench.clock),
    "dry_run": lambda bench: dry_runs.measure(bench.databases, bench.clock),
    "places.sqlite": lambda bench: page_latency.measure(bench.databases, SQLITE, bench.clock),
    "places.postgresql": lambda bench: page_latency.measure(bench.databases, POSTGRESQL, bench.clock),
}
"""What can be asked for, in the order in which it is done."""


def select_groups(names: Sequence[str]) -> tuple[str, ...]:
    """Return the groups that *names* ask for, each by its name or the first part of it; all for none.

    Raises:
        LookupError: there is no such group.
    """
    for name in names:
        if not any(_is_in(group, name) for group in GROUPS):
            raise LookupError(name)
    return tuple(group for group in GROUPS if not names or any(_is_in(group, name) for name in names))


def measure_groups(names: Sequence[str], seconds: int, server: str, say: Callable[[str], None]) -> Report:
    """Take the figures of the groups *names*; *server*: a PostgreSQL to use; *say* is told what is under way."""
    clock = Clock()
    figures: list[Figure] = []
    missing: dict[str, str] = {}
    with databases.folder() as home, TemporaryDatabases(home, server, clock) as temporary:
        about = machine.describe(home, clock)
        for name in names:
            say(name)
            try:
                figures += GROUPS[name](Bench(databases=temporary, clock=clock, seconds=seconds))
            except UNMEASURED as error:
                missing[name] = str(error)
        settings: dict[str, str] = {
            kind: temporary.settings[kind] for kind in (SQLITE, POSTGRESQL) if kind in temporary.settings
        }
    settings["http"] = (
        f"{http_load.CONNECTIONS} connections, a table each, {seconds} s after {http_load.WARM_UP_SECONDS} s of warm-up"
    )
    return Report(machine=about, settings=settings, figures=tuple(figures), missing=missing)


def _is_in(group: str, name: str) -> bool:
    return group == name or group.startswith(f"{name}.")
