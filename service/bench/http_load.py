"""Figures of commands over HTTP: several tables at the same time, each on its own connection."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from service.bench import databases, processors, serving, wrk
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.games import LOADS
from service.bench.headless import GAME
from service.bench.serving import Served
from service.bench.wrk import Load, Player
from service.client.client import Client
from service.client.endpoints import Api
from service.clock import Clock

CONNECTIONS: Final = 16
WARM_UP_SECONDS: Final = 2


class NoFigure(Exception):
    """A measurement gives no figure, for example because requests were refused or lost; the message has the reason."""


class Run(Struct, frozen=True, kw_only=True):
    """A *server* to measure, the main process of its *database* (0: unknown), and the *seconds* of a measured run."""

    server: Served
    database: int
    seconds: int
    folder: Path
    clock: Clock


def measure(temporary: TemporaryDatabases, kind: str, seconds: int, clock: Clock) -> Iterator[Figure]:
    """Measure each load on a server with a new database of *kind*.

    Raises:
        NoWrk: the load generator wrk is not installed.
        DidNotStart: the server did not start.
        WrkFailed: wrk ended without figures.
        NoFigure: requests were refused or lost, or no command was recorded.
    """
    wrk.program()
    folder = temporary.home / f"server-{kind}"
    with temporary.create(kind) as url, serving.server(url, folder, clock) as server:
        database = temporary.process if kind == databases.POSTGRESQL else 0
        run = Run(server=server, database=database, seconds=seconds, folder=folder, clock=clock)
        for load in LOADS.names:
            yield from _measure(run, kind, load)


def _measure(run: Run, kind: str, load: str) -> Iterator[Figure]:
    players = seated(run, load)
    warmed = checked(wrk.run(run.server.url, players, WARM_UP_SECONDS, run.folder))
    players = [replace(player, made=made) for player, made in zip(players, warmed.made, strict=True)]
    before = _computed(run)
    measured = checked(wrk.run(run.server.url, players, run.seconds, run.folder))
    server, database = (after - ago for after, ago in zip(_computed(run), before, strict=True))
    elapsed = measured.microseconds / 1_000_000
    commands = sum(measured.made) - sum(warmed.made)
    if not commands:
        raise NoFigure("nothing was recorded")
    name = f"http.{kind}." if load == "steady" else f"http.{kind}.{load}."
    shares = (("server", server), ("database", database), ("wrk", measured.cpu_seconds))
    took = ", ".join(f"{who} {used / commands * 1000:.2f}" for who, used in shares if used)
    remark = f"{commands:,} commands; ms of processor time for each: {took}"
    yield Figure(f"{name}commands_per_second", commands / elapsed, remark)
    yield Figure(f"{name}p50_ms", measured.p50_us / 1000)
    yield Figure(f"{name}p99_ms", measured.p99_us / 1000)


def seated(run: Run, load: str) -> Sequence[Player]:
    """Open a table for each connection, seat the players, and start the games."""
    with closing(Client(run.server.url, run.server.first_key, run.clock)) as client:
        return [_table(run, Api(client), load) for _ in range(CONNECTIONS)]


def _table(run: Run, host: Api, load: str) -> Player:
    table = host.open_table(GAME.name, LOADS.seats, LOADS.options)
    keys = {}
    for seat in range(1, LOADS.seats + 1):
        keys[seat] = host.make_key("play", label=f"seat {seat}").token
        client = Client(run.server.url, keys[seat], run.clock)
        Api(client).take_seat(table, LOADS.chips)
        client.close()
    host.act(table, {"type": "start_game"})
    path = f"/v1/tables/{table}/actions"
    return Player(
        tuple(
            wrk.request(move, path, run.server.authority, keys[move.seat])
            for move in LOADS.cycle(load, host.table(table).view["dealer"])
        ),
        f"{table}-",
    )


def checked(load: Load) -> Load:
    """Return *load*.

    Raises:
        NoFigure: requests were refused or lost.
    """
    if load.broken or load.refusals:
        refusals = ", ".join(load.refusals) or "none"
        raise NoFigure(f"{load.broken} connections or requests got no answer; first refusals: {refusals}")
    return load


def _computed(run: Run) -> tuple[float, float]:
    """Return the processor seconds of the server and of its database so far (0.0: unknown)."""
    return processors.seconds(run.server.process), processors.seconds(run.database) if run.database else 0.0
