"""The order of the tests: two workers begin with the tests that wait, so that the other workers compute meanwhile."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

WORKERS: Final = 6
"""Many tests wait for servers: six workers keep two processors busy. Each needs four seconds to collect all tests."""
FIRST: Final = ("cli",)
MIDDLE: Final = ("bench", "faults", "once")
"""The folders of tests that wait for other processes: the first worker begins with `FIRST`, the fourth with `MIDDLE`.

Each worker gets the same number of neighbouring tests. Once it has run them, it takes tests from another worker."""

_HERE: Final = Path(__file__).resolve().parent


def ordered(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return *items* with the folders `FIRST` at the beginning, and with the folders `MIDDLE` in the middle."""
    first = [item for item in items if _folder(item) in FIRST]
    middle = [item for item in items if _folder(item) in MIDDLE]
    others = [item for item in items if _folder(item) not in FIRST + MIDDLE]
    before = max(0, len(items) // 2 - len(first))
    return [*first, *others[:before], *middle, *others[before:]]


def _folder(item: pytest.Item) -> str:
    """Return the name of the folder in `tests/` that has *item*, or of its file if the file is in no folder."""
    return item.path.relative_to(_HERE).parts[0]
