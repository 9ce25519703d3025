"""The strategies of the sensible bot: for each game that has one, a module with the game's name (DECISIONS 96)."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from random import Random
from typing import Any, Final

from service.client.signing_api import Seals
from service.client.table_answers import Action, Move, Table

Strategy = Callable[[Sequence[Move], Table, Random], Action]
"""A function that chooses an action in one game; its name is `choose`."""


def found() -> Mapping[str, Strategy]:
    """Return a mapping from the name of each module of this package to the strategy in the module.

    Raises:
        TypeError: a module has no function `choose`.
    """
    return {module.name: _strategy_in(f"{__name__}.{module.name}") for module in iter_modules(__path__)}


def _strategy_in(module: str) -> Strategy:
    choose: Strategy | None = getattr(import_module(module), "choose", None)
    if choose is None:
        raise TypeError(f"{module} has no strategy: write `choose(moves, table, dice)`, which returns an action.")
    return choose


STRATEGIES: Final = found()
"""The strategies by the names of their games. The sensible bot plays all other games at random."""


def _seals_nothing(_: Action, __: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    return "", {}


SEALS: Final[Mapping[str, Seals]] = {
    name: getattr(sys.modules[f"{__name__}.{name}"], "seals", _seals_nothing) for name in STRATEGIES
}
"""The functions `seals` by the names of their games; a game whose actions seal nothing needs no such function."""
