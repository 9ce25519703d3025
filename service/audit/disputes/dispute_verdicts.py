"""The audit's report of the disputes of one table."""

from collections import Counter

from msgspec import Struct

from service.audit.findings import Finding
from service.audit.verdicts import Verdict


class DisputeVerdict(Struct, frozen=True, kw_only=True):
    """The audit of one dispute: its *status* and *outcome*, and the verdicts on its hand.

    *recorded* is the last verdict of the service in the dispute's events, and *hand_verdict* is the verdict of this
    audit. A dispute about a hand that fails in this audit is reported, whatever the outcome of the dispute is.
    *verdict* is the verdict on the stream of disputes: all disputes of a table have the same *verdict*.
    """

    table: str
    dispute: int
    hand: int
    ground: str
    status: str
    outcome: str
    recorded: str
    hand_verdict: Verdict
    verdict: Verdict


class DisputesReport(Struct, frozen=True, kw_only=True):
    """The audit of one stream of disputes: the number of its *events*, its *disputes*, and up to 100 *findings*."""

    events: int = 0
    disputes: tuple[DisputeVerdict, ...] = ()
    findings: tuple[Finding, ...] = ()
    left_out: int = 0


class DisputeTotals:
    """Adds up the reports of streams of disputes. *failed_hands*: the disputes about hands that fail in this audit."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.events = 0
        self.failed_hands: list[DisputeVerdict] = []
        self.findings: list[Finding] = []
        self.left_out = 0

    def add(self, report: DisputesReport) -> None:
        """Add *report*; a stream that has findings and no readable dispute counts as one failed dispute."""
        self.verdicts.update(one.verdict for one in report.disputes)
        if report.findings and not report.disputes:
            self.verdicts[Verdict.FAILED] += 1
        self.events += report.events
        self.failed_hands += [one for one in report.disputes if one.hand_verdict is Verdict.FAILED]
        self.findings += report.findings
        self.left_out += report.left_out
