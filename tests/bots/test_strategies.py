"""The strategy of a game is a module of the same name with a function `choose`; no list names the strategies."""

from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from service.bots import strategies
from service.bots.strategies import STRATEGIES, Strategy
from service.games import CURRENT

WITHOUT_CHOOSE = '"""Plays the game of coins."""\n'
WITH_CHOOSE = f"{WITHOUT_CHOOSE}\n\ndef choose(moves, table, dice):\n    return moves[0].action\n"


def test_each_strategy_is_for_a_game_of_the_service() -> None:
    assert STRATEGIES
    assert set(STRATEGIES) <= set(CURRENT)


@pytest.mark.parametrize("game", sorted(STRATEGIES))
def test_a_strategy_takes_the_moves_the_table_and_dice_and_returns_an_action(game: str) -> None:
    takes, returns = get_args(Strategy)
    assert list(get_type_hints(STRATEGIES[game]).values()) == [*takes, returns]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that takes the place of the folder of strategies."""
    monkeypatch.setattr(strategies, "__path__", [str(tmp_path)])
    return tmp_path


def test_a_module_with_a_function_is_a_strategy(folder: Path) -> None:
    (folder / "coins.py").write_text(WITH_CHOOSE)
    assert strategies.found().keys() == {"coins"}


def test_the_error_for_a_module_without_a_strategy_names_the_missing_function(folder: Path) -> None:
    (folder / "notes.py").write_text(WITHOUT_CHOOSE)
    with pytest.raises(TypeError, match=r"strategies\.notes has no strategy: write `choose\(moves, table, dice\)`"):
        strategies.found()
