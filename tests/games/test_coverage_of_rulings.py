"""Each rule of each sheet and each ruling has a test that cites it, and every cited rule and ruling exists."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import service.games
from service.games import CURRENT
from service.games.common_rulings import COMMON_RULINGS
from service.games.definition import Game
from tests.games.citations import HEADINGS, PART, RULES_OF_SHEET, RULING, Citation, citations
from tests.games.facts import facts_of

HERE = Path(__file__).parent
ROW = rf"\| (\d+|{HEADINGS}) \|"
"""The first cell of a row in a game's RULES.md: a rule as its sheet names it."""
CITED: Mapping[str, tuple[Citation, ...]] = {name: tuple(citations(HERE / name)) for name in CURRENT}
OF_EVERY_GAME: tuple[Citation, ...] = tuple(citations(HERE / "every_game"))
"""The citations in tests that run for every game."""

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in CURRENT.values()])


def rules() -> Iterator[tuple[str, str]]:
    for name in CURRENT:
        yield from ((name, rule) for rule in RULES_OF_SHEET[name])


def rulings() -> Iterator[tuple[str, str]]:
    for name, game in CURRENT.items():
        general = [ruling for ruling in COMMON_RULINGS if ruling not in facts_of(name).of_no_concern]
        yield from ((name, ruling) for ruling in (*game.rulings, *general))


def uncited(name: str, cited_as: str) -> str:
    """Return the error for a rule or ruling of the game *name* that no test cites: it says what to write."""
    return f"Write a test in tests/games/{name}/ with the comment `# {cited_as}` after its signature"


@pytest.mark.parametrize(("name", "rule"), list(rules()))
def test_every_rule_is_the_reason_of_a_test(name: str, rule: str) -> None:
    cited_as = f"Rule {rule}" if rule.isdigit() else rule.replace("option", "Option")
    assert [cited.test for cited in CITED[name] if rule in cited.rules], uncited(name, cited_as)


@pytest.mark.parametrize(("name", "ruling"), list(rulings()))
def test_every_ruling_is_the_reason_of_a_test(name: str, ruling: str) -> None:
    also = "; or give, in `of_no_concern` of its facts, the reason why none does" if ruling in COMMON_RULINGS else ""
    cited_here = (*CITED[name], *OF_EVERY_GAME)
    assert [cited.test for cited in cited_here if ruling in cited.rulings], uncited(name, ruling) + also


@every_game
def test_no_test_of_a_game_cites_a_ruling_that_does_not_concern_the_game(game: Game) -> None:
    cited = {ruling for one in CITED[game.name] for ruling in one.rulings}
    assert cited & set(facts_of(game.name).of_no_concern) == set()


@every_game
def test_every_cited_rule_exists(game: Game) -> None:
    cited = CITED[game.name]
    assert {ruling for one in cited for ruling in one.rulings} <= {*game.rulings, *COMMON_RULINGS}
    assert {rule for one in cited for rule in one.rules} <= set(RULES_OF_SHEET[game.name])


@every_game
def test_few_tests_cite_no_rule_or_ruling(game: Game) -> None:
    silent = [cited.test for cited in CITED[game.name] if not cited.rules and not cited.rulings]
    assert len(silent) < len(CITED[game.name]) / 10


def in_our_words(game: Game) -> Path:
    """Return the path of the game's RULES.md."""
    return Path(service.games.__file__).parent / game.name / "RULES.md"


@every_game
def test_the_rules_in_our_words_name_every_rule_every_ruling_and_the_inventor(game: Game) -> None:  # G.8
    text = in_our_words(game).read_text(encoding="utf-8")
    rows = [row.split("|")[1].strip() for row in text.splitlines() if re.match(ROW, row)]
    assert sorted(rows) == sorted(rule.removeprefix("option ") for rule in RULES_OF_SHEET[game.name])
    assert set(game.rulings) <= set(named(text))
    assert set(named(text)) <= {*game.rulings, *COMMON_RULINGS}
    assert game.sheet.author in text
    assert str(game.sheet.year or "") in text


@every_game
def test_the_api_tells_the_rules_in_the_same_words(game: Game) -> None:
    lines = in_our_words(game).read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in row.split("|")[1:3]] for row in lines if re.match(ROW, row)]
    told = {(rule.removeprefix("option "), words) for rule, words in game.sheet.rules.items()}
    assert {(rule, words) for rule, words in rows} == told


def named(text: str) -> Iterator[str]:
    """Yield every ruling that *text* names, ranges included."""
    yield from RULING.findall(text)
    for rule, first, last in re.findall(rf"({PART})\.(\d+) – \1\.(\d+)", text):
        yield from (f"{rule}.{number}" for number in range(int(first), int(last)))


@every_game
def test_the_rules_in_our_words_name_modules_that_exist(game: Game) -> None:
    path = in_our_words(game)
    modules = re.findall(r"`([./a-z_]+\.py)`", path.read_text(encoding="utf-8"))
    assert modules
    assert {module for module in modules if not (path.parent / module).is_file()} == set()
