"""A host: opens tables, seats bots, starts the games, and waits for their end."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial
from threading import Event
from typing import Any, Final

from msgspec import Struct

from service.bots.late_bot import LateBot
from service.bots.random_bot import RandomBot
from service.bots.sensible_bot import SensibleBot
from service.bots.strategies import SEALS
from service.client.bot import Bot
from service.client.client import Client, Keeps
from service.client.endpoints import Api
from service.client.player import play
from service.client.signing_api import SigningApi
from service.client.table_answers import Table
from service.clock import Clock
from service.games.sample_tables import buy_in

BOTS: Final[Mapping[str, Callable[[str], Bot]]] = {"random": RandomBot, "sensible": SensibleBot}
"""The kinds of bots; each entry makes a bot from a seed."""


class Game(Struct, frozen=True, kw_only=True):
    """A game to play: *kinds* has the kind of bot for each seat, and *seed* decides all random choices of the bots.

    *worth* is the value of a chip in money, with the members `currency` and `minor`. If chips have no value, or the
    game has no chips, *worth* is empty. If players may leave during the game, each player leaves after *most_hands*
    hands, or as soon as nobody is due. *seeds* is "operator", or "players" if the players add seeds to the decks. If
    *signed* is true, each player registers a signing key before the start, and signs its actions. The connection of the
    player in *late_seat* (0: nobody) fails for some hands, and the host calls time for the player (`LateBot`).
    """

    game: str
    kinds: tuple[str, ...]
    seed: str
    options: Mapping[str, Any] = {}
    worth: Mapping[str, Any] = {}
    most_hands: int = 20
    seeds: str = "operator"
    signed: bool = False
    late_seat: int = 0


def _without_keys() -> bytes:
    raise ValueError("The players of this host can't sign: the host has no source of keys.")


class Host:
    """Hosts games on the server at *url*, with a *key* that has the scope `host`.

    The players are independent clients: each has its own owner, key and connection, and sees what its seat may see.
    The same players sit at all tables of this host.
    """

    def __init__(  # noqa: PLR0913 -- the server, the host's key, and how to play
        self,
        url: str,
        key: str,
        clock: Clock,
        *,
        patience_seconds: float = 10.0,
        draw: Callable[[], bytes] = _without_keys,
        kept: Keeps | None = None,
    ) -> None:
        """Make the host's client. *draw* returns a private key (32 random bytes) for each player that signs.

        *kept* keeps the receipts of the host and of all players.
        """
        self._clock = clock
        self._url = url
        self._patience_seconds = patience_seconds
        self._draw = draw
        self._kept = kept
        self._players: list[SigningApi] = []
        self._stop = Event()
        self.api: Final = Api(self._client(key))

    def play(self, game: Game) -> Table:
        """Play *game* until it ends or `stop` is called, and return its table.

        The host closes a table that all players have left.

        Raises:
            ServerGone: the server does not respond, or is busy.
            Problem: the server refuses a request, such as a request for a table or a seat.
            RepeatedlyRefused: the server refused many actions in a row that it had listed as legal.
            LogContradiction, KeptFileError: see `Client.post`.
            SealsOther: see `SigningApi.act`.
            ValueError: the game is signed, and the host has no *draw*.
        """
        players = self._seated(len(game.kinds))
        table = self.api.open_table(game.game, len(players), game.options, game.worth, game.seeds)
        chips = buy_in(self.api.table(table).options)
        for player in players:
            player.take_seat(table, chips)
            if game.signed:
                player.register(table)
        self.api.act(table, {"type": "start_game"}, idempotency_key="start")
        bots = [BOTS[kind](f"{game.seed}/{seat}") for seat, kind in enumerate(game.kinds, start=1)]
        if game.late_seat:
            call_time = partial(self.api.act, table, {"type": "call_time"})
            bots[game.late_seat - 1] = LateBot(bots[game.late_seat - 1], call_time)
        self._play_all(table, players, bots, game.most_hands)
        if not self._stop.is_set() and self.api.table(table).status == "playing":
            self.api.act(table, {"type": "close_table"}, idempotency_key="close")
        return self.api.table(table)

    @property
    def players(self) -> Sequence[Client]:
        """The clients of the players, in the order of their seats."""
        return [api.client for api in self._players]

    def client_of(self, *scopes: str, label: str) -> Client:
        """Return a client of a new owner, with a key that has *scopes*; the caller closes the client."""
        return self._client(self.api.make_key(*scopes, label=label).token)

    def stop(self) -> None:
        """Stop all players, each after its pending request, or after sending the action that its bot is choosing."""
        self._stop.set()

    def close(self) -> None:
        """Close all connections."""
        for api in (self.api, *self._players):
            api.client.close()

    def _seated(self, count: int) -> Sequence[SigningApi]:
        while len(self._players) < count:
            made = self.api.make_key("play", label=f"bot {len(self._players) + 1}")
            self._players.append(SigningApi(self._client(made.token), self._draw, SEALS))
        return self._players[:count]

    def _client(self, key: str) -> Client:
        return Client(self._url, key, self._clock, patience_seconds=self._patience_seconds, kept=self._kept)

    def _play_all(self, table: str, players: Sequence[Api], bots: Sequence[Bot], most_hands: int) -> None:
        with ThreadPoolExecutor(len(players), thread_name_prefix="bot") as threads:
            pairs = zip(players, bots, strict=True)
            playing = [threads.submit(play, api, table, bot, self._stop, most_hands) for api, bot in pairs]
            try:
                wait(playing, return_when=FIRST_EXCEPTION)
                for player in playing:
                    if player.done():
                        player.result()
            except BaseException:
                self.stop()  # else the other players would wait for the player that failed
                raise
