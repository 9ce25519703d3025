"""What is not as it must be: where it is, what was expected, and what was found."""

from msgspec import Struct

from service.audit.differences import Difference
from service.audit.verdicts import Verdict


class Finding(Struct, frozen=True, kw_only=True):
    """At *position* of *table* (0: not at one event), *check* says what must hold and does not.

    *expected* and *found* say how; *detail* says more exactly where. UNDECIDABLE is what was
    erased, not altered.
    """

    table: str
    position: int
    check: str
    expected: str
    found: str
    detail: str = ""
    verdict: Verdict = Verdict.FAILED


def of_difference(table: str, check: str, difference: Difference, detail: str = "") -> Finding:
    """Return the finding that a *difference* is."""
    return Finding(
        table=table,
        position=difference.position,
        check=check,
        expected=difference.expected,
        found=difference.found,
        detail=f"{detail}: {difference.member}" if detail else difference.member,
    )
