"""A table plays one game (G.2) and refuses the actions of every other game."""

import pytest
from msgspec.structs import replace

from service.games import GAMES
from service.games.common_commands import COMMON
from service.games.game import Command, Game, Refusal
from service.games.seating import must_belong


class FlipCoin(Command, frozen=True, kw_only=True):
    """A command of another game."""


every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@every_game
def test_an_action_belongs_to_a_game_that_knows_it_or_to_every_game(game: Game) -> None:  # G.2
    coins = replace(game, name="coins", commands=(FlipCoin,))
    for common in COMMON:
        for one in (game, coins):
            must_belong(_any(common), one)
    must_belong(FlipCoin(by="seat:1"), coins)
    strangers: list[tuple[Game, type[Command]]] = [(game, FlipCoin), *((coins, command) for command in game.commands)]
    for table, stranger in strangers:
        with pytest.raises(Refusal) as refused:
            must_belong(_any(stranger), table)
        assert (refused.value.code, refused.value.ruling) == ("action_must_belong_to_the_game", "G.2")


def _any(command: type[Command]) -> Command:
    """Return a command of type *command*; only its type matters."""
    return command(by="seat:1", **{name: 1 for name in command.__struct_fields__ if name != "by"})
