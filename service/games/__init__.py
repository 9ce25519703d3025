"""The games of the service: `GAMES` has every edition of every game."""

from collections.abc import Mapping

from service.games.bankrupt import BANKRUPT
from service.games.game import Event, Game, type_name
from service.games.insurance import INSURANCE
from service.games.insurance_hearts import INSURANCE_HEARTS

GAMES: Mapping[tuple[str, int], Game] = {
    (game.name, game.edition): game for game in (BANKRUPT, INSURANCE, INSURANCE_HEARTS)
}
"""Every edition of every game, by name and number: a table plays the edition that the table's first event names."""

CURRENT: Mapping[str, Game] = {game.name: game for game in sorted(GAMES.values(), key=lambda game: game.edition)}
"""The newest edition of each game, by the game's name; a new table gets this edition."""

EVENTS: Mapping[str, type[Event]] = {type_name(event): event for game in GAMES.values() for event in game.events}
"""Every type of event, by the name of the type in the log."""
