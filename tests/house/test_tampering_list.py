"""tests/TAMPERING.md names, for each kind of tampering, what finds it and the test that shows it. Each test exists."""

import re
from functools import cache
from pathlib import Path

from tests.house.tree import ROOT

LEAST = 93
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| `(tests/[^`\[]+)::(test_\w+)(?:\[([^\]]+)\])?` \|$", re.MULTILINE)


def rows() -> list[tuple[str, str, str, str, str]]:
    """Return what is tampered with, what finds it, and the file, the name and the case of the test, for each row."""
    return ROW.findall((ROOT / "tests/TAMPERING.md").read_text(encoding="utf-8"))


@cache
def functions(path: str) -> frozenset[str]:
    return frozenset(re.findall(r"^def (test_\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE))


@cache
def texts_of(folder: Path) -> str:
    """Return the text of all modules in *folder*."""
    return "".join(one.read_text(encoding="utf-8") for one in folder.glob("*.py"))


def is_case(path: str, name: str, case: str) -> bool:
    """Return whether the module *path* has the test *name*, and a module in the same folder has the case.

    A case is the beginning of a string, a function, or an attribute.
    """
    named = re.escape(case)
    is_there = re.search(rf'"{named}[" ]|def {named}\(|\.{named}\b', texts_of((ROOT / path).parent))
    return name in functions(path) and (not case or is_there is not None)


def test_each_test_that_the_list_names_exists_and_has_the_case() -> None:
    missing = [f"{path}::{name}[{case}]" for _, _, path, name, case in rows() if not is_case(path, name, case)]
    assert missing == []


def test_the_list_has_as_many_kinds_of_tampering_as_were_tried_first_and_each_once() -> None:
    kinds = [what for what, *_ in rows()]
    assert len(kinds) >= LEAST
    of_groups = re.split(r"^## ", (ROOT / "tests/TAMPERING.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for group in of_groups:
        named = [what for what, *_ in ROW.findall(group)]
        assert len(named) == len(set(named)), group.partition("\n")[0]
    lines = [line for group in of_groups[1:-1] for line in group.splitlines() if line.startswith("| ")]
    assert len(lines) - len(of_groups[1:-1]) == len(kinds), "each line of a table is a row of the list"
