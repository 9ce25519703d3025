"""The groups of figures, measured one after the other; an error of a type in `UNMEASURED` ends only its group."""

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
    many_tables,
    memory,
    page_latency,
    racing,
    sequencing,
    signing_costs,
    storage,
    waiting,
    watching,
    write_path,
)
from service.bench.databases import POSTGRESQL, SQLITE, NoPostgreSQL, TemporaryDatabases
from service.bench.figures import Figure, Report
from service.bench.http_load import NoFigure
from service.bench.serving import DidNotStart
from service.bench.wrk import NoWrk, WrkFailed
from service.client.client_errors import Problem, ServerGone
from service.clock import Clock
from service.database.durability import UnsafeDatabase

_SHORT: Final = 0.3  # several groups measure for this share of the seconds of a load over HTTP


class Bench(Struct, frozen=True, kw_only=True):
    """The tools of a group: temporary *databases*, a *clock*, and the *seconds* of each load over HTTP."""

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
"""An error of these types ends the measurement of its group; the other groups are still measured."""

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
    "many.sqlite": lambda bench: many_tables.measure(bench.databases, SQLITE, bench.clock),
    "many.postgresql": lambda bench: many_tables.measure(bench.databases, POSTGRESQL, bench.clock),
    "play.sqlite": lambda bench: write_path.measure(bench.databases, SQLITE, bench.seconds * _SHORT, bench.clock),
    "play.postgresql": lambda bench: write_path.measure(
        bench.databases, POSTGRESQL, bench.seconds * _SHORT, bench.clock
    ),
    "racing.sqlite": lambda bench: racing.measure(bench.databases, SQLITE, bench.seconds * _SHORT, bench.clock),
    "racing.postgresql": lambda bench: racing.measure(bench.databases, POSTGRESQL, bench.seconds * _SHORT, bench.clock),
    "sequencing.sqlite": lambda bench: sequencing.measure(bench.databases, SQLITE, bench.seconds, bench.clock),
    "sequencing.postgresql": lambda bench: sequencing.measure(bench.databases, POSTGRESQL, bench.seconds, bench.clock),
    "signing.sqlite": lambda bench: signing_costs.measure(bench.databases, SQLITE, bench.seconds * _SHORT, bench.clock),
    "signing.postgresql": lambda bench: signing_costs.measure(
        bench.databases, POSTGRESQL, bench.seconds * _SHORT, bench.clock
    ),
    "http.sqlite": lambda bench: http_load.measure(bench.databases, SQLITE, bench.seconds, bench.clock),
    "http.postgresql": lambda bench: http_load.measure(bench.databases, POSTGRESQL, bench.seconds, bench.clock),
    "watching.sqlite": lambda bench: watching.measure(bench.databases, SQLITE, bench.seconds * _SHORT, bench.clock),
    "watching.postgresql": lambda bench: watching.measure(
        bench.databases, POSTGRESQL, bench.seconds * _SHORT, bench.clock
    ),
    "waiting.sqlite": lambda bench: waiting.measure(bench.databases, SQLITE, bench.seconds * _SHORT, bench.clock),
    "waiting.postgresql": lambda bench: waiting.measure(
        bench.databases, POSTGRESQL, bench.seconds * _SHORT, bench.clock
    ),
    "dry_run": lambda bench: dry_runs.measure(bench.databases, bench.clock),
    "places.sqlite": lambda bench: page_latency.measure(bench.databases, SQLITE, bench.clock),
    "places.postgresql": lambda bench: page_latency.measure(bench.databases, POSTGRESQL, bench.clock),
}
"""All groups, in the order in which they are measured."""


def select_groups(names: Sequence[str]) -> tuple[str, ...]:
    """Return the groups that *names* select, or all groups if there are no names.

    A name is the whole name of a group, or its first part: "http" selects "http.sqlite" and "http.postgresql".

    Raises:
        LookupError: a name selects no group.
    """
    for name in names:
        if not any(_is_in(group, name) for group in GROUPS):
            raise LookupError(name)
    return tuple(group for group in GROUPS if not names or any(_is_in(group, name) for name in names))


def measure_groups(names: Sequence[str], seconds: int, server: str, say: Callable[[str], None]) -> Report:
    """Measure the groups *names*; call *say* with the name of each group before its measurement.

    *server* is the URL of a PostgreSQL server, or "" to start a server if a group needs it.
    """
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
