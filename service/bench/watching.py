"""Measures the cost of people who watch a table: one table is played as fast as possible, with and without watchers."""

import http.client
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from http import HTTPStatus
from itertools import cycle
from socket import SHUT_RDWR
from threading import Event, Thread
from typing import Final

from msgspec import Struct

from service.bench import processors, serving
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.bench.games import LOADS
from service.bench.headless import GAME
from service.bench.http_load import NoFigure
from service.bench.loads import Move
from service.bench.serving import Served
from service.client.client import Client
from service.client.endpoints import Api
from service.clock import Clock

WATCHERS: Final = 50
ROUNDS: Final = 3
_PAUSE_SECONDS: Final = 0.06  # the pause of the page's script before it asks for a drawing (static/table.js)
_PATIENCE_SECONDS: Final = 30.0
_STEADY: Final = "steady"
_ID: Final = b"id: "
_POSITION: Final = re.compile(rb'data-position="(\d+)"')


class _Spent(Struct, frozen=True):
    """The sums over some tries: *commands*, *events*, *seconds*, and processor seconds of the server."""

    commands: int = 0
    events: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0

    def __add__(self, other: "_Spent") -> "_Spent":
        return _Spent(
            self.commands + other.commands,
            self.events + other.events,
            self.seconds + other.seconds,
            self.processor_seconds + other.processor_seconds,
        )


class _Played:
    """A table on *server* whose players make the moves of the steady load, one after the other."""

    def __init__(self, server: Served, clock: Clock) -> None:
        self._server, self._clock = server, clock
        host = Api(Client(server.url, server.first_key, clock))
        with closing(host.client):
            self.table: Final = host.open_table(GAME.name, LOADS.seats, LOADS.options)
            self._players: dict[int, Api] = {}
            for seat in range(1, LOADS.seats + 1):
                key = host.make_key("play", label=f"seat {seat}").token
                self._players[seat] = Api(Client(server.url, key, clock))
                self._players[seat].take_seat(self.table, LOADS.chips)
            self.position = host.act(self.table, {"type": "start_game"}).position
            self._moves: Iterator[Move] = cycle(LOADS.cycle(_STEADY, host.table(self.table).view["dealer"]))

    def play(self, seconds: float) -> _Spent:
        """Make moves for *seconds*."""
        before, began, used = self.position, self._clock.monotonic(), processors.seconds(self._server.process)
        commands = 0
        while not commands or self._clock.monotonic() - began < seconds:
            move = next(self._moves)
            self.position = self._players[move.seat].act(self.table, move.body).position
            commands += 1
        elapsed = self._clock.monotonic() - began
        return _Spent(commands, self.position - before, elapsed, processors.seconds(self._server.process) - used)

    def close(self) -> None:
        """Close the players' connections."""
        for player in self._players.values():
            player.client.close()


class Watcher:
    """A browser without a sign-in that follows *table* as the page's script does, from *position* on."""

    def __init__(self, authority: str, table: str, position: int) -> None:
        self.drawings = 0
        self.shown = position
        self._path = f"/tables/{table}"
        self._newest = position
        self._has_news, self._has_ended = Event(), Event()
        self._streaming, self._asking = (http.client.HTTPConnection(authority, timeout=30) for _ in range(2))
        self._streaming.request("GET", f"{self._path}/live?after={position}", headers={"Accept": "text/event-stream"})
        self._socket = self._streaming.sock  # once the response has begun, the connection may have dropped its socket
        self._stream = self._streaming.getresponse()
        if self._stream.status != HTTPStatus.OK:
            raise NoFigure(f"a watcher was refused with the status {self._stream.status}")
        self._threads = [Thread(target=self._read, daemon=True), Thread(target=self._draw, daemon=True)]
        for thread in self._threads:
            thread.start()

    def wait_for(self, position: int, seconds: float) -> bool:
        """Wait until the watcher has a drawing of *position* or later; return whether it came within *seconds*."""
        for _ in range(int(seconds / _PAUSE_SECONDS)):
            if self.shown >= position:
                return True
            self._has_ended.wait(_PAUSE_SECONDS)
        return False

    def close(self) -> None:
        """Stop watching."""
        self._has_ended.set()
        self._has_news.set()
        self._threads[1].join()
        self._asking.close()
        with suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)  # a closed connection would not wake the thread that reads from it
        self._threads[0].join()
        self._streaming.close()

    def _read(self) -> None:
        with suppress(OSError, http.client.HTTPException):  # `close` ends the connection
            while line := self._stream.readline():
                if line.startswith(_ID):
                    self._newest = int(line[len(_ID) :])
                    self._has_news.set()

    def _draw(self) -> None:
        while not self._has_ended.is_set():
            self._has_news.wait()
            self._has_ended.wait(_PAUSE_SECONDS)
            self._has_news.clear()
            while self.shown < self._newest and not self._has_ended.is_set():
                self._asking.request("GET", f"{self._path}/drawing?least={self._newest}")
                answer = self._asking.getresponse()
                found = _POSITION.search(answer.read())
                if answer.status != HTTPStatus.OK or not found:
                    return  # `wait_for` reports that no drawing came
                self.shown = int(found[1])
                self.drawings += 1


def measure(temporary: TemporaryDatabases, kind: str, seconds: float, clock: Clock) -> Iterator[Figure]:
    """Measure the commands a second at a table with and without watchers, in turn; each try takes *seconds*.

    Raises:
        DidNotStart: the server did not start.
        NoFigure: a watcher was refused, or got no drawing of the last position.
    """
    alone, watched, drawings = _Spent(), _Spent(), 0
    with (
        temporary.create(kind) as url,
        serving.server(url, temporary.home / f"watching-{kind}", clock) as server,
        closing(_Played(server, clock)) as played,
    ):
        played.play(seconds)  # the first moves fill the caches
        for _ in range(ROUNDS):
            alone += played.play(seconds)
            with _watching(server, played) as watchers:
                watched += played.play(seconds)
                if not all(watcher.wait_for(played.position, _PATIENCE_SECONDS) for watcher in watchers):
                    raise NoFigure("a watcher got no drawing of the last position")
                drawings += sum(watcher.drawings for watcher in watchers)
    rates = watched.commands / watched.seconds, alone.commands / alone.seconds
    yield Figure(
        f"watching.{kind}.commands_ratio",
        rates[0] / rates[1],
        f"{rates[0]:,.0f} commands/s with {WATCHERS} watchers, {rates[1]:,.0f} without; {ROUNDS} tries of each",
    )
    share = alone.processor_seconds / alone.commands * watched.commands
    yield Figure(
        f"watching.{kind}.ms_per_event",
        1000 * max(0.0, watched.processor_seconds - share) / (WATCHERS * watched.events),
        f"{watched.events:,} events and {drawings:,} drawings; processor time of the server, for one watcher",
    )


@contextmanager
def _watching(server: Served, played: _Played) -> Iterator[Sequence[Watcher]]:
    """Open `WATCHERS` watchers of the table that *played* plays, and close them at the end of the `with` block."""
    with ExitStack() as opened:
        yield [
            opened.enter_context(closing(Watcher(server.authority, played.table, played.position)))
            for _ in range(WATCHERS)
        ]
