"""The inputs that the rules need, besides a table's state, to decide a command: sealed values and fresh decks."""

# DECISIONS 4, 81 and 85

from collections.abc import Mapping
from typing import Any

from service import deck
from service.deck import Deck, Shuffle, of_hex
from service.entropy import Entropy
from service.event_store.disclosure import FieldPlace, SealedField
from service.games.common_events import DeckOpened
from service.games.decks import KnownDecks
from service.games.game import ClientSeeds, Event
from service.secrets.openings import FieldOpening
from service.tables.sealed_store import SEED, TableUnsealer


class FreshDecks:
    """Draws the seeds of the decks that one command opens. No earlier event has committed to these seeds."""

    def __init__(self, entropy: Entropy, shuffle: Shuffle) -> None:
        self._entropy = entropy
        self._shuffle = shuffle
        self._seeds: dict[str, bytes] = {}
        self._decks: dict[str, Deck] = {}

    def __contains__(self, epoch: str) -> bool:
        return epoch in self._seeds

    def server_commit(self, epoch: str) -> str:
        """Return the commitment to the seed of *epoch*; draw the seed at the first call."""
        if epoch not in self._seeds:
            self._seeds[epoch] = self._entropy.secret()
        return deck.server_commit(epoch, self._seeds[epoch])

    def seed(self, epoch: str) -> bytes:
        """Return the seed of the deck of *epoch*, which the command opens."""
        return self._seeds[epoch]

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*, which the command opens; no other command sees this deck before the commit."""
        if epoch not in self._decks:
            self._decks[epoch] = self._shuffle(epoch, self._seeds[epoch], {})
        return self._decks[epoch]

    def seed_of(self, event: Event) -> Mapping[str, bytes]:
        """Return the seed that the log must seal with *event*, by field; empty if *event* opens no deck."""
        return {SEED: self._seeds[event.epoch]} if isinstance(event, DeckOpened) else {}


class LiveKnown(KnownDecks):
    """Gives the rules the hidden faces, sealed values and seeds that they need to decide a command.

    *fresh* has the decks that the command opens. All other decks and all sealed values come from *unsealer*.
    """

    def __init__(self, unsealer: TableUnsealer, fresh: FreshDecks, shuffle: Shuffle = deck.shuffle) -> None:
        self._unsealer = unsealer
        self._fresh = fresh
        self._shuffle = shuffle
        self._decks: dict[str, Deck] = {}

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- it is JSON
        """See `Known`."""
        return self._unsealer.last_value(seat, field)

    def server_commit(self, epoch: str) -> str:
        """See `Known`."""
        return self._fresh.server_commit(epoch)

    def deck(self, epoch: str) -> Deck:
        """See `KnownDecks`."""
        if epoch not in self._decks:
            self._decks[epoch] = self._fresh.deck(epoch) if epoch in self._fresh else self._unsealer.deck(epoch)
        return self._decks[epoch]

    def fixed(self, epoch: str, seeds: ClientSeeds) -> Deck:
        """See `KnownDecks`: a deck with players' seeds has its order only from this command on."""
        if seeds:
            self._decks[epoch] = self._shuffle(epoch, self._unsealer.seed(epoch), of_hex(seeds))
        return self.deck(epoch)

    def server_seed(self, epoch: str) -> str:
        """See `Known`."""
        return (self._fresh.seed(epoch) if epoch in self._fresh else self._unsealer.seed(epoch)).hex()


class DecidedUnsealer:
    """`Unsealer` for a table right after a command, before the command's events are committed.

    *known* has all decks, also the decks that the command opens or fixes. *openings* has the openings of the fields
    that the command seals. All other fields come from *unsealer*.
    """

    def __init__(self, unsealer: TableUnsealer, known: LiveKnown, openings: Mapping[FieldPlace, FieldOpening]) -> None:
        self._unsealer = unsealer
        self._known = known
        self._openings = openings

    def deck(self, epoch: str) -> Deck:
        """See `Unsealer`."""
        return self._known.deck(epoch)

    def field(self, sealed_field: SealedField) -> FieldOpening:
        """See `Unsealer`."""
        opening = self._openings.get((sealed_field.position, sealed_field.field))
        return opening or self._unsealer.field(sealed_field)
