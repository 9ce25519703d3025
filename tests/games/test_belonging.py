"""A table plays one game (G.2) and refuses the actions of every other game."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

import service.games
from service.games import CURRENT, GAMES, by_name, names_must_differ
from service.games.common_commands import COMMON, LeaveSeat, TakeSeat
from service.games.definition import Game
from service.games.game import Command, Consequence, Decision, Refusal, type_name
from service.games.move import Move, Moves, SomeMove


class FlipCoin(Command, frozen=True, kw_only=True):
    """A command of another game."""


_FIRST = FlipCoin


every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@every_game
def test_an_action_belongs_to_the_games_that_have_the_action_or_to_every_game(game: Game) -> None:  # G.2
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


SHARED = {"seeds"}
"""The packages in `service/games` that are no game: all games use them."""


def test_every_folder_of_a_game_is_a_game_of_the_service() -> None:
    folders = {path.parent.name for path in Path(service.games.__file__).parent.glob("*/__init__.py")}
    assert folders - SHARED == set(CURRENT), (
        "Add the game to `GAMES` in service/games/__init__.py; its name is the name of its folder."
    )


class Done(Decision, frozen=True, kw_only=True):
    """The decision of every move in these tests."""


def test_two_commands_can_not_share_a_name() -> None:
    class FlipCoin(Command, frozen=True, kw_only=True):
        """A command of a third game."""

    with pytest.raises(TypeError, match=r"flip_coin names both .*FlipCoin and .*FlipCoin: rename one of them\.$"):
        by_name((_FIRST, FlipCoin))
    assert by_name((_FIRST, _FIRST)) == {"flip_coin": _FIRST}


def test_two_games_can_not_have_commands_or_views_of_one_name() -> None:
    first, second, *_ = GAMES.values()
    own = next(move.command for move in first.moves if move.command not in {other.command for other in second.moves})
    view = type(first.view_type.__name__, (Struct,), {})
    command = type(own.__name__, (Command,), {}, frozen=True, kw_only=True)
    names_must_differ([first, second])
    with pytest.raises(TypeError, match=f"{type_name(view)} names both"):
        names_must_differ([first, second, replace(first, view_type=view)])
    with pytest.raises(TypeError, match=f"{type_name(command)} names both"):
        names_must_differ([first, second, replace(first, moves=Moves(_move(command)))])


def test_a_command_has_one_move() -> None:
    with pytest.raises(TypeError, match="Two moves have the command FlipCoin"):
        Moves(_move(FlipCoin), _move(FlipCoin))


def test_the_command_of_every_decision_can_be_found() -> None:
    other = replace(_move(LeaveSeat), command_of=lambda _decision, by, _sealed: LeaveSeat(by=by))
    with pytest.raises(TypeError, match="LeaveSeat and FlipCoin need the same `command_of`"):
        Moves(_move(FlipCoin), other)
    with pytest.raises(TypeError, match=r"Done lacks \['chips'.*\] of TakeSeat, so its move needs `command_of`"):
        Moves(replace(_move(TakeSeat), command_of=None))
    with pytest.raises(TypeError, match="FlipCoin seals values, so its move needs `command_of`"):
        Moves(replace(_move(FlipCoin), command_of=None, seals=lambda _state, _command: {}))


def test_a_game_refuses_commands_and_events_of_another_game() -> None:
    moves = Moves(_move(FlipCoin))
    with pytest.raises(TypeError, match="LeaveSeat is not a command of this game"):
        moves.of(LeaveSeat(by="seat:1"))
    with pytest.raises(TypeError, match="Consequence is not a decision of this game"):
        moves.command_of(Consequence(), "seat:1", lambda _field: None)


def _move(command: type[Command]) -> SomeMove[Any]:
    """Return a move whose command is *command*; the rules of the move do not matter."""
    return Move(
        command=command, decision=Done, decide=lambda _state, _command, _viewpoint: Done(), command_of=_command_of
    )


def _command_of(_decision: Done, by: str, _sealed: object) -> Command:
    return FlipCoin(by=by)


def _any(command: type[Command]) -> Command:
    """Return a command of type *command*; its members do not matter."""
    return command(by="seat:1", **{name: 1 for name in command.__struct_fields__ if name != "by"})
