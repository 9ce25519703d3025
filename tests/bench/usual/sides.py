"""Puts the same load on our service and on the usual ways (`serving.WAYS`) in turn, at new tables in every try."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any, Final

from msgspec import Struct

from service.bench import http_load, processors, serving, wrk
from service.bench.databases import POSTGRESQL, TemporaryDatabases
from service.bench.games import bankrupt
from service.bench.headless import HOST, owner
from service.bench.serving import Served
from service.bench.wrk import Player
from service.client.client import Client
from service.entropy import Entropy
from tests.bench.usual import serving as usual

OURS: Final = "chiptrail"


class Try(Struct, frozen=True):
    """The figures of one try; *server_ms* and *database_ms* are the processor time of a command (0: unknown)."""

    per_second: float
    p50_ms: float
    p99_ms: float
    server_ms: float
    database_ms: float


class Side(Struct, frozen=True):
    """Our service or one of the usual ways: its *server*, and a function that seats players for a load."""

    name: str
    server: Served
    seated: Callable[[str], Sequence[Player]]


class Compared(Struct, frozen=True):
    """The measurements of one *load*: the *tries* by the name of the side, in order."""

    load: str
    tries: Mapping[str, tuple[Try, ...]]

    def ratio(self, way: str) -> float:
        """Our median rate, divided by the median rate of *way*."""
        ours, theirs = (median(one.per_second for one in self.tries[name]) for name in (OURS, way))
        return ours / theirs

    def ratios(self, way: str) -> tuple[float, ...]:
        """Our rate divided by the rate of *way*, in each round of tries."""
        rounds = zip(self.tries[OURS], self.tries[way], strict=True)
        return tuple(ours.per_second / theirs.per_second for ours, theirs in rounds)


class Plan(Struct, frozen=True, kw_only=True):
    """With each of *loads*, our service and each of *ways* is measured *tries* times, each time for *seconds* s."""

    seconds: int
    tries: int
    loads: tuple[str, ...]
    ways: tuple[str, ...]


def compare(
    temporary: TemporaryDatabases, plan: Plan, entropy: Entropy, say: Callable[[str], None]
) -> Iterator[Compared]:
    """Measure our service and all ways in turn on one PostgreSQL server; report the progress to *say*.

    Raises:
        NoWrk, NoPostgreSQL: wrk or PostgreSQL is missing.
        DidNotStart: a server did not start.
        WrkFailed, NoFigure: wrk ended without figures, or a run was invalid.
    """
    wrk.program()
    with ExitStack() as servers:
        sides = [_ours(servers, temporary, entropy)]
        sides += [_side(servers, temporary, way, entropy) for way in plan.ways]
        for load in plan.loads:
            found: dict[str, list[Try]] = {side.name: [] for side in sides}
            for side in sides:
                say(f"{load}: warming {side.name} up")
                http_load.checked(
                    wrk.run(side.server.url, side.seated(load), http_load.WARM_UP_SECONDS, temporary.home)
                )
            for number in range(plan.tries):
                for side in sides if number % 2 == 0 else sides[::-1]:
                    found[side.name].append(_try(temporary, side, load, plan.seconds))
                    say(f"{load}, {side.name}: {found[side.name][-1].per_second:,.0f} commands/s")
            yield Compared(load, {name: tuple(tries) for name, tries in found.items()})


def _ours(servers: ExitStack, temporary: TemporaryDatabases, entropy: Entropy) -> Side:
    url = servers.enter_context(temporary.create(POSTGRESQL))
    server = servers.enter_context(serving.server(url, temporary.home / "ours", entropy))
    run = http_load.Run(server=server, database=0, seconds=0, folder=temporary.home, clock=entropy)
    return Side(OURS, server, lambda load: http_load.seated(run, load))


def _side(servers: ExitStack, temporary: TemporaryDatabases, way: str, entropy: Entropy) -> Side:
    if way == usual.HELLO:
        server = servers.enter_context(usual.hello_server(temporary.home / way, entropy))
        return Side(way, server, lambda load: _greeted(server, load))
    name = entropy.new_id("usual_bench")
    url = servers.enter_context(temporary._on_server(name))
    server = servers.enter_context(usual.server(url, temporary.home / name, entropy, usual.WAYS[way]))
    return Side(way, server, lambda load: [seat(server, load, entropy) for _ in range(http_load.CONNECTIONS)])


def _greeted(server: Served, load: str) -> Sequence[Player]:
    """Return players who send the moves of *load* to an app that plays no game."""
    requests = tuple(
        wrk.request(move, "/v1/tables/hello/actions", server.authority, owner(move.seat))
        for move in bankrupt.cycle(load, 1)
    )
    return [Player(requests, f"{number}-") for number in range(http_load.CONNECTIONS)]


def _try(temporary: TemporaryDatabases, side: Side, load: str, seconds: int) -> Try:
    players = side.seated(load)
    before = _computed(temporary, side)
    measured = http_load.checked(wrk.run(side.server.url, players, seconds, temporary.home))
    server, database = (after - ago for after, ago in zip(_computed(temporary, side), before, strict=True))
    commands = sum(measured.made)
    if not commands:
        raise http_load.NoFigure("nothing was recorded")
    return Try(
        per_second=commands / (measured.microseconds / 1_000_000),
        p50_ms=measured.p50_us / 1000,
        p99_ms=measured.p99_us / 1000,
        server_ms=server / commands * 1000,
        database_ms=database / commands * 1000,
    )


def _computed(temporary: TemporaryDatabases, side: Side) -> tuple[float, float]:
    database = processors.seconds(temporary.process) if temporary.process else 0.0
    return processors.seconds(side.server.process), database


class _Answer(Struct, frozen=True):
    table: str
    events: tuple[dict[str, Any], ...]


def seat(server: Served, load: str, entropy: Entropy) -> Player:
    """Seat four players at a table of the usual way, and start the game; the usual way believes each caller's name."""
    client = Client(server.url, HOST, entropy)
    opened = client.post("/v1/tables", _Answer, {"seats": bankrupt.SEATS, "options": {"buy_in": bankrupt.BUY_IN}})
    path = f"/v1/tables/{opened.table}"
    for number in range(1, bankrupt.SEATS + 1):
        player = Client(server.url, owner(number), entropy)
        player.post(f"{path}/seats", _Answer, {"chips": bankrupt.BUY_IN, "seat": number})
        player.close()
    started = client.post(f"{path}/actions", _Answer, {"type": "start_game"})
    client.close()
    (dealer,) = (one["facts"]["dealer"] for one in started.events if one["type"] == "dealer_drawn")
    actions = f"{path}/actions"
    requests = (wrk.request(move, actions, server.authority, owner(move.seat)) for move in bankrupt.cycle(load, dealer))
    return Player(tuple(requests), f"{opened.table}-")
