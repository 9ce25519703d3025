"""Options with which a game of bots is soon over."""

from collections.abc import Mapping
from typing import Any, Final

from service.games import CURRENT

_LESS: Final[Mapping[str, Mapping[str, Any]]] = {
    "bankrupt": {"buy_in": 3},
    "insurance": {"buy_in": 20},
    "insurance_hearts": {"target": 1},
}
SHORT: Final[Mapping[str, Mapping[str, Any]]] = {
    name: {**game.sample_tables.demo[0], **_LESS.get(name, {})} for name, game in CURRENT.items()
}
"""The options by the name of the game."""
