"""A figure of commands with If-Match at one table: 32 clients that race for each position, and one client alone."""

from collections.abc import Iterator
from itertools import count
from random import Random
from statistics import median
from threading import Thread
from typing import Final

from service.bench import databases, headless
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.clock import Clock
from service.play.orders import Order, PositionMustMatch

CLIENTS: Final = 32
ROUNDS: Final = 5

_CHIPS: Final = 1_000_000  # so that no game ends


def measure(temporary: TemporaryDatabases, kind: str, seconds: float, clock: Clock) -> Iterator[Figure]:
    """Measure on a database of *kind* the accepted commands of many clients, divided by those of one client alone.

    Each client gives the next command as soon as it knows the table's position. *seconds* is the length of each try.
    """
    with temporary.create(kind) as url, databases.opened(url) as engine:
        race = _Race(headless.HeadlessService(engine), clock)
        race.accepted_per_second(1, seconds)  # The first commands also build shared objects, so they do not count.
        pairs = [
            (race.accepted_per_second(CLIENTS, seconds), race.accepted_per_second(1, seconds)) for _ in range(ROUNDS)
        ]
    many, alone = (median(rates) for rates in zip(*pairs, strict=True))
    remark = f"{many:,.0f}/s with {CLIENTS} clients, {alone:,.0f}/s with one; medians of {ROUNDS} tries in turn"
    yield Figure(f"racing.{kind}.accepted_ratio", median(raced / calm for raced, calm in pairs), remark)


class _Race:
    """Clients at one table of a *service*."""

    def __init__(self, service: headless.HeadlessService, clock: Clock) -> None:
        self._service = service
        self._clock = clock
        self._table = headless.Table(service, 1, {**headless.OPTIONS, "buy_in": _CHIPS})
        self._keys = count()

    def accepted_per_second(self, clients: int, seconds: float) -> float:
        """Let *clients* clients play for *seconds*; return their accepted commands a second."""
        accepted = [0] * clients
        begun = self._clock.monotonic()
        threads = [Thread(target=self._play, args=(accepted, number, begun + seconds)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(accepted) / (self._clock.monotonic() - begun)

    def _play(self, accepted: list[int], number: int, until: float) -> None:
        dice, table_at = Random(number), self._table.table_at
        while self._clock.monotonic() < until:
            seat, command = headless.random_move(table_at, dice)
            order = Order(
                stream_id=table_at.stream_id,
                caller=headless.owner(seat),
                key=f"race {next(self._keys)}",
                command=command,
                if_match=table_at.position,
            )
            try:
                self._service.play.do(order)
            except PositionMustMatch as error:
                table_at = error.table_at
            else:
                accepted[number] += 1
                table_at = self._table.table_at
