"""The report on a database: the sum of the reports of its tables, and of the disputes without a table."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from service.audit.disputes.dispute_verdicts import DisputesReport, DisputeTotals, DisputeVerdict
from service.audit.findings import Finding
from service.audit.pending import Pending
from service.audit.table_audit import TableReport
from service.audit.verdicts import Verdict
from service.audit.whole_log.whole_log_report import LogReport

MOST_FINDINGS: Final = 1_000
"""The maximum number of findings that the report of one run lists; the report only counts further findings."""
MOST_PENDING: Final = 1_000
"""The maximum number of pending tables whose reasons the report gives; the report only counts further tables."""

MOST_UNSIGNED: Final = 1_000
"""The maximum number of hands with unsigned decisions that the report lists; the report only counts further hands."""


class UnsignedHand(Struct, frozen=True):
    """The *seats* that made unsigned decisions in a *hand*, at a *table* where some decisions are signed."""

    table: str
    hand: int
    seats: tuple[int, ...]


class Report(Struct, frozen=True, kw_only=True):
    """The audit's report of a database: the numbers of tables and hands by verdict, and the *findings*.

    *signed*: the number of decisions with a signature. *unsigned_hands* counts the hands with unsigned decisions at
    tables where some decisions are signed; *unsigned* has the first MOST_UNSIGNED of these hands. *left_out*: the
    number of findings that are not in *findings*, because a report has a limit. *lost*: a finding for each head of an
    earlier backup or export whose leaf the log does not have. *pending*: the reasons of the first MOST_PENDING pending
    tables. *log*: the report of the log as a whole; None: the log as a whole was not checked. *disputes*: the numbers
    of disputes by verdict. *dispute_events*: the number of events of these disputes. *failed_hands*: the first
    MOST_FINDINGS disputes about failed hands.
    """

    tables: Mapping[Verdict, int]
    hands: Mapping[Verdict, int]
    events: int
    decisions: int
    decks: int
    signed: int = 0
    unsigned_hands: int = 0
    unsigned: tuple[UnsignedHand, ...] = ()
    findings: tuple[Finding, ...]
    left_out: int
    lost: tuple[Finding, ...] = ()
    pending: tuple[Pending, ...] = ()
    log: LogReport | None = None
    disputes: Mapping[Verdict, int] = {}
    dispute_events: int = 0
    failed_hands: tuple[DisputeVerdict, ...] = ()

    @property
    def has_failed(self) -> bool:
        """Whether a table, a stream of disputes or the log as a whole has failed, or a head is lost."""
        is_whole = not self.lost and not (self.log and self.log.findings)
        return self.tables[Verdict.FAILED] > 0 or self.disputes.get(Verdict.FAILED, 0) > 0 or not is_whole


def sum_up(reported: Iterable[TableReport], strays: Iterable[DisputesReport] = ()) -> Report:
    """Return one report that sums up the reports of all tables, and of *strays*, disputes without a table."""
    of_tables, of_hands, sums = Counter[Verdict](), Counter[Verdict](), Counter[str]()
    of_disputes = DisputeTotals()
    findings: list[Finding] = []
    pending: list[Pending] = []
    unsigned: list[UnsignedHand] = []
    for report in reported:
        of_tables[report.verdict] += 1
        of_hands.update(hand.verdict for hand in report.hands)
        if report.pending and len(pending) < MOST_PENDING:
            pending.append(report.pending)
        sums.update(events=report.events, decisions=report.decisions, decks=report.decks, signed=report.signed)
        if report.signed:
            in_part = [UnsignedHand(report.table, one.hand, one.unsigned_seats) for one in report.hands]
            in_part = [one for one in in_part if one.seats]
            unsigned += in_part[: MOST_UNSIGNED - len(unsigned)]
            sums["unsigned_hands"] += len(in_part)
        room = MOST_FINDINGS - len(findings)
        findings += report.findings[:room]
        sums["left_out"] += report.left_out + len(report.findings[room:])
        if report.disputes:
            of_disputes.add(report.disputes)
    for stray in strays:
        of_disputes.add(stray)
    room = MOST_FINDINGS - len(findings)
    return Report(
        tables=of_tables,
        hands=of_hands,
        events=sums["events"],
        decisions=sums["decisions"],
        decks=sums["decks"],
        signed=sums["signed"],
        unsigned_hands=sums["unsigned_hands"],
        unsigned=tuple(unsigned),
        findings=(*findings, *of_disputes.findings[:room]),
        left_out=sums["left_out"] + of_disputes.left_out + len(of_disputes.findings[room:]),
        pending=tuple(pending),
        disputes=of_disputes.verdicts,
        dispute_events=of_disputes.events,
        failed_hands=tuple(of_disputes.failed_hands[:MOST_FINDINGS]),
    )
