"""A bot that plays to win, by what its own seat may see."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from service.bots import bankrupt_strategy, hearts_strategy, insurance_strategy
from service.bots.bot import Action, Move, Table

Strategy = Callable[[Sequence[Move], Table, Random], Action]
"""How one game is played sensibly."""

STRATEGIES: Final[Mapping[str, Strategy]] = {
    "bankrupt": bankrupt_strategy.choose,
    "insurance": insurance_strategy.choose,
    "insurance_hearts": hearts_strategy.choose,
}


class SensibleBot:
    """Plays each game by its own sense; where that leaves a choice open (a bluff), its seed decides."""

    def __init__(self, seed: str) -> None:
        self._dice = Random(seed)

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return what makes sense at *table*."""
        return STRATEGIES[table.game](moves, table, self._dice)
