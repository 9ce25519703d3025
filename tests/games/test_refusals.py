"""Refusals: each condition is declared once, and a game refuses by the precedence that it lists."""

import ast
from importlib import import_module
from itertools import pairwise
from types import ModuleType

import pytest

from service.games import GAMES, common_refusals
from service.games.common_commands import COMMON
from service.games.common_refusals import Condition, conditions, declared
from service.games.definition import Game
from service.games.game import Command, Refusal
from service.tables import erasable, signed_moves
from tests.games.asking import ask
from tests.games.conditions import Asked, Conditions, conditions_of, holds
from tests.games.stacked import StackedDecks
from tests.house import tree

SOME, MORE = 24, 1_000
"""The number of random games of each game: in a daily test SOME, in a full test MORE."""
SEAT = Condition("seat_must_be_soft", "The seat is soft.", (("1", "G.1"), ("2", "G.2")))
HAT = Condition("hat_must_be_on", "The hat is on.", (("", "G.1"),))

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=game.name) for game in GAMES.values()])


def conditions_in(module: ModuleType) -> set[Condition]:
    """Return the conditions that *module* declares or imports."""
    return {value for value in vars(module).values() if isinstance(value, Condition)}


@every_game
def test_every_command_has_a_row(game: Game) -> None:
    assert set(game.refusals) == {*COMMON, *game.commands}


@every_game
def test_every_condition_of_a_game_is_in_its_table(game: Game) -> None:
    of_game = import_module(f"service.games.{game.name}.refusals")
    listed = set(conditions(game.refusals.values()).values())
    assert conditions_in(of_game) | conditions_in(common_refusals) == listed | {
        common_refusals.ACTION_MUST_BELONG_TO_THE_GAME
    }


@every_game
def test_no_condition_of_a_game_has_the_code_of_a_common_condition(game: Game) -> None:
    of_game = import_module(f"service.games.{game.name}.refusals")
    conditions([conditions_in(of_game) | conditions_in(common_refusals)])


def test_every_condition_of_an_erasure_is_in_its_table() -> None:
    assert conditions_in(erasable) == set(erasable.REFUSALS)


def test_every_condition_of_a_signature_is_in_its_table() -> None:
    assert conditions_in(signed_moves) == set(signed_moves.REFUSALS)


def test_conditions_are_declared_in_the_module_that_lists_them() -> None:
    """A declaration is a call of `Condition` with arguments; `threading.Condition()` has none."""
    declaring = {
        path
        for path, module in tree.modules("service", "Condition(").items()
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Condition" and node.args
    }
    of_games = {f"service/games/{game.name}/refusals.py" for game in GAMES.values()}
    of_tables = {
        "service/tables/erasable.py",
        "service/tables/signed_moves.py",
        "service/disputes/dispute_conditions.py",
    }
    assert declaring == of_games | of_tables | {"service/games/common_refusals.py"}


def test_two_conditions_with_one_code_are_an_error() -> None:
    twin = Condition(HAT.code, "The hat is new.", HAT.cites)
    with pytest.raises(ValueError, match="hat_must_be_on"):
        declared({int: (HAT, SEAT), str: (twin,)})
    with pytest.raises(ValueError, match="hat_must_be_on"):
        declared({int: (HAT, SEAT, HAT)})


def test_a_refusal_has_only_a_citation_that_its_condition_declares() -> None:
    cited = Refusal(SEAT, "It is hard.", rule="2", ruling="G.2")
    assert (cited.code, cited.detail, cited.rule, cited.ruling) == ("seat_must_be_soft", "It is hard.", "2", "G.2")
    for rule, ruling in (("", ""), ("2", "G.1"), ("2", "")):
        with pytest.raises(ValueError, match="seat_must_be_soft"):
            Refusal(SEAT, rule=rule, ruling=ruling)


def test_by_default_a_refusal_has_the_sentence_and_the_only_citation_of_its_condition() -> None:
    refusal = Refusal(HAT)
    assert (refusal.rule, refusal.ruling, refusal.detail) == ("", "G.1", "The hat is on.")


class Findings:
    """The findings of many commands about a game's table of refusals."""

    def __init__(self) -> None:
        self.wrong: list[tuple[Command, str, str, str]] = []
        """Commands that were not refused for the first condition that they fail.

        Each comes with the table's status, the code of the refusal, and the expected code; "": the command is accepted.
        """
        self.rows: set[tuple[type, Condition]] = set()
        """The type of each refused command, with the condition that it failed first."""
        self.cited: set[tuple[Condition, tuple[str, str]]] = set()
        self.shown: set[tuple[type, Condition, Condition]] = set()
        """The type of each refused command that failed several conditions, with the first two of these conditions."""

    def add(self, game: Game, of_game: Conditions, asked: Asked) -> None:
        kind, refusal = type(asked.command), _refusal(game, asked)
        failing = [condition for condition in game.refusals[kind] if not holds(of_game.predicates, condition, asked)]
        code, expected = refusal.code if refusal else "", failing[0].code if failing else ""
        if code != expected:
            self.wrong.append((asked.command, asked.state.status, code, expected))
        elif refusal:
            self.rows.add((kind, failing[0]))
            self.cited.add((failing[0], (refusal.rule, refusal.ruling)))
            self.shown |= {(kind, *pair) for pair in pairwise(failing[:2])}


def _refusal(game: Game, asked: Asked) -> Refusal | None:
    try:
        game.decide(asked.state, asked.command, asked.known)
    except Refusal as refusal:
        return refusal
    return None


@every_game
@pytest.mark.parametrize(
    "games", [pytest.param(SOME, id="some"), pytest.param(MORE, id="more", marks=pytest.mark.full)]
)
def test_a_refusal_names_the_first_condition_of_the_table_that_the_command_fails(game: Game, games: int) -> None:
    of_game = conditions_of(game.name)
    findings = Findings()
    for asked in ask(game, range(games)):
        findings.add(game, of_game, asked)
    rows = game.refusals.items()
    assert findings.wrong == []
    assert {(kind, one) for kind, row in rows for one in row} - findings.rows == set()
    assert {(one, cited) for _, row in rows for one in row for cited in one.cites} - findings.cited == set()
    neighbours = {(kind, *pair) for kind, row in rows for pair in pairwise(row)}
    assert neighbours - findings.shown == {place for place in neighbours if place[1:] in of_game.apart}


def test_the_error_for_a_game_without_conditions_names_the_missing_file() -> None:
    with pytest.raises(LookupError, match=r"Write tests/games/coins/conditions.py: `PREDICATES: .* and `APART: "):
        conditions_of("coins")


def test_the_error_for_a_condition_without_a_predicate_names_the_missing_predicate() -> None:
    asked = Asked(None, None, StackedDecks())
    with pytest.raises(LookupError, match=r"hat_must_be_on has no predicate: write one in `PREDICATES` in "):
        holds({}, HAT, asked)
