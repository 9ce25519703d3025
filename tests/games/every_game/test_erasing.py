"""Only the service erases a sealed value: G.12."""

import pytest

from service.games import CURRENT
from service.games.common_commands import EraseValue
from service.games.common_events import ValueErased
from service.games.definition import Game
from service.games.game import HOST, SERVICE, Refusal, seat_actor
from tests.games.stacked import TABLE, StackedDecks

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in CURRENT.values()])


@every_game
@pytest.mark.parametrize("by", [HOST, seat_actor(1)])
def test_nobody_but_the_service_erases_a_sealed_value(game: Game, by: str) -> None:  # G.12
    with pytest.raises(Refusal) as refused:
        game.decide(game.new(TABLE), EraseValue(by=by, position=1, field="seed", ground="order"), StackedDecks())
    assert (refused.value.code, refused.value.ruling) == ("service_must_ask", "G.12")


@every_game
def test_the_service_erases_a_sealed_value_and_nothing_follows(game: Game) -> None:  # G.12
    command = EraseValue(by=SERVICE, position=1, field="seed", ground="order")
    assert game.decide(game.new(TABLE), command, StackedDecks()).events == (
        ValueErased(position=1, field="seed", ground="order"),
    )
