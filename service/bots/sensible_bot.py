"""A bot that plays to win, in each game that has a strategy; it uses only what its own seat may see."""

from collections.abc import Sequence
from random import Random

from service.bots.random_bot import RandomBot
from service.bots.strategies import STRATEGIES
from service.client.table_answers import Action, Move, Table


class SensibleBot:
    """Plays each game by the game's strategy, or at random if there is none; *seed* decides all random choices."""

    def __init__(self, seed: str) -> None:
        self._dice = Random(seed)
        self._without_strategy = RandomBot(seed)

    def choose(self, moves: Sequence[Move], table: Table) -> Action:
        """Return the action that the strategy of the table's game chooses; without a strategy, a random action."""
        strategy = STRATEGIES.get(table.game)
        return strategy(moves, table, self._dice) if strategy else self._without_strategy.choose(moves, table)
