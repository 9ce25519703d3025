"""The rulings are complete, and every ruling to which the code, an event or a refusal refers exists."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import service.games
from service.games import GAMES
from service.games.common_commands import COMMON_REFUSALS
from service.games.common_refusals import ACTION_MUST_BELONG_TO_THE_GAME, Condition, conditions
from service.games.common_rulings import COMMON_RULINGS
from service.games.definition import Game
from tests.games.citations import RULES_OF_SHEET, RULING
from tests.games.facts import facts_of
from tests.games.random_play import decks_of, listed, play

FOLDER = Path(service.games.__file__).parent
TESTS = Path(__file__).parent
SHARED = (ACTION_MUST_BELONG_TO_THE_GAME, *conditions(COMMON_REFUSALS.values()).values())
"""The conditions that all games share."""
OF_GAMES = {ruling: text for game in GAMES.values() for ruling, text in game.rulings.items()}

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


@every_game
def test_the_rulings_of_a_game_are_complete(game: Game) -> None:
    numbered = {f"{part}.{number}" for part, numbers in facts_of(game.name).rulings.items() for number in numbers}
    assert set(game.rulings) == numbered


def test_the_rulings_for_all_games_are_complete() -> None:
    assert list(COMMON_RULINGS) == [f"G.{number}" for number in range(1, 14)]


def test_the_rulings_for_all_games_name_no_game() -> None:
    words = {word for game in GAMES.values() for word in game.sheet.title.split()}
    names = {word for word in words if word[0].isupper()} - {"A", "An", "The"}
    assert "Hearts" in names
    for text in COMMON_RULINGS.values():
        assert set(re.findall(r"\w+", text)) & names == set()
        assert set(RULING.findall(text)) <= set(COMMON_RULINGS)


def test_a_ruling_is_a_sentence() -> None:
    for text in (*OF_GAMES.values(), *COMMON_RULINGS.values()):
        assert text == text.strip()
        assert text.endswith(".")
        assert "  " not in text
        assert "- " not in text.replace(" - ", "")  # No word is hyphenated at the end of a line.


def sources(folder: Path = FOLDER) -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py") if path.name != "rulings.py"}


def cited_under(folder: Path) -> set[str]:
    """Return every ruling that the code under *folder* cites."""
    return {ruling for source in sources(folder).values() for ruling in RULING.findall(source)}


def test_every_ruling_that_the_code_cites_exists() -> None:
    assert cited_under(FOLDER) <= {*OF_GAMES, *COMMON_RULINGS}


@every_game
def test_the_code_of_a_game_cites_its_own_rulings_and_common_rulings(game: Game) -> None:
    assert cited_under(FOLDER / game.name) <= {*game.rulings, *COMMON_RULINGS}


@every_game
def test_every_ruling_of_a_game_is_cited_by_the_code_that_follows_it(game: Game) -> None:
    assert set(game.rulings) - cited_under(FOLDER / game.name) == set()


@every_game
def test_every_rule_and_ruling_in_events_and_refusals_exists(game: Game) -> None:
    rules = set(RULES_OF_SHEET[game.name])
    rulings = {*game.rulings, *COMMON_RULINGS}
    for seed in range(20):
        known = decks_of(seed)
        for step in play(game, seed):
            state, known.envelopes = step.after[-1], step.has
            emitted = [msgspec.to_builtins(event) for event in step.events]
            offered = [action for actor in ("host", *game.due(state)) for action in listed(game, state, actor, known)]
            explained = [payout for event in step.events for payout in game.explain(event)]
            cited = [
                *members(emitted),
                *members(msgspec.to_builtins(offered)),
                *members(msgspec.to_builtins(explained)),
            ]
            assert {value for name, value in cited if name in {"ruling", "cap"}} <= rulings | {""}
            assert {value for name, value in cited if name == "rule"} <= rules | rulings | {""}
            assert {transfer.rule for event in step.events for transfer in event.transfers} <= rules | rulings
            assert all(action.rule or action.ruling for action in offered)


def members(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 -- the value may be any JSON
    """Yield the name and the value of every string member of *value*, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str):
                yield str(name), inner
            yield from members(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from members(inner)


@every_game
def test_a_refusal_states_its_condition_and_cites_a_rule_or_ruling(game: Game) -> None:
    of_game = own_conditions(game)
    assert of_game
    for condition in of_game:
        it_says_what_must_hold(condition)
        assert {rule for rule, _ in condition.cites} <= {"", *RULES_OF_SHEET[game.name]}
        assert {ruling for _, ruling in condition.cites} <= {*game.rulings, *COMMON_RULINGS}


def test_a_refusal_for_all_games_cites_a_ruling() -> None:
    assert SHARED
    for condition in SHARED:
        it_says_what_must_hold(condition)
        assert {(rule, ruling in COMMON_RULINGS) for rule, ruling in condition.cites} == {("", True)}


def it_says_what_must_hold(condition: Condition) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*_must(_[a-z]+)+", condition.code)
    assert re.fullmatch(r"[A-Z].*[.]", condition.sentence)
    assert "  " not in condition.sentence
    assert condition.cites
    assert len(set(condition.cites)) == len(condition.cites)


def own_conditions(game: Game) -> list[Condition]:
    """Return the conditions of *game* that are not common ones."""
    return [one for one in conditions(game.refusals.values()).values() if one not in SHARED]


def test_every_refusal_is_tested_by_its_code() -> None:
    tested = "".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    declared = {one.code for one in (*SHARED, *(one for game in GAMES.values() for one in own_conditions(game)))}
    untested = {code for code in declared if f'"{code}"' not in tested}
    assert untested == set(), 'Write a test of each in tests/games/<game>/, with its code in quotes: "the_code".'
