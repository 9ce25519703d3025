"""The tests that wait for other processes start early, and no test is lost."""

from types import SimpleNamespace
from typing import Any

from tests import order
from tests.house.tree import ROOT


def test_waiting_tests_are_first_and_in_the_middle_and_the_others_keep_their_order() -> None:
    names = ["audit", "audit", "cli", "faults", "games", "games", "http", "once", "web", "web"]
    items: list[Any] = [SimpleNamespace(path=ROOT / "tests" / name / f"test_{at}.py") for at, name in enumerate(names)]
    found = [item.path.parent.name for item in order.ordered(items)]
    assert found == ["cli", "audit", "audit", "games", "games", "faults", "once", "http", "web", "web"]


def test_the_folders_of_waiting_tests_exist() -> None:
    assert all((ROOT / "tests" / name).is_dir() for name in order.FIRST + order.MIDDLE)
