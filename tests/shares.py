"""Divides the tests marked `full` into shares, of which each commit runs one; as a pytest plugin, selects a share."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

SHARES: Final = 24
"""The number of shares. By estimate, all tests marked `full` take seven hours of one processor. A share takes about 9
minutes on two processors, and at most 27, the time of the longest test."""

_ROOT: Final = Path(__file__).resolve().parent.parent
_COMMIT: Final = re.compile("[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_OPTION: Final = "--share-number"
PATIENCE: Final = ("-o", "faulthandler_timeout=3000")
"""The options with which a test marked `full` may take up to 3,000 seconds; a longer test counts as hanging."""


def options(number: int) -> list[str]:
    """Return the options with which pytest runs the share *number* of the tests marked `full`."""
    return [*PATIENCE, "-p", __name__, "-m", "full", f"{_OPTION}={number}"]


def commit_of(revision: str) -> str:
    """Return the hash of the commit *revision*, or "" if git finds no such commit; a whole hash is not looked up."""
    if _COMMIT.fullmatch(revision):
        return revision
    git = shutil.which("git")
    if git is None:
        return ""
    command = [git, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    return subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False).stdout.strip()


def number_of_commit(commit: str) -> int:
    """Return the number of the share that *commit* runs, from 0."""
    return int(commit, 16) % SHARES


def number_of_test(node_id: str) -> int:
    """Return the number of the share that has the test *node_id*, from 0."""
    return int(hashlib.sha256(node_id.encode()).hexdigest(), 16) % SHARES


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option with the number of the share."""
    parser.addoption(_OPTION, type=int, help="Run only the tests that fall to the share of this number, from 0.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of other shares."""
    number = config.getoption(_OPTION)
    others = [item for item in items if number_of_test(item.nodeid) != number]
    items[:] = [item for item in items if number_of_test(item.nodeid) == number]
    config.hook.pytest_deselected(items=others)
