"""The seed of a test run: one printed number, from which tests draw choices that differ from run to run."""

import os
import random
import secrets
from collections.abc import Sequence
from typing import Final, TypeVar

VARIABLE: Final = "CHIPTRAIL_TEST_SEED"
T = TypeVar("T")


def settle() -> str:
    """Return the seed of this run, a random number unless one is given; child processes inherit the seed."""
    return os.environ.setdefault(VARIABLE, str(secrets.randbelow(10**9)))


def drawn(name: str, choices: Sequence[T]) -> T:
    """Return one of *choices*, drawn for *name* with the seed of this run; all its processes draw the same choice."""
    return random.Random(f"{settle()} {name}").choice(choices)


def some(name: str, choices: Sequence[T], number: int) -> list[T]:
    """Return *number* of *choices*, drawn for *name* with the seed of this run; all its processes draw the same."""
    return random.Random(f"{settle()} {name}").sample(choices, number)


def chance(name: str) -> random.Random:
    """Return the random generator of the test *name* in this run, and print the seed that repeats the test."""
    print(f"{VARIABLE}={settle()}")  # noqa: T201 -- pytest shows this if the test fails
    return random.Random(f"{settle()} {name}")
