"""Decks whose order follows from seeds, as at a real table, with seeds that a test chooses."""

from collections.abc import Mapping
from hashlib import sha256

from service import deck
from service.deck import Deck, of_hex
from service.games.game import NO_SEEDS, ClientSeeds
from tests.games.steps import ShuffledDecks


class RealDecks(ShuffledDecks):
    """The hidden inputs of the rules (`Known`).

    *seeds* has the service's seeds of some decks, by epoch; *number* determines the service's other seeds.
    """

    def __init__(self, number: int, seeds: Mapping[str, bytes] | None = None) -> None:
        super().__init__(number)
        self._number = number
        self._seeds = seeds or {}
        self._made: dict[str, Deck] = {}

    def server_commit(self, epoch: str) -> str:
        return deck.server_commit(epoch, self.seed(epoch))

    def server_seed(self, epoch: str) -> str:
        return self.seed(epoch).hex()

    def seed(self, epoch: str) -> bytes:
        """Return the service's seed of the deck of *epoch*."""
        return self._seeds.get(epoch) or sha256(f"{self._number} {epoch}".encode()).digest()

    def fixed(self, epoch: str, seeds: ClientSeeds = NO_SEEDS) -> Deck:
        self._made[epoch] = deck.shuffle(epoch, self.seed(epoch), of_hex(seeds))
        return self._made[epoch]

    def deck(self, epoch: str) -> Deck:
        return self._made[epoch]
