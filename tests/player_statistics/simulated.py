"""Simulated tables: players with strategies, honest or with sight of hidden cards, play by the rules of the game."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from service.cards import PACK
from service.deck import Deck
from service.games import CURRENT
from service.games.common_commands import DealHand, OpenTable, StartGame, TakeSeat
from service.games.decks import KnownDecks
from service.games.definition import Game
from service.games.full_viewpoint import FullViewpoint
from service.games.game import Command, Viewpoint, seat_actor
from service.player_statistics.played_hands import HandFollower, PlayedHand

HOST = "own_" + "f" * 32
SALTS = ("",) * len(PACK)

Strategy = Callable[[Any, int, Viewpoint, Random], Command]
"""Returns the command of a seat from the state, the viewpoint that sees everything, and dice.

An honest strategy asks the viewpoint only for what its seat may see.
"""


def owner(number: int) -> str:
    """Return the id of the player with this number."""
    return f"own_{number:032x}"


class RandomDecks(KnownDecks):
    """The hidden inputs of the rules, with decks in random order and without commitments."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._decks: dict[str, Deck] = {}
        self._sealed: dict[tuple[int, str], Any] = {}

    def deck(self, epoch: str) -> Deck:
        if epoch not in self._decks:
            order = list(PACK)
            self._dice.shuffle(order)
            if len(self._decks) > 8:
                del self._decks[next(iter(self._decks))]
            self._decks[epoch] = Deck(epoch, tuple(order), SALTS, "", "")
        return self._decks[epoch]

    def server_commit(self, _epoch: str) -> str:
        return ""

    def server_seed(self, _epoch: str) -> str:
        return ""

    def seal(self, seat: int, secrets: Mapping[str, Any]) -> None:
        for field, secret in secrets.items():
            self._sealed[seat, field] = msgspec.to_builtins(secret.value)

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        return self._sealed.get((seat, field))


def opening(game: Game, options: Mapping[str, Any], seats: int) -> OpenTable:
    return OpenTable(
        by="",
        host=HOST,
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options=options,
        seats=seats,
        visibility="public",
    )


class SimulatedTable:
    """A table of *game*, at which the players play by their strategies."""

    def __init__(
        self,
        game: str,
        name: str,
        players: Sequence[tuple[str, Strategy]],
        dice: Random,
        **options: Any,  # noqa: ANN401 -- options of any game
    ) -> None:
        self.game = CURRENT[game]
        self.dice = dice
        self.known = RandomDecks(dice)
        self.state: Any = self.game.new(name)
        self.follower = HandFollower(game, name)
        self.strategies = {seat: strategy for seat, (_, strategy) in enumerate(players, start=1)}
        self.ended: list[PlayedHand] = []
        self._do(opening(self.game, options, len(players)))
        for seat, (player, _) in enumerate(players, start=1):
            self._do(TakeSeat(by="", player=player, chips=options.get("buy_in", 0), seat=seat))
        self._do(StartGame(by="host"))

    def hands(self) -> Iterator[PlayedHand]:
        """Play on until the game is over or too few can play, and yield each hand."""
        while self.state.status == "playing" and (due := self.game.due(self.state)):
            seat = int(due[0].removeprefix("seat:"))
            viewpoint = FullViewpoint(self.state, self.known)
            self._do(self.strategies[seat](self.state, seat, viewpoint, self.dice))
            yield from self.ended
            self.ended.clear()

    def _do(self, command: Command) -> None:
        state = self.state
        decided = self.game.decide(state, command, self.known)
        if decided.secrets:
            self.known.seal(int(command.by.removeprefix("seat:")), decided.secrets)
        for event, (after, _) in zip(decided.events, decided.folded, strict=True):
            seen = FullViewpoint(state, self.known), FullViewpoint(after, self.known)
            if hand := self.follower.add(state, event, after, seen):
                self.ended.append(hand)
            state = after
        self.state = state


def dealing(seat: int) -> DealHand:
    """Return the command by which *seat* deals."""
    return DealHand(by=seat_actor(seat))
