"""tests/FULL.md lists each test whose code has the mark `full`, the reason, and a daily test of the same behaviour."""

import ast
import re
from collections.abc import Iterator

from tests.house.tree import ROOT, modules, paths

MARK = "mark.full"
ROW = re.compile(r"^\| `(tests/[^`]+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def test_the_list_names_all_marked_tests_and_no_others() -> None:
    assert [name for name, _, _ in rows()] == sorted(marked())


def test_each_row_gives_a_reason_and_a_guard() -> None:
    assert [name for name, reason, guard in rows() if not reason.strip() or not guard.strip()] == []


def test_each_test_that_a_guard_names_exists() -> None:
    named = {name for *_, guard in rows() for name in re.findall(r"`(tests/[^`]+\.py|test_[^`]+)`", guard)}
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in paths("tests")}
    functions = {name for text in texts.values() for name in re.findall(r"^ *def (test_\w+)\(", text, re.MULTILINE)}
    assert named
    assert named - functions - texts.keys() == set()


def rows() -> list[tuple[str, str, str]]:
    return ROW.findall((ROOT / "tests/FULL.md").read_text(encoding="utf-8"))


def marked() -> Iterator[str]:
    """Yield each function under tests/ whose decorators or body have the mark, or the module's alias for it."""
    for path, module in modules("tests", MARK).items():
        if path == "tests/house/test_full_list.py":
            continue
        aliases: set[str] = set()
        for statement in module.body:
            if _is_marked(statement, aliases):
                aliases |= {target.id for target in _targets(statement)}
        for one in ast.walk(module):
            if isinstance(one, ast.FunctionDef) and _is_marked(one, aliases):
                yield f"{path}::{one.name}"


def _targets(statement: ast.stmt) -> list[ast.Name]:
    """Return the names to which *statement* assigns."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return []
    return [one for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def _is_marked(node: ast.AST, aliases: set[str]) -> bool:
    return any(
        (isinstance(one, ast.Attribute) and one.attr == "full" and ast.unparse(one).endswith(MARK))
        or (isinstance(one, ast.Name) and one.id in aliases)
        for one in ast.walk(node)
    )
