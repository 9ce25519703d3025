"""The audit's report of the log as a whole, and the evidence from outside the database."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from service.audit.findings import Finding
from service.transparency.checkpoint import Checkpoint
from service.transparency.signed_note import VerifierKey

MOST_FINDINGS: Final = 50
"""The maximum number of findings of one check that a report lists; the report only counts further findings."""
WHOLE_LOG: Final = "log"
"""The value of `table` in findings that belong to no table."""


class LogEvidence(Struct, frozen=True, kw_only=True):
    """The evidence with which the audit compares the database: the log's *key*, and signed checkpoints by their names.

    *receipt_key* (hex; "": unknown) verifies the service's receipts.
    *problems* has the reasons why the key or the last checkpoint of the signer can't be used.
    """

    key: VerifierKey | None = None
    receipt_key: str = ""
    checkpoints: tuple[tuple[str, Checkpoint], ...] = ()
    problems: tuple[str, ...] = ()


class LogReport(Struct, frozen=True, kw_only=True):
    """The numbers of leaves with an index (*indexed*), of leaves without (*waiting*), and of checked *checkpoints*.

    *service_events* is the number of events in the service's own stream, and *keys* the number of API keys on record;
    both are 0 if the stream was not checked. *not_checked* names everything that could not be checked, with reasons.
    *left_out*: the number of findings that are not in *findings*.
    """

    indexed: int
    waiting: int
    checkpoints: int
    service_events: int = 0
    keys: int = 0
    not_checked: tuple[str, ...]
    findings: tuple[Finding, ...]
    left_out: int


class LogFindings:
    """Collects up to MOST_FINDINGS findings of each check, and counts the others in `left_out`."""

    def __init__(self) -> None:
        self.collected: list[Finding] = []
        self.left_out = 0
        self._of_check = Counter[str]()

    def add(self, findings: Iterable[Finding]) -> None:
        """Collect *findings*."""
        for finding in findings:
            self._of_check[finding.check] += 1
            if self._of_check[finding.check] <= MOST_FINDINGS:
                self.collected.append(finding)
            else:
                self.left_out += 1
