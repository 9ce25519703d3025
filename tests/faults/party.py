"""Clients that play real games during faults, repeat unanswered commands, and note every acknowledged command."""

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain, count
from threading import Event
from typing import Final

from urllib3.exceptions import HTTPError

from tests.once.actors import Actor, must_hold_what_was_acknowledged
from tests.once.clients import Answer, Crowd, Person

PLAYERS: Final = 3
CHIPS: Final = 200

_NUMBERS: Final = count(1)


class Game:
    """A table of Bankrupt with its host and players, each a separate client; the first of `actors` is the host.

    *note* is called with the response to each acknowledged command.
    """

    def __init__(self, crowd: Crowd, chance: random.Random, note: Callable[[Answer], None] = lambda _: None) -> None:
        number = next(_NUMBERS)
        rights = ["host", *["play"] * PLAYERS]
        self.actors = [
            Actor(crowd.person(right), f"{number} {seat}", chance.getrandbits(32), note)
            for seat, right in enumerate(rights)
        ]
        host, *players = self.actors
        body = {"game": "bankrupt", "seats": PLAYERS, "options": {"buy_in": CHIPS}}
        self.table = host.post("/v1/tables", body, "open").headers["Location"]
        for player in players:
            player.sit(self.table, CHIPS)
        host.post(f"{self.table}/actions", {"type": "start_game"}, "start")

    @property
    def is_over(self) -> bool:
        return bool(self.actors[0].person.get(self.table).json["status"] in {"finished", "closed"})

    @property
    def dealer(self) -> Actor:
        """The player who must deal; read this only right after the start of the game."""
        (due,) = self.actors[0].person.get(self.table).json["due"]
        return self.actors[int(due.removeprefix("seat:"))]

    def move_to(self, url: str, kind: type[Person] = Person) -> None:
        """Connect every client to the server at *url*, as a client of this *kind*."""
        for actor in self.actors:
            actor.person.close()
            actor.person = kind(url, actor.person.token, actor.person.owner)

    def must_hold(self) -> None:
        """Repeat unanswered and some acknowledged commands, then compare the stream with all acknowledgements."""
        for actor in self.actors:
            actor.repeat_unheard()
            actor.repeat_some(3)
        must_hold_what_was_acknowledged(self.table, self.actors)


class Load:
    """The progress of games that are being played."""

    def __init__(self, games: Sequence[Game], stop: Event, playing: Sequence["Future[None]"]) -> None:
        self._actors = list(chain.from_iterable(game.actors for game in games))
        self._playing = playing
        self.stop = stop

    @property
    def heard(self) -> int:
        """The number of commands that were accepted or refused."""
        return sum(len(actor.acknowledged) + actor.refused for actor in self._actors)

    @property
    def in_trouble(self) -> int:
        """The number of responses 429 or 503; after each of them a client repeated its request."""
        return sum(actor.person.put_off for actor in self._actors)

    @property
    def has_ended(self) -> bool:
        return all(one.done() for one in self._playing)


@contextmanager
def playing(games: Sequence[Game], *, through_faults: bool = False) -> Iterator[Load]:
    """Let all clients play all *games* at the same time, until the block ends.

    A client that gets no response stops earlier, unless *through_faults* is True. If a client got an impossible
    response, the client's error is raised at the end of the block.
    """
    stop = Event()
    actors = [(actor, game.table) for game in games for actor in game.actors]
    with ThreadPoolExecutor(len(actors)) as threads:
        futures = [threads.submit(_play, actor, table, stop, through_faults) for actor, table in actors]
        try:
            yield Load(games, stop, futures)
        finally:
            stop.set()
    for one in futures:
        one.result()


def _play(actor: Actor, table: str, stop: Event, through_faults: bool) -> None:  # noqa: FBT001 -- `submit` gets it by position
    while not stop.is_set():
        with suppress(HTTPError):
            actor.repeat_unheard()
            actor.act(table, 1)
            continue
        if not through_faults:
            return
