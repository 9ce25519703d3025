"""Each game has the facts that the general tests need; the error for a missing fact says what to write."""

import pytest

from service.games import GAMES
from service.games.definition import Game
from service.games.game import MOST_SEATS
from tests.games.facts import Facts, facts_of, required, sealed_field

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@every_game
def test_every_game_has_its_facts(game: Game) -> None:
    assert isinstance(facts_of(game.name), Facts)


@every_game
def test_a_table_of_a_game_has_seats_within_the_bounds_for_all_games(game: Game) -> None:
    assert 1 <= game.seats.least <= game.seats.default <= game.seats.most <= MOST_SEATS


def test_the_error_for_a_game_without_facts_names_the_missing_file() -> None:
    with pytest.raises(LookupError, match=r"Write tests/games/coins/facts.py: .* at least opening, rulings, simulated"):
        facts_of("coins")


def test_a_fact_that_is_missing_is_named() -> None:
    assert required() == ("opening", "rulings", "simulated", "worlds", "short")
    with pytest.raises(TypeError, match="Missing required argument 'opening'"):
        Facts()  # type: ignore[call-arg]


@every_game
def test_the_error_for_a_sealed_field_without_facts_names_the_missing_fact(game: Game) -> None:
    with pytest.raises(LookupError, match=rf'{game.name} seals "coins": write .* in tests/games/{game.name}/facts.py'):
        sealed_field(game.name, "coins")
