"""Measures the cost of waiting and following clients: 16 tables are played fast, with and without these clients."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from statistics import median
from threading import Event
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from service.bench import http_load, processors, serving, wrk
from service.bench.crowd import Crowd
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.games import LOADS
from service.bench.headless import GAME
from service.bench.http_load import NoFigure, Run
from service.bench.wrk import Player
from service.client.client import Client
from service.client.endpoints import Api
from service.clock import Clock

ROUNDS: Final = 3
READERS: Final = 4
"""The number of readers at each table that is played, and of waiting clients at each other table."""
TABLES: Final = 500
REFUSED: Final = 800
MOVES: Final = 40
_NEW_TABLE: Final = 2
"""The position of a table after it was opened."""
_PAUSE_SECONDS: Final = 0.03
_SETTLE_SECONDS: Final = 3
_PATIENCE: Final = 300
_PLACES: Final = READERS * TABLES + 500
_FLAGS: Final = ("--connections", "8000", "--connections-per-address", "0")


class _Rates(Struct, frozen=True):
    """The commands a second, and the milliseconds in which 99 % of the commands were answered.

    The rates are of one try, or the medians of several tries.
    """

    commands: float
    p99_ms: float


class _Load:
    """Tables on a server; wrk plays at them as fast as possible, with one connection for each table."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.players: Sequence[Player] = http_load.seated(run, "steady")
        self.play(1)  # the first moves fill the caches

    @property
    def tables(self) -> tuple[str, ...]:
        """The ids of the tables."""
        return tuple(player.key.removesuffix("-") for player in self.players)

    def play(self, seconds: int) -> _Rates:
        """Play for *seconds*.

        Raises:
            NoWrk: wrk is not installed.
            WrkFailed: wrk ended without figures.
            NoFigure: a move was refused or got no response.
        """
        before = sum(player.made for player in self.players)
        load = http_load.checked(wrk.run(self._run.server.url, self.players, seconds, self._run.folder))
        self.players = [replace(player, made=made) for player, made in zip(self.players, load.made, strict=True)]
        return _Rates(1_000_000 * (sum(load.made) - before) / load.microseconds, load.p99_us / 1000)

    def compare(self, crowd: Callable[[], Crowd], then: Callable[[], None] = lambda: None) -> tuple[_Rates, _Rates]:
        """Return the rates with the clients of *crowd* and without them, each measured in turn.

        The function *then* is called after each measurement with the clients, before their connections are closed.
        """
        alone, together = [], []
        for _ in range(ROUNDS):
            alone.append(self.play(self._run.seconds))
            with crowd():
                self.play(_SETTLE_SECONDS)  # the first requests of all clients come at once
                together.append(self.play(self._run.seconds))
                then()
            self.play(_SETTLE_SECONDS)  # in this time the server ends the requests of these clients
        return _middle(together), _middle(alone)


def measure(temporary: TemporaryDatabases, kind: str, seconds: float, clock: Clock) -> Iterator[Figure]:
    """Measure the load with and without each kind of client; each try takes *seconds*, but at least one second.

    Raises:
        NoWrk: wrk is not installed.
        DidNotStart: the server did not start.
        WrkFailed: wrk ended without figures.
        NoFigure: a move was refused, got no response, or did not reach its readers.
    """
    for places, figures in ((_PLACES, _with_places), (READERS, _without_places)):
        folder = temporary.home / f"waiting-{kind}-{places}"
        flags = ("--waiting-places", str(places), "--waiting-places-each", str(places), *_FLAGS)
        with temporary.create(kind) as url, serving.server(url, folder, clock, flags=flags) as server:
            run = Run(server=server, database=0, seconds=max(1, int(seconds)), folder=folder, clock=clock)
            yield from figures(run, f"waiting.{kind}")


def _with_places(run: Run, name: str) -> Iterator[Figure]:
    load, host = _Load(run), Api(Client(run.server.url, run.server.first_key, run.clock))
    with closing(host.client):
        yield from _readers(run, load, host, name)
        yield from _reaching(run, load, host, name)
        yield from _waiting(run, load, host, name)


def _readers(run: Run, load: _Load, host: Api, name: str) -> Iterator[Figure]:
    def readers() -> Crowd:
        crowd = _crowd(run)
        for table in load.tables:
            position = host.table(table).position
            for _ in range(READERS):
                crowd.follow(table, position)
        return crowd

    together, alone = load.compare(readers)
    yield _ratio(f"{name}.readers_ratio", together, alone, f"{READERS} readers at each of {len(load.players)} tables")


def _reaching(run: Run, load: _Load, host: Api, name: str) -> Iterator[Figure]:
    """Measure how long after the response to a command its event reaches the readers, while other tables are played."""
    table = host.open_table(GAME.name, LOADS.seats, LOADS.options)
    arrivals = [dict[int, float]() for _ in range(READERS)]
    answered: dict[int, float] = {}
    crowd = _crowd(run)
    for one in arrivals:
        crowd.follow(table, _NEW_TABLE, one)
    with crowd, _playing(load, run.seconds):
        for number in range(MOVES):
            position = host.act(table, {"type": "invite_player", "player": f"own_{number:032x}"}).position
            answered[position] = run.clock.monotonic()
            Event().wait(_PAUSE_SECONDS)
        for _ in range(_PATIENCE):
            if all(len(one.keys() & answered.keys()) == MOVES for one in arrivals):
                break
            Event().wait(_PAUSE_SECONDS)
        else:
            raise NoFigure("a move did not reach its readers")
    waits = sorted(max(0.0, 1000 * (one[at] - then)) for one in arrivals for at, then in answered.items())
    remark = f"after the response of the move; {len(waits)} arrivals, while {len(load.players)} tables are played"
    yield Figure(f"{name}.reached_p50_ms", median(waits), remark)
    yield Figure(f"{name}.reached_p99_ms", waits[int(len(waits) * 0.99)], remark)


def _waiting(run: Run, load: _Load, host: Api, name: str) -> Iterator[Figure]:
    tables = [host.open_table(GAME.name, LOADS.seats, LOADS.options) for _ in range(TABLES)]
    before = processors.megabytes(run.server.process)
    grown: list[float] = []

    def waiting() -> Crowd:
        crowd = _crowd(run)
        for table in tables:
            for _ in range(READERS):
                crowd.wait(table, _NEW_TABLE)
        return crowd

    def measured() -> None:
        grown.append(processors.megabytes(run.server.process) - before)

    together, alone = load.compare(waiting, measured)
    what = f"{READERS * TABLES:,} clients wait at {TABLES} other tables"
    yield _ratio(f"{name}.commands_ratio", together, alone, what)
    yield Figure(
        f"{name}.p99_ratio", together.p99_ms / alone.p99_ms, f"{together.p99_ms:.1f} and {alone.p99_ms:.1f} ms"
    )
    crowds = ", ".join(f"{each:,.0f}" for each in grown)
    remark = f"more memory of all processes of the server; {what}; with each crowd: {crowds}"
    yield Figure(f"{name}.megabytes", max(grown), remark)


def _without_places(run: Run, name: str) -> Iterator[Figure]:
    load, host = _Load(run), Api(Client(run.server.url, run.server.first_key, run.clock))
    with closing(host.client):
        table = host.open_table(GAME.name, LOADS.seats, LOADS.options)

    def refused() -> Crowd:
        crowd = _crowd(run)
        for _ in range(REFUSED):
            crowd.wait(table, _NEW_TABLE)
        return crowd

    together, alone = load.compare(refused)
    what = f"{REFUSED} clients poll, of which {READERS} find a place, and obey Retry-After"
    yield _ratio(f"{name}.refused_ratio", together, alone, what)


def _crowd(run: Run) -> Crowd:
    return Crowd(run.server.authority, run.server.first_key, run.clock)


def _ratio(name: str, together: _Rates, alone: _Rates, what: str) -> Figure:
    rates = f"{together.commands:,.0f} commands/s with them, {alone.commands:,.0f} without; medians of {ROUNDS}"
    return Figure(name, together.commands / alone.commands, f"{what}; {rates}")


def _middle(tries: Sequence[_Rates]) -> _Rates:
    return _Rates(median(one.commands for one in tries), median(one.p99_ms for one in tries))


@contextmanager
def _playing(load: _Load, seconds: int) -> Iterator[None]:
    """Play at the tables of *load* until the `with` block ends."""
    has_ended = Event()

    def play() -> None:
        while not has_ended.is_set():
            load.play(seconds)

    with ThreadPoolExecutor(1) as thread:
        played = thread.submit(play)
        try:
            yield
        finally:
            has_ended.set()
        played.result()
