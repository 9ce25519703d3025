"""A module for each game that has loads or hidden facts; the module has the game's name (DECISIONS 96)."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Final

from service.bench.headless import GAME
from service.bench.loads import Loads
from service.bench.trials import HiddenFact

_MODULES: Final[Mapping[str, ModuleType]] = {
    module.name: import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)
}


def _loads() -> Loads:
    """Return the loads of the first game.

    Raises:
        TypeError: the game has no loads.
    """
    loads: Loads | None = getattr(_MODULES.get(GAME.name), "LOADS", None)
    if loads is None:
        raise TypeError(f"{__name__}.{GAME.name} has no loads: write `LOADS = Loads(...)`.")
    return loads


LOADS: Final = _loads()
"""The loads for the figures of commands; these figures measure the first game."""
HIDDEN_FACTS: Final[Mapping[str, HiddenFact]] = {
    name: fact for module in _MODULES.values() for name, fact in getattr(module, "HIDDEN_FACTS", {}).items()
}
"""The hidden facts of all games, by the names in the figures of dry runs."""
