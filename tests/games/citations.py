"""The rules and rulings that tests cite, in the comment after the signature or in the id of an example."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from service.games import CURRENT
from service.games.common_rulings import COMMON_RULINGS

RULES_OF_SHEET: Mapping[str, tuple[str, ...]] = {name: tuple(game.sheet.rules) for name, game in CURRENT.items()}
"""The rules of each game, as tests cite them."""

_PARTS = {ruling.rpartition(".")[0] for game in CURRENT.values() for ruling in (*game.rulings, *COMMON_RULINGS)}
_FAMILIES = "|".join(sorted({re.sub("[0-9]*(-[A-Z0-9]+)?$", "", part) for part in _PARTS}))
PART = rf"(?:{_FAMILIES})(?:\d+|-[A-Z0-9]+)?"
"""The pattern of a ruling's name before the dot: the first letters of a ruling that exists, and any number or word."""
RULING = re.compile(rf"(?<![-\w]){PART}\.\d+\b")

_OF_ALL = {rule for rules in RULES_OF_SHEET.values() for rule in rules}
HEADINGS = "|".join(sorted(rule for rule in _OF_ALL if not re.fullmatch(r"\d+|option \d+", rule)))
"""The pattern of rules that have a heading instead of a number."""
_RULES = re.compile(r"\b[Rr]ules? (\d+(?:, \d+)*)")
_OPTION = re.compile(r"\bOption (\d)\b")
_HEADING = re.compile(rf"(?<![-\w])(?:{HEADINGS})(?![-.\w])")


class Citation(Struct, frozen=True):
    """A *test*, and the *rules* ("15", "option 1", "PAYOUT") and *rulings* that it cites."""

    test: str
    rules: frozenset[str]
    rulings: frozenset[str]


def citations(folder: Path) -> Iterator[Citation]:
    """Yield the citations of every test under *folder*."""
    for path in sorted(folder.rglob("test_*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.parse("\n".join(lines)).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield _citation(f"{path.name}::{node.name}", " ".join([*_signature(node, lines), *_examples(node)]))


def _citation(test: str, text: str) -> Citation:
    rules = {rule for found in _RULES.findall(text) for rule in found.split(", ")}
    options = {f"option {number}" for number in _OPTION.findall(text)}
    return Citation(test, frozenset({*rules, *options, *_HEADING.findall(text)}), frozenset(RULING.findall(text)))


def _signature(node: ast.FunctionDef, lines: list[str]) -> Iterator[str]:
    """Yield the comments between a test's name and its first statement."""
    for line in lines[node.lineno - 1 : node.body[0].lineno - 1]:
        yield line.partition("#")[2]


def _examples(node: ast.FunctionDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        for each in ast.walk(decorator):
            if isinstance(each, ast.keyword) and each.arg == "id" and isinstance(each.value, ast.Constant):
                yield str(each.value.value)
