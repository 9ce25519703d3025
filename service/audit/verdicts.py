"""The verdicts of an audit on a decision, a hand or a table."""

from collections.abc import Iterable
from enum import Enum


class Verdict(Enum):
    """From the best to the worst; only FAILED is an alarm."""

    CLEAN = "clean"
    PENDING = "pending"
    """The decision depends on a deck or a sealed field that is not open yet."""
    UNDECIDABLE = "undecidable"
    """The decision depends on a value that was erased, or is not available."""
    FAILED = "failed"


_ORDER = {verdict: place for place, verdict in enumerate(Verdict)}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of *verdicts*; CLEAN for none."""
    return max(verdicts, key=_ORDER.__getitem__, default=Verdict.CLEAN)
