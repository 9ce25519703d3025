"""Company for a person: tables where bots play with the person, and tables where bots play to be watched."""

# DECISIONS 114

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from queue import SimpleQueue
from threading import Event, Thread
from typing import Final

from msgspec import Struct

from service.bots.paced_bot import PacedBot
from service.bots.sensible_bot import SensibleBot
from service.client.client import Client
from service.client.client_errors import Problem, ServerGone
from service.client.endpoints import Api
from service.client.player import RepeatedlyRefused, play
from service.clock import Clock
from service.games.sample_tables import buy_in

_WAIT_SECONDS: Final = 30
"""How long a bot's request for its actions may wait. A person may think for longer: then the bot asks again."""


class Company(Struct, frozen=True):
    """A game that is played again and again, each time at a new table.

    *person* is the API key of the person in seat 1; "": only bots play. Each bot waits for *pause_seconds* before it
    decides. `opened` is called with the id of each new table.
    """

    game: str
    seats: int
    pause_seconds: float
    opened: Callable[[str], None]
    person: str = ""


class CompanyHost:
    """Hosts the tables of each `Company` on the server at *url*, with the *key* of a host, until `end` is called."""

    def __init__(self, url: str, key: str, clock: Clock) -> None:
        self._url = url
        self._key = key
        self._clock = clock
        self._stop = Event()
        self._failures: SimpleQueue[Exception] = SimpleQueue()

    def person(self) -> str:
        """Make an API key for a new person, and return the key."""
        api = self._client(self._key)
        with closing(api.client):
            return api.make_key("play", label="a person").token

    def begin(self, company: Company) -> None:
        """Open a table for *company*. Each time the game at the newest table is over, another table is opened."""
        with ExitStack() as connections:
            api = self._client(self._key)  # a client belongs to one thread
            connections.enter_context(closing(api.client))
            bots = self._opened(api, company)
            connections.pop_all()
        self._start("tables", api, lambda: self._go_on(api, company, bots))

    def wait(self) -> None:
        """Wait until a bot fails or another table can't be opened, and raise the error; this may never happen.

        Raises:
            ServerGone, Problem, RepeatedlyRefused: why a bot can't go on, or why no other table could be opened.
        """
        raise self._failures.get()

    def end(self) -> None:
        """Stop all bots. Each bot ends after its pending request, or after sending the action that it is choosing."""
        self._stop.set()

    def _go_on(self, api: Api, company: Company, bots: Sequence[Thread]) -> None:
        while True:
            for bot in bots:
                bot.join()
            if self._stop.is_set():
                return
            bots = self._opened(api, company)

    def _opened(self, api: Api, company: Company) -> Sequence[Thread]:
        """Open a table of *company*, seat everybody and start the game; return the bots' threads.

        If this fails, the connections of the bots are closed.
        """
        table = api.open_table(company.game, company.seats, {})
        chips = buy_in(api.table(table).options)
        if company.person:
            person = self._client(company.person)
            with closing(person.client):
                person.take_seat(table, chips)
        count = company.seats - bool(company.person)
        bots = [self._client(api.make_key("play", label=f"bot {number}").token) for number in range(1, count + 1)]
        with ExitStack() as connections:
            for bot in bots:
                connections.enter_context(closing(bot.client))
                bot.take_seat(table, chips)
            api.act(table, {"type": "start_game"}, idempotency_key="start")
            company.opened(table)
            connections.pop_all()  # each bot's thread closes the bot's connection
        return [self._playing(bot, table, company.pause_seconds) for bot in bots]

    def _playing(self, api: Api, table: str, pause_seconds: float) -> Thread:
        bot = PacedBot(SensibleBot(api.client.new_key()), pause_seconds, self._stop)
        return self._start("bot", api, lambda: play(api, table, bot, self._stop, wait_seconds=_WAIT_SECONDS))

    def _start(self, name: str, api: Api, work: Callable[[], None]) -> Thread:
        """Start a thread that does *work* and then closes the connection of *api*.

        An open connection would delay a server that is being stopped.
        """

        def run() -> None:
            with closing(api.client):
                try:
                    work()
                except (ServerGone, Problem, RepeatedlyRefused) as error:
                    self._failures.put(error)

        thread = Thread(target=run, name=name, daemon=True)
        thread.start()
        return thread

    def _client(self, key: str) -> Api:
        return Api(Client(self._url, key, self._clock))
