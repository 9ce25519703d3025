"""A table plays one game (G.2) and refuses the actions of every other game."""

from typing import Any

import pytest
from msgspec.structs import replace

from service.games import GAMES, by_name
from service.games.common_commands import COMMON
from service.games.definition import Game
from service.games.game import Command, Decision, Refusal
from service.games.move import Move, Moves


class FlipCoin(Command, frozen=True, kw_only=True):
    """A command of another game."""


_FIRST = FlipCoin


every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@every_game
def test_an_action_belongs_to_a_game_that_knows_it_or_to_every_game(game: Game) -> None:  # G.2
    moves = (*map(_move, COMMON), _move(FlipCoin))
    coins = replace(game, name="coins", moves=Moves(*moves))
    for common in COMMON:
        for one in (game, coins):
            one.must_have(_any(common))
    coins.must_have(FlipCoin(by="seat:1"))
    strangers: list[tuple[Game, type[Command]]] = [(game, FlipCoin), *((coins, command) for command in game.commands)]
    for table, stranger in strangers:
        with pytest.raises(Refusal) as refused:
            table.must_have(_any(stranger))
        assert (refused.value.code, refused.value.ruling) == ("action_must_belong_to_the_game", "G.2")


class Done(Decision, frozen=True, kw_only=True):
    """The decision of any command."""


def test_two_games_can_not_share_a_name() -> None:
    class FlipCoin(Command, frozen=True, kw_only=True):
        """A command of a third game."""

    with pytest.raises(TypeError, match=r"flip_coin names both .*FlipCoin and .*FlipCoin: rename one of them\.$"):
        by_name((_FIRST, FlipCoin))
    assert by_name((_FIRST, _FIRST)) == {"flip_coin": _FIRST}


def test_a_command_has_one_move() -> None:
    with pytest.raises(TypeError, match="Two moves have the command FlipCoin"):
        Moves(_move(FlipCoin), _move(FlipCoin))


def _move(command: type[Command]) -> Move[Any, Any]:
    """Return a move of *command*; only its type matters."""
    return Move(
        command=command, decision=Done, decide=lambda _state, _command, _viewpoint: Done(), command_of=_command_of
    )


def _command_of(_decision: Done, by: str, _sealed: object) -> Command:
    return FlipCoin(by=by)


def _any(command: type[Command]) -> Command:
    """Return a command of type *command*; only its type matters."""
    return command(by="seat:1", **{name: 1 for name in command.__struct_fields__ if name != "by"})
