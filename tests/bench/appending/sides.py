"""Records the same commands in a short and a long log, in turn."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from statistics import median

from msgspec import Struct
from sqlalchemy import Engine, text

from service.bench import databases, filling, headless
from service.bench.databases import POSTGRESQL, TemporaryDatabases
from service.bench.games import LOADS
from service.bench.processors import seconds
from service.bench.storage import RELATIONS
from service.database.engines import migrating, reading
from service.entropy import Entropy

TABLES = 64  # the tables of the commands; a table's id is a hash, so the rows are on many pages of an index


class Plan(Struct, frozen=True, kw_only=True):
    """The numbers of events in the short log (*few*) and in the long log (*many*), and the number of *tries*.

    *commands* is the number of commands that each try records in a log.
    """

    few: int
    many: int
    commands: int
    tries: int


class Side(Struct, frozen=True, kw_only=True):
    """One log. Per try, in milliseconds a command: the duration, and the database's processor time (0: unknown)."""

    events: int
    bytes_per_event: float
    milliseconds: tuple[float, ...]
    database_milliseconds: tuple[float, ...]


class Compared(Struct, frozen=True):
    """The short log (*few*) and the long log (*many*)."""

    few: Side
    many: Side

    @property
    def slower(self) -> float:
        """The duration of a command in the long log, divided by its duration in the short log."""
        return middle(self.many.milliseconds) / middle(self.few.milliseconds)

    @property
    def dearer(self) -> float:
        """The database's processor time of a command in the long log, divided by its time in the short log."""
        return middle(self.many.database_milliseconds) / (middle(self.few.database_milliseconds) or 1.0)


def middle(values: tuple[float, ...]) -> float:
    """Return the median of *values*."""
    return median(values)


def compare(temporary: TemporaryDatabases, plan: Plan, clock: Entropy, say: Callable[[str], None]) -> Compared:
    """Fill both logs, record commands in both in turn, and return the measurements."""
    with ExitStack() as stack:
        both = []
        for events in (plan.few, plan.many):
            say(f"filling a log with {events:,} events …")
            engine = stack.enter_context(databases.opened(stack.enter_context(temporary.create(POSTGRESQL))))
            filled = filling.fill(engine, events).events
            _settle(engine)
            both.append((engine, filled, _bytes(engine) / filled, _moves(engine)))
        for one in both:
            # This warm-up builds shared objects and fills caches.
            _record(one[3], plan.commands, clock, temporary.process)
        taken: list[list[tuple[float, float]]] = [[], []]
        for number in range(plan.tries):
            say(f"try {number + 1} of {plan.tries}")
            for side in (0, 1) if number % 2 else (1, 0):
                taken[side].append(_record(both[side][3], plan.commands, clock, temporary.process))
        return Compared(
            *(
                Side(
                    events=filled,
                    bytes_per_event=size,
                    milliseconds=tuple(wall for wall, _ in tries),
                    database_milliseconds=tuple(cpu for _, cpu in tries),
                )
                for (_, filled, size, _), tries in zip(both, taken, strict=True)
            )
        )


def _moves(engine: Engine) -> Iterator[None]:
    service = headless.HeadlessService(engine)
    numbers = (int.from_bytes(sha256(f"table {number}".encode()).digest()[:16], "big") for number in range(TABLES))
    playing = [
        headless.Table(service, number, LOADS.options, seats=LOADS.seats).play(partial(LOADS.cycle, "steady"))
        for number in numbers
    ]
    while True:
        for table in playing:
            yield next(table)


def _record(moves: Iterator[None], commands: int, clock: Entropy, database: int) -> tuple[float, float]:
    """Return the milliseconds of a command: elapsed time, and the processor time of the *database*."""
    begun, used = clock.monotonic(), seconds(database)
    for _ in range(commands):
        next(moves)
    return (clock.monotonic() - begun) * 1000 / commands, (seconds(database) - used) * 1000 / commands


def _settle(engine: Engine) -> None:
    """Write the filled log to disk and update statistics, because PostgreSQL would otherwise do so during the tries."""
    with migrating(engine) as connection:
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("ANALYZE"))
        connection.execute(text("CHECKPOINT"))


def _bytes(engine: Engine) -> float:
    with reading(engine) as connection:
        statement = text("SELECT pg_total_relation_size(:name)")
        return float(sum(connection.execute(statement, {"name": name}).scalar_one() for name in RELATIONS))
