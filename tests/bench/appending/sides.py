"""A short and a long log, and commands recorded in both, in turn: the same moves, one after the other."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from statistics import median

from msgspec import Struct
from sqlalchemy import Engine, text

from service.bench import databases, filling, headless
from service.bench.databases import POSTGRESQL, TemporaryDatabases
from service.bench.processors import seconds
from service.bench.storage import RELATIONS
from service.database.engines import migrating, reading
from service.entropy import Entropy

TABLES = 64  # new ones, anywhere among all: so that it is not one page of an index that all is written to


class Plan(Struct, frozen=True, kw_only=True):
    """How long the two logs are, in events, and what is measured."""

    few: int
    many: int
    commands: int
    tries: int


class Side(Struct, frozen=True, kw_only=True):
    """One log and its tries: milliseconds a command took, and of those what the database computed (0: nobody tells)."""

    events: int
    bytes_per_event: float
    milliseconds: tuple[float, ...]
    database_milliseconds: tuple[float, ...]


class Compared(Struct, frozen=True):
    """Both logs."""

    few: Side
    many: Side

    @property
    def slower(self) -> float:
        """How many times as long a command takes in the long log."""
        return middle(self.many.milliseconds) / middle(self.few.milliseconds)

    @property
    def dearer(self) -> float:
        """How many times as much the database computes for it."""
        return middle(self.many.database_milliseconds) / (middle(self.few.database_milliseconds) or 1.0)


def middle(values: tuple[float, ...]) -> float:
    """Return the median of *values*."""
    return median(values)


def compare(temporary: TemporaryDatabases, plan: Plan, clock: Entropy, say: Callable[[str], None]) -> Compared:
    """Fill both logs, record in both in turn, and compare."""
    with ExitStack() as stack:
        both = []
        for events in (plan.few, plan.many):
            say(f"filling a log with {events:,} events …")
            engine = stack.enter_context(databases.opened(stack.enter_context(temporary.create(POSTGRESQL))))
            filled = filling.fill(engine, events).events
            _settle(engine)
            both.append((engine, filled, _bytes(engine) / filled, _moves(engine)))
        for one in both:
            _record(
                one[3], plan.commands, clock, temporary.process
            )  # what is made once is made, what is read often is read
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
    playing = [headless.Table(service, number).play("steady") for number in numbers]
    while True:
        for table in playing:
            yield next(table)


def _record(moves: Iterator[None], commands: int, clock: Entropy, database: int) -> tuple[float, float]:
    """Return milliseconds a command took, on the wall and of the processes of the *database*."""
    begun, used = clock.monotonic(), seconds(database)
    for _ in range(commands):
        next(moves)
    return (clock.monotonic() - begun) * 1000 / commands, (seconds(database) - used) * 1000 / commands


def _settle(engine: Engine) -> None:
    """Have written what filling left to be written, so that it is not written while commands are timed."""
    with migrating(engine) as connection:
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("ANALYZE"))
        connection.execute(text("CHECKPOINT"))


def _bytes(engine: Engine) -> float:
    with reading(engine) as connection:
        statement = text("SELECT pg_total_relation_size(:name)")
        return float(sum(connection.execute(statement, {"name": name}).scalar_one() for name in RELATIONS))
