"""Where the chance of these tests comes from: one number a run, printed, that plays a failure again."""

import os
import random
import secrets
from typing import Final

VARIABLE: Final = "CHIPTRAIL_TEST_SEED"


def settle() -> str:
    """Choose the seed of this run, unless it is given; what is started from here inherits it."""
    return os.environ.setdefault(VARIABLE, str(secrets.randbelow(10**9)))


def chance(name: str) -> random.Random:
    """Return the chance of the test *name* in this run, and print what it takes to have it again."""
    print(f"{VARIABLE}={settle()}")  # noqa: T201 -- told where a test fails
    return random.Random(f"{settle()} {name}")
