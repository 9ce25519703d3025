"""What an audit can say of a decision, a hand or a table."""

from collections.abc import Iterable
from enum import Enum


class Verdict(Enum):
    """From the best to the worst; only FAILED is an alarm."""

    CLEAN = "clean"
    PENDING = "pending"
    """A deck or a sealed field is not yet open."""
    UNDECIDABLE = "undecidable"
    """What is needed was erased."""
    FAILED = "failed"


_ORDER = {verdict: place for place, verdict in enumerate(Verdict)}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of *verdicts*; nothing at all is clean."""
    return max(verdicts, key=_ORDER.__getitem__, default=Verdict.CLEAN)
