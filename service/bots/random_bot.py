"""A bot that chooses legal actions at random; its seed decides all choices."""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.client.table_answers import Action, Bound, Choice, Move, Table
from service.games import GAMES
from service.games.common_commands import ACTIONS
from service.games.game import type_name

_COMMANDS: Final = (*ACTIONS, *(command for game in GAMES.values() for command in game.commands))
_RARE: Final = frozenset(type_name(command) for command in _COMMANDS if command.IS_RARE)
_CHANCE_OF_RARE: Final = 0.01  # low enough that most games are played out, high enough that some players resign
_MOST_ABOVE: Final = 20  # a chosen number exceeds the least by at most this: some moves allow very large numbers


class RandomBot:
    """Chooses a legal action, its numbers and its cards at random; it rarely chooses a rare action."""

    def __init__(self, seed: str) -> None:
        self._dice = Random(seed)

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return the action of a move chosen at random from *moves*; *table* is not used."""
        del table
        playing = [move for move in moves if move.kind not in _RARE]
        stops = not playing or (len(playing) < len(moves) and self._dice.random() < _CHANCE_OF_RARE)
        move = self._dice.choice([each for each in moves if (each.kind in _RARE) == stops])
        numbers = {bound.member: self._within(bound) for bound in move.bounds}
        return {**move.action, **numbers, **{choice.member: self._one_of(choice) for choice in move.choices}}

    def _within(self, bound: Bound) -> int:
        return self._dice.randint(bound.least, min(bound.most, bound.least + _MOST_ABOVE))

    def _one_of(self, choice: Choice) -> str | list[str]:
        return self._dice.sample(choice.among, choice.count) if choice.count else self._dice.choice(choice.among)
