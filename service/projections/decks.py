"""The decks of tables: from a sealed seed to the faces that follow from it."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Final

from sqlalchemy import Connection

from service import deck
from service.deck import Deck
from service.entropy import Entropy
from service.games.events import DeckOpened
from service.games.game import Event
from service.log.store import Log
from service.projections.situations import Situation

SEED: Final = "server_seed"
"""The field under which the seed is sealed, at the position of its `deck_opened`."""

MOST_DECKS: Final = 4_096

Shuffle = Callable[[str, bytes], Deck]


class Decks:
    """Decks by epoch, worked out from the sealed store and kept for a while."""

    def __init__(self, log: Log, shuffle: Shuffle) -> None:
        self.shuffle = shuffle
        self._log = log
        self._kept: OrderedDict[str, Deck] = OrderedDict()
        self._lock = Lock()

    def deck(self, connection: Connection, situation: Situation, epoch: str) -> Deck:
        """Return the deck of *epoch*, committed at the table in *situation*.

        Raises:
            NotSealed: its seed was erased, or is another service's.
        """
        with self._lock:
            known = self._kept.get(epoch)
        if known is not None:
            return known
        made = self.shuffle(epoch, self.seed(connection, situation, epoch))
        with self._lock:
            self._kept[epoch] = made
            if len(self._kept) > MOST_DECKS:
                self._kept.popitem(last=False)
        return made

    def seed(self, connection: Connection, situation: Situation, epoch: str) -> bytes:
        """Return the seed of the deck of *epoch*: 32 bytes.

        Raises:
            NotSealed: it was erased, or is another service's.
        """
        return self._log.hidden(connection, situation.stream_id, situation.opened[epoch], SEED)


class LiveKnown:
    """What the rules need and the log does not show: from the sealed store, and fresh seeds."""

    def __init__(self, connection: Connection, situation: Situation, decks: Decks, entropy: Entropy) -> None:
        self._connection = connection
        self._situation = situation
        self._decks = decks
        self._entropy = entropy
        self._fresh: dict[str, bytes] = {}
        self._shuffled: dict[str, Deck] = {}

    def server_commit(self, epoch: str) -> str:
        """Draw the seed of *epoch*, once, and return its commitment."""
        if epoch not in self._fresh:
            self._fresh[epoch] = self._entropy.secret()
        return deck.server_commit(epoch, self._fresh[epoch])

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*; one that is not committed yet is not kept for others."""
        if epoch not in self._fresh:
            return self._decks.deck(self._connection, self._situation, epoch)
        if epoch not in self._shuffled:
            self._shuffled[epoch] = self._decks.shuffle(epoch, self._fresh[epoch])
        return self._shuffled[epoch]

    def server_seed(self, epoch: str) -> str:
        """Return the seed of *epoch* as hex, to be revealed."""
        if epoch in self._fresh:
            return self._fresh[epoch].hex()
        return self._decks.seed(self._connection, self._situation, epoch).hex()

    def to_seal(self, event: Event) -> Mapping[str, bytes]:
        """Return what must be sealed with *event*: the seed of a deck that it opens."""
        return {SEED: self._fresh[event.epoch]} if isinstance(event, DeckOpened) else {}
