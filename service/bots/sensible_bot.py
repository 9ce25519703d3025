"""A bot that plays to win; it uses only what its own seat may see."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from service.bots import bankrupt_strategy, hearts_strategy, insurance_strategy
from service.bots.bot import Action, Move, Table

Strategy = Callable[[Sequence[Move], Table, Random], Action]
"""A function that chooses an action in one game."""

STRATEGIES: Final[Mapping[str, Strategy]] = {
    "bankrupt": bankrupt_strategy.choose,
    "insurance": insurance_strategy.choose,
    "insurance_hearts": hearts_strategy.choose,
}


class SensibleBot:
    """Plays each game by the game's strategy; the seed decides random choices of a strategy, such as a bluff."""

    def __init__(self, seed: str) -> None:
        self._dice = Random(seed)

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return the action that the strategy of the table's game chooses."""
        return STRATEGIES[table.game](moves, table, self._dice)
