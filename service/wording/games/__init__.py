"""The sentences of games: one module, with the game's name, for each game with sentences of its own (DECISIONS 112)."""

import sys
from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from service.wording.hand_events import Rows, Sentences
from service.wording.hand_notes import Notes


def found() -> Mapping[str, Sentences]:
    """Return the sentences in each module of this package, by the name of the module.

    Raises:
        TypeError: a module has no `SENTENCES`.
    """
    return {module.name: _sentences_in(f"{__name__}.{module.name}") for module in iter_modules(__path__)}


def _sentences_in(module: str) -> Sentences:
    sentences: Sentences | None = getattr(import_module(module), "SENTENCES", None)
    if sentences is None:
        raise TypeError(f"{module} has no sentences: write `SENTENCES`, which has a sentence for each type of event.")
    return sentences


SENTENCES: Final = found()
"""The sentences of each game, by the game's name; a game that is absent has only the sentences that all games share."""

ROWS: Final[Mapping[str, Rows]] = {
    name: rows for name in SENTENCES if (rows := getattr(sys.modules[f"{__name__}.{name}"], "ROWS", None))
}
"""The rows in which plays are shown, by the names of the games that have rows."""

NOTES: Final[Mapping[str, Notes]] = {
    name: notes for name in SENTENCES if (notes := getattr(sys.modules[f"{__name__}.{name}"], "NOTES", None))
}
"""The notes for the page of a hand, by the names of the games that have notes."""
