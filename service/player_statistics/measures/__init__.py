"""What choices were worth in hindsight, and who gave chips or points to whom; each module has a game's name."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from random import Random
from typing import Any, ClassVar, Final, Protocol

from service.games.game import Event, Viewpoint
from service.player_statistics.flow import Flow
from service.player_statistics.hindsight import Choice


class Measure(Protocol):
    """Follows one table of a game from its first event on.

    The viewpoints see the faces of the deck in play and the sealed values, as far as the log has made them public.
    ALLOWANCE: the most evidence in a hand, in standard deviations, that an honest player gains by reading the others'
    choices. PAIR_ALLOWANCE: the most surplus in a hand, in standard deviations, that an honest pair gains if the two
    players' ways of play fit each other (DECISIONS 106).
    """

    ALLOWANCE: ClassVar[float]
    PAIR_ALLOWANCE: ClassVar[float]

    def follow(self, after: Any, event: Event, viewpoint: Viewpoint) -> None:  # noqa: ANN401 -- each game has its own state
        """Remember what is needed to measure later choices; *after* is the state after *event*."""
        ...

    def choices(self, before: Any, event: Event, viewpoint: Viewpoint, dice: Random) -> Iterator[Choice]:  # noqa: ANN401 -- each game has its own state
        """Yield the choice that *event* records, if a player made it; *dice* draw orders of the hidden cards."""
        ...

    def flows(self, before: Any, event: Event) -> Iterable[Flow]:  # noqa: ANN401 -- each game has its own state
        """Return what *event* moved from one player to another."""
        ...


def _found() -> Mapping[str, type[Measure]]:
    """Return the class `Measure` in each module of this package, by the name of the module.

    Raises:
        AttributeError: a module has no class `Measure`.
    """
    return {module.name: import_module(f"{__name__}.{module.name}").Measure for module in iter_modules(__path__)}


MEASURES: Final = _found()
"""The measures by the names of their games. For a game without a measure, only the results of its hands are counted."""
