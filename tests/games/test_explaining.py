"""Every transfer of every game has a reason."""

import pytest

from service.games import GAMES
from service.games.common_rulings import COMMON_RULINGS
from service.games.definition import Game
from tests.games.random_play import play


@pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])
def test_every_chip_that_moves_is_explained(game: Game) -> None:
    for seed in range(30):
        for step in play(game, seed):
            for event in step.events:
                explained = [payout for payout in game.explain(event) if payout.amount]
                assert [(p.source, p.target, p.amount, p.unit, p.rule) for p in explained] == [
                    (t.source, t.target, t.amount, t.unit, t.rule) for t in event.transfers
                ]
                for payout in explained:
                    assert payout.ruling in {**game.rulings, **COMMON_RULINGS}
                    assert payout.formula
