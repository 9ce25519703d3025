"""Other worlds for a viewer: all facts that the viewer may know are the same; other cards and choices may differ."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from service.cards import PACK, Face
from service.deck import Deck
from service.games.common_commands import CallTime
from service.games.definition import Game
from service.games.game import Command, seat_actor
from tests.games.steps import ShuffledDecks, Step


class World(NamedTuple):
    """Another world: its *decks*, and its *commands*, one for each command of our world."""

    decks: ShuffledDecks
    commands: Sequence[Command]


class OtherDecks(ShuffledDecks):
    """The decks of another world: all cards that are not at a *known* position change places."""

    def __init__(self, seed: int, known: Mapping[str, set[int]]) -> None:
        super().__init__(seed, twins=seed % 3 == 0)
        self._known = known
        self._others: dict[str, Deck] = {}

    def deck(self, epoch: str) -> Deck:
        if epoch not in self._others:
            self._others[epoch] = self._other(super().deck(epoch))
        return self._others[epoch]

    def _other(self, deck: Deck) -> Deck:
        epoch = deck.epoch
        unknown = [position for position in range(len(PACK)) if position not in self._known.get(epoch, set())]
        order = list(deck.order)
        for position, other in zip(unknown, [*unknown[1:], *unknown[:1]], strict=True):
            order[position] = deck.order[other]
        return replace(deck, order=tuple(order), root="f" + deck.root[1:], transcript="f" + deck.transcript[1:])


class SwappedDecks(OtherDecks):
    """Decks of another world; in the deck of *epoch* the *swapped* cards change places."""

    def __init__(self, seed: int, known: Mapping[str, set[int]], epoch: str, swapped: Mapping[Face, Face]) -> None:
        super().__init__(seed, {**known, epoch: set(range(len(PACK)))})
        self._epoch, self._swapped = epoch, swapped

    def _other(self, deck: Deck) -> Deck:
        if deck.epoch != self._epoch:
            return super()._other(deck)
        return replace(deck, order=tuple(self._swapped.get(face, face) for face in deck.order))


def world_of_other_cards(
    _game: Game, seed: int, steps: Sequence[Step], _viewer: int, known: Mapping[str, set[int]]
) -> World | None:
    """Return the world in which the cards at unknown positions change places, for a game that seals no choice."""
    return World(OtherDecks(seed, known), [step.command for step in steps])


def explicit(game: Game, step: Step) -> Command:
    """Return the command of *step*, or the player's command for the decision if the service decided for a player."""
    decision = step.events[0]
    seat = getattr(decision, "seat", 0)
    if not isinstance(step.command, CallTime) or not seat:
        return step.command
    return game.command_of(decision, seat_actor(seat), step.sealed)
