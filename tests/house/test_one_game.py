"""General code knows no game: only a game's own modules have words that belong to that game alone (DECISIONS 96)."""

import re
from collections.abc import Iterator

import pytest

from service.games import CURRENT, GAMES
from service.games.definition import Game
from service.games.game import type_name
from tests.house import tree

EXCEPTIONS = {
    "service/games/__init__.py": "the list of all games",
    "service/cli/support/bylines.py": "a docstring shows a byline of a game",
    "service/dossier/verify.py": "one file for every dossier; some cards of one game change hands unseen",
    "tests/games/test_decks.py": "decks are dealt at a table, which is a table of some game",
}
"""The general modules that may name a game, each with the reason."""

TESTS = {
    "tests/http/openapi/answer_examples.py",
    "tests/play/test_dry_runs.py",
    "tests/tables/asking.py",
    "tests/tables/games.py",
    "tests/tables/test_two_worlds.py",
}
"""The tests outside tests/games that run on all games; they read facts of a game in tests/games/<game>/facts.py."""


def places(game: str) -> tuple[str, ...]:
    """Return the beginnings of the paths of *game*'s own modules."""
    rooms = ("games", "bench/games", "bots/strategies", "player_statistics/measures", "wording/games")
    return tuple(f"service/{room}/{game}{end}" for room in rooms for end in ("/", ".py"))


def words(game: Game) -> re.Pattern[str]:
    """Return the pattern of the words of *game* alone: its name and title, and its commands, events and rulings.

    A command or event whose name is one word, such as `resign`, is left out: the word may be plain English.
    """
    module = f"service.games.{game.name}."
    own = [kind for kind in (*game.commands, *game.events) if kind.__module__.startswith(module)]
    names = [game.name, game.name.replace("_", " "), game.sheet.title, *game.rulings]
    names += [name for kind in own for name in (kind.__name__, type_name(kind)) if "_" in type_name(kind)]
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, names))})(?![\w-])", re.IGNORECASE)


def named(text: str, game: Game) -> Iterator[str]:
    """Yield each line of *text* that names *game*, with its number."""
    pattern = words(game)
    for number, line in enumerate(text.splitlines(), start=1):
        if pattern.search(line) or f"games.{game.name}" in line:
            yield f"{number}: {line.strip()}"


def general() -> dict[str, str]:
    """Return the texts, by path, of the general tests, and of the modules of `service` that belong to no game."""
    of_games = tuple(place for game in CURRENT for place in places(game))
    of_service = {path for path in tree.paths("service") if not path.startswith(of_games)}
    in_tests = {path for path in tree.paths("tests/games") if path.count("/") == 2}  # in no subfolder
    return {path: (tree.ROOT / path).read_text() for path in sorted(of_service | in_tests | TESTS)}


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_only_modules_of_a_game_name_it(game: Game) -> None:
    found = {path: lines for path, text in general().items() if (lines := list(named(text, game)))}
    assert {path: lines for path, lines in found.items() if path not in EXCEPTIONS} == {}


def test_each_exception_is_needed() -> None:
    texts = general()
    assert [path for path in EXCEPTIONS if not any(list(named(texts[path], game)) for game in GAMES.values())] == []


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_a_line_that_names_a_game_is_found(game: Game) -> None:
    ruling = next(iter(game.rulings))
    of_two_words = [kind for kind in game.commands if "_" in type_name(kind)][:1]  # A game may have no such command.
    lines = [
        f"from service.games.{game.name}.state import State",
        f'GAME = CURRENT["{game.name}"]',
        f'"""Return a table of {game.sheet.title}."""',
        f"cite({ruling!r})  # ({ruling})",
        *(f"do({command.__name__}(by=by))" for command in of_two_words),
        *(f'kind = "{type_name(command)}"' for command in of_two_words),
    ]
    assert len(list(named("\n".join(lines), game))) == len(lines)
    assert not list(named("bankruptcy, insured, hold, resign, RB11.1, B999.9", game))
