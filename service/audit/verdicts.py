"""The verdicts of an audit on a decision, a hand or a table."""

from collections.abc import Iterable
from enum import Enum


class Verdict(Enum):
    """The verdicts, from the best to the worst; only FAILED is an alarm."""

    CLEAN = "clean"
    PENDING = "pending"
    """The verdict depends on a running hand, on an unrevealed deck, or on a sealed value that is not public yet."""
    UNDECIDABLE = "undecidable"
    """The verdict depends on a value that was erased, or that an import did not contain."""
    FAILED = "failed"


_ORDER = tuple(Verdict)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of *verdicts*, or CLEAN if there are none."""
    return max(verdicts, key=_ORDER.index, default=Verdict.CLEAN)
