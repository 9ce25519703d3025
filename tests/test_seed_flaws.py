"""The program in log_format.md accepts games with players' seeds, and finds a forged seed.

While every seat answers, no deal waits for a seed.
"""

from typing import Any

import pytest

from service.cards import PACK
from service.games import GAMES
from service.games.common_events import DeckFixed
from service.games.definition import Game
from service.games.game import Event
from service.games.seeds.seed_events import DeckSeedOmitted, DeckSeedRevealed, DeckSeedsDropped, DeckSeedsSettled
from tests.audit.recording import Fact, facts, record, with_members
from tests.games import random_play
from tests.games.real_decks import RealDecks
from tests.games.steps import Step
from tests.games.waits import Waits, waits_of

SHARE, ALL = 12, 1_000

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])
some_or_all = pytest.mark.parametrize(
    "games", [pytest.param(SHARE, id="some"), pytest.param(ALL, id="more", marks=pytest.mark.full)]
)


@pytest.fixture(autouse=True)
def players_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_play, "decks_of", RealDecks)
    monkeypatch.setattr(random_play, "has_players_seeds", lambda _seed: True)


def flaws(program: dict[str, Any], happened: list[Fact]) -> list[int]:
    found: list[int] = program["seed_flaws"]([one.leaf for one in record(happened).events], PACK)
    return found


def facts_of(steps: tuple[Step, ...]) -> list[Fact]:
    return [fact for step in steps for fact in facts(step)]


@every_game
@some_or_all
def test_while_everybody_answers_play_does_not_wait_and_every_deck_is_proved(
    game: Game, games: int, program: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_play, "SEEDS_FIRST", 1.0)
    waits, levels = Waits(), {"joint": 0, "partial": 0, "operator": 0}
    for seed in range(games):
        steps = tuple(random_play.play(game, seed))
        assert flaws(program, facts_of(steps)) == [], seed
        happened = [pair for step in steps for pair in zip((step.before, *step.after), step.events, strict=False)]
        waits += waits_of(game, happened)
        for _, event in happened:
            if isinstance(event, DeckFixed):
                levels[event.level] += 1
    print(f"\n{game.name}: {waits.waited} of {waits.deals} deals waited for seeds; decks: {levels}")  # noqa: T201 -- a figure
    assert waits.deals
    assert waits.waited == 0
    assert levels["operator"] == 0


@every_game
def test_games_with_late_or_missing_seeds_are_also_proved(
    game: Game, program: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_play, "SEEDS_FIRST", 0.1)
    kinds: set[type[Event]] = set()
    for seed in range(SHARE):
        steps = tuple(random_play.play(game, seed))
        assert flaws(program, facts_of(steps)) == [], seed
        kinds |= {type(event) for step in steps for event in step.events}
    assert {DeckSeedOmitted, DeckSeedsDropped} <= kinds


@every_game
def test_the_page_finds_a_forged_seed(game: Game, program: dict[str, Any]) -> None:
    happened = facts_of(tuple(random_play.play(game, 1)))
    for kind, members in (
        (DeckSeedRevealed, {"client_seed": "a" * 64}),
        (DeckSeedsSettled, {"seats": (1,)}),
        (DeckFixed, {"transcript": "a" * 64}),
        (DeckFixed, {"seats": (1,)}),
    ):
        place = next(place for place, fact in enumerate(happened) if isinstance(fact.event, kind))
        assert flaws(program, with_members(happened, place, **members)), (kind, members)
