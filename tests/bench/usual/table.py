"""A table of Bankrupt as an aggregate of the library `eventsourcing`, with our rules."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Self
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from service import deck
from service.deck import Deck
from service.games import CURRENT, EVENTS
from service.games.common_events import DeckOpened
from service.games.decks import KnownDecks
from service.games.game import SERVICE, Command, Event, type_name
from service.games.seating import author
from service.tables.fold import table_id

GAME: Final = CURRENT["bankrupt"]

Seed = Callable[[], bytes]
"""Returns a new seed for a deck: 32 bytes that nobody can guess."""


class Table(Aggregate):
    """One table; the library's events contain our events as data."""

    class Happened(Aggregate.Event):
        """One of our events: type *what*, author *by*, *facts* as JSON; *hidden* is an opened deck's seed, or empty."""

        what: str
        by: str
        facts: dict[str, Any]
        hidden: str

    @event("Created")
    def __init__(self) -> None:
        self.state = GAME.new(table_id(self.id.bytes))
        self.seeds: dict[str, str] = {}

    def do(self, command: Command, seed: Seed) -> None:
        """Decide *command* by the rules, and add the events; opened decks get their seeds from *seed*.

        Raises:
            Refusal: the rules do not allow *command*.
        """
        known = _Known(self.seeds, seed)
        for place, made in enumerate(GAME.decide(self.state, command, known).events):
            by = SERVICE if place else author(command, made)
            hidden = known.fresh[made.epoch] if isinstance(made, DeckOpened) else ""
            self.happened(what=type_name(type(made)), by=by, facts=msgspec.to_builtins(made), hidden=hidden)

    @event(Happened)
    def happened(self, what: str, by: str, facts: dict[str, Any], hidden: str) -> None:  # noqa: ARG002 -- the library records `by`
        """Apply one of our events to the state."""
        made: Event = msgspec.convert(facts, EVENTS[what])
        self.state = GAME.evolve(self.state, made)
        if hidden:
            self.seeds[facts["epoch"]] = hidden
        elif what in {"deck_revealed", "deck_unused"}:
            del self.seeds[facts["epoch"]]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy the table, as the library does for each command; copies share the immutable state."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, seeds=dict(self.seeds), _pending_events=[])
        return copy


class Tables(Application[UUID]):
    """The application with the tables; the environment configures its recorder (`PERSISTENCE_MODULE` and others)."""


class _Known(KnownDecks):
    """The `Known` of the rules: decks from the table's seeds (*kept*) and from new seeds (`fresh`)."""

    def __init__(self, kept: dict[str, str], seed: Seed) -> None:
        self._kept = kept
        self._seed = seed
        self.fresh: dict[str, str] = {}

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        raise LookupError(f"seat {seat} has sealed no {field}: nothing is sealed in this game")

    def server_commit(self, epoch: str) -> str:
        if epoch not in self.fresh:
            self.fresh[epoch] = self._seed().hex()
        return deck.server_commit(epoch, bytes.fromhex(self.fresh[epoch]))

    def deck(self, epoch: str) -> Deck:
        return _shuffled(epoch, self.server_seed(epoch))

    def server_seed(self, epoch: str) -> str:
        return self.fresh.get(epoch) or self._kept[epoch]


@lru_cache(maxsize=4096)  # as many decks as our service caches, since the comparison is not about shuffling
def _shuffled(epoch: str, seed: str) -> Deck:
    return deck.shuffle(epoch, bytes.fromhex(seed))
