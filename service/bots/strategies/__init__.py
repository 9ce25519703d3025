"""The strategies of the sensible bot: a module for each game that has a strategy, and their list `STRATEGIES`."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from service.bots.bot import Action, Move, Table
from service.bots.strategies import bankrupt, insurance, insurance_hearts

Strategy = Callable[[Sequence[Move], Table, Random], Action]
"""A function that chooses an action in one game."""

STRATEGIES: Final[Mapping[str, Strategy]] = {
    "bankrupt": bankrupt.choose,
    "insurance": insurance.choose,
    "insurance_hearts": insurance_hearts.choose,
}
"""The strategies by the names of their games. Only a game with a strategy is listed; the bot plays others at random."""
