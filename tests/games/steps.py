"""A random game's opening terms, its decks, and its steps: one for each command."""

from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from service.cards import PACK, RANKS, Face
from service.deck import Deck
from service.games.common_commands import OptionValue
from service.games.decks import KnownDecks
from service.games.game import Command, Event, Secret
from service.games.seating import author
from service.games.table_state import TableState
from tests.games.envelopes import Envelopes


class Opening(Struct, frozen=True):
    """The terms of a random table: the number of players, the chips that each player buys, and the options."""

    players: int
    chips: int
    options: Mapping[str, OptionValue]


class Step(Struct, frozen=True):
    """One command: the state *before*, its *events*, and the states *after* each event.

    *secrets*: the values that the command sealed; *had* and *has*: the envelopes before and after the command.
    """

    before: TableState
    command: Command
    events: tuple[Event, ...]
    after: tuple[TableState, ...]
    secrets: Mapping[str, Secret]
    had: Envelopes
    has: Envelopes

    @property
    def by(self) -> str:
        """The author of the decision, as the log names the author."""
        return author(self.command, self.events[0])

    def sealed(self, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        """Return the value that the decision sealed under *field*; None: the decision sealed no value."""
        return msgspec.to_builtins(self.secrets[field].value) if field in self.secrets else None


class ShuffledDecks(KnownDecks):
    """The hidden inputs of the rules (`Known`), with decks that a seed shuffles; salts and roots are fake.

    *twins*: in all decks but the first, cards of the same rank are neighbours, so that ties and dead rounds are
    frequent. The first deck has no twins: with twins, two players who draw for the dealer could tie until the deck is
    used up.
    """

    def __init__(self, seed: int, *, twins: bool = False) -> None:
        self._seed, self._twins = seed, twins
        self._decks: dict[str, Deck] = {}
        self.envelopes: Envelopes = {}

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        return self.envelopes[seat, field].secret.value

    def server_commit(self, epoch: str) -> str:
        return _digest("c", epoch)

    def server_seed(self, epoch: str) -> str:
        return _digest("5", epoch)

    def deck(self, epoch: str) -> Deck:
        if epoch not in self._decks:
            self._decks[epoch] = Deck(epoch, self._order(epoch), SALTS, _digest("a", epoch), _digest("b", epoch))
        return self._decks[epoch]

    def _order(self, epoch: str) -> tuple[Face, ...]:
        chance = Random(f"{self._seed} {epoch}")
        if not self._twins or epoch.endswith("/1"):
            return tuple(chance.sample(PACK, len(PACK)))
        pairs = [(rank + one, rank + other) for rank in RANKS for one, other in (("c", "d"), ("h", "s"))]
        order = [face for pair in chance.sample(pairs, len(pairs)) for face in pair]
        cut = chance.choice((0, 0, 1))  # If no deck were cut, two players with a card each would always tie.
        return (*order[cut:], *order[:cut])


SALTS = tuple(f"{position:064x}" for position in range(len(PACK)))


def _digest(letter: str, epoch: str) -> str:
    return letter + f"{int(epoch.rpartition('/')[2]):063x}"
