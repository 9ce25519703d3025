"""Findings: the differences that the audit found, each with its place, the expected and the found value."""

from msgspec import Struct

from service.audit.differences import Difference
from service.audit.verdicts import Verdict


class Finding(Struct, frozen=True, kw_only=True):
    """A *check* that failed at *position* of *table*: the *expected* and the *found* value.

    *position* is 0 if the finding belongs to no event. *detail* names the part of the event or row.
    """

    table: str
    position: int
    check: str
    expected: str
    found: str
    detail: str = ""
    verdict: Verdict = Verdict.FAILED


def of_difference(table: str, check: str, difference: Difference, detail: str = "") -> Finding:
    """Return a finding of *check* that reports *difference*; *detail* precedes the name of the member."""
    return Finding(
        table=table,
        position=difference.position,
        check=check,
        expected=difference.expected,
        found=difference.found,
        detail=f"{detail}: {difference.member}" if detail else difference.member,
    )
