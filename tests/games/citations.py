"""The rules and rulings that tests cite, after their signature or in the id of an example."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

RULING = re.compile(r"(?<![-\w])(?:BO?\d+\.\d+|G\.\d+|(?:I|H)-[A-Z0-9]+\.\d+|IH\.\d+)\b")
HEADINGS = (
    "RANKS",
    "INTRODUCTION",
    "BET",
    "FIRST ROUND DEAL",
    "INSURANCE OFFER",
    "ACCEPTANCE",
    "SECOND ROUND DEAL",
    "WINNING",
    "PAYOUT",
    "END OF HAND",
    "NON-GAMBLING VARIATION",
)
"""The headings of the sheet of Insurance; tests cite its rules by these headings."""
HEARTS = ("standard rules", "Insurance", "Bidding", "Foot Rule")
"""The rules of the sheet of Insurance Hearts: the standard rules of Hearts, and the headings of the three others."""
RULES_OF_SHEET: Mapping[str, tuple[str, ...]] = {
    "bankrupt": (*map(str, range(1, 21)), "option 1", "option 2"),
    "insurance": HEADINGS,
    "insurance_hearts": HEARTS,
}
"""The rules of each game, as tests cite them."""

_RULES = re.compile(r"\b[Rr]ules? (\d+(?:, \d+)*)")
_OPTION = re.compile(r"\bOption (\d)\b")
_HEADING = re.compile(rf"(?<![-\w])(?:{'|'.join((*HEADINGS, *HEARTS))})(?![-.\w])")


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
