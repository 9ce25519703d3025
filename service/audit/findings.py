"""Findings: what the audit expected, what it found, and where."""

from msgspec import Struct

from service.audit.differences import Difference
from service.audit.verdicts import Verdict


class Finding(Struct, frozen=True, kw_only=True):
    """A *check* that failed at *position* of *table* (0: the finding belongs to no single event).

    *detail* names the part of the event or row. The verdict is UNDECIDABLE where a value was erased, not altered.
    """

    table: str
    position: int
    check: str
    expected: str
    found: str
    detail: str = ""
    verdict: Verdict = Verdict.FAILED


def of_difference(table: str, check: str, difference: Difference, detail: str = "") -> Finding:
    """Return the finding that reports *difference*."""
    return Finding(
        table=table,
        position=difference.position,
        check=check,
        expected=difference.expected,
        found=difference.found,
        detail=f"{detail}: {difference.member}" if detail else difference.member,
    )
