"""The games of the service: `GAMES` has every edition of every game."""

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from msgspec import Struct

from service.games.bankrupt import BANKRUPT
from service.games.definition import Game
from service.games.game import Event, type_name
from service.games.insurance import INSURANCE
from service.games.insurance_hearts import INSURANCE_HEARTS

T = TypeVar("T", bound=Struct)


def by_name(kinds: Iterable[type[T]]) -> dict[str, type[T]]:
    """Return *kinds* by the name that each type has in the log and in the API.

    Raises:
        TypeError: two of *kinds* have the same name, so that one would be read as the other.
    """
    named: dict[str, type[T]] = {}
    for kind in kinds:
        other = named.setdefault(type_name(kind), kind)
        if other is not kind:
            raise TypeError(f"{type_name(kind)} names both {_place(other)} and {_place(kind)}: rename one of them.")
    return named


def names_must_differ(games: Collection[Game]) -> None:
    """Check that no two types of command share a name, and no two types of view: the API names schemas after them.

    Raises:
        TypeError: two types of command, or two types of view, have the same name.
    """
    by_name(command for game in games for command in game.moves.commands)
    by_name(game.view_type for game in games)


def _place(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def _editions(*games: Game) -> dict[tuple[str, int], Game]:
    """Return *games* by name and edition.

    Raises:
        TypeError: two of *games* have the same name and edition.
    """
    editions = {(game.name, game.edition): game for game in games}
    if len(editions) < len(games):
        raise TypeError(f"Two games have the same name and edition: {[(game.name, game.edition) for game in games]}.")
    return editions


GAMES: Mapping[tuple[str, int], Game] = _editions(BANKRUPT, INSURANCE, INSURANCE_HEARTS)
"""Every edition of every game, by the game's name and the edition's number.

A table plays the edition that the table's first event names.

Add a new game at the end: the examples of the API and the measurements use the first game.
"""

CURRENT: Mapping[str, Game] = {game.name: game for game in sorted(GAMES.values(), key=lambda game: game.edition)}
"""The newest edition of each game, by the game's name; a new table gets this edition."""

EVENTS: Mapping[str, type[Event]] = by_name(event for game in GAMES.values() for event in game.events)
"""Every type of event, by the name of the type in the log."""

names_must_differ(GAMES.values())
