"""Audits one table: its hash chain, decisions, decks, balances, sealed values, projections and snapshots."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, starmap
from typing import Final, Protocol

from msgspec import Struct
from sqlalchemy import Connection, text

from service import deck
from service.audit.checks.conservation import ConservationCheck
from service.audit.checks.decisions import DecisionCheck, HandVerdict
from service.audit.checks.deck_checks import DeckCheck
from service.audit.checks.leaves import ChainCheck, Row
from service.audit.checks.projection_rows import CHECKS as OF_PROJECTIONS, ProjectionCheck
from service.audit.checks.sealed_rows import SealedFieldCheck, seeds, stored_fields
from service.audit.checks.seed_checks import SeedCheck
from service.audit.checks.snapshot_states import SnapshotCheck
from service.audit.disputes.dispute_verdicts import DisputesReport
from service.audit.findings import Finding
from service.audit.judging.disclosures import TYPES, Disclosures
from service.audit.pending import Pending, pending
from service.audit.verdicts import Verdict, worst
from service.database.sql import Sql
from service.deck import Shuffle
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import Head
from service.event_store.leaf import Malformed
from service.event_store.store import Log
from service.tables.fold import Step, table_id
from service.tables.replay import CannotReplay, commands

MOST_FINDINGS: Final = 100
"""The maximum number of findings that the report of one table lists; the report only counts further findings."""

_PAGE: Final = 1_000


def no_progress(*_numbers: int) -> None:
    """Ignore the progress."""


class Check(Protocol):
    """A check that reads the commands of a table in order, and yields findings."""

    def check_command(self, steps: Sequence[Step]) -> Iterable[Finding]:
        """Check the next command."""
        ...

    def check_end(self) -> Iterable[Finding]:
        """Check what can be checked only after the last command of the stream."""
        ...


class TableReport(Struct, frozen=True, kw_only=True):
    """The audit's report of one table.

    *signed*: the number of decisions with a signature. *findings* has at most MOST_FINDINGS findings; *left_out* is the
    number of further findings. *pending*: the reasons for the verdict PENDING. *disputes* has the audit of the table's
    disputes; None: the table has no disputes, or its disputes were not audited.
    """

    table: str
    verdict: Verdict
    events: int
    decisions: int
    decks: int
    hands: tuple[HandVerdict, ...]
    signed: int = 0
    findings: tuple[Finding, ...]
    left_out: int = 0
    pending: Pending | None = None
    disputes: DisputesReport | None = None


class _Unreadable(Exception):
    """A leaf cannot be decoded, so no later event can be folded."""


class _Findings:
    """Collects up to MOST_FINDINGS different findings, and counts further findings in `left_out`."""

    def __init__(self) -> None:
        self.collected: dict[Finding, None] = {}
        self.left_out = 0
        self.failed: set[int] = set()
        """The positions of failed checks; not those of projections and snapshots, which affect no hand's verdict."""
        self.verdict = Verdict.CLEAN

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.verdict = worst((self.verdict, finding.verdict))
            if finding.verdict is Verdict.FAILED and finding.check not in OF_PROJECTIONS:
                self.failed.add(finding.position)
            if finding in self.collected:
                continue
            if len(self.collected) < MOST_FINDINGS:
                self.collected[finding] = None
            else:
                self.left_out += 1


def audit_table(  # noqa: PLR0913  # The parameters are what to check, the dependencies, and the progress.
    connection: Connection,
    stream_id: bytes,
    log: Log,
    codec: Codec,
    *,
    shuffle: Shuffle = deck.shuffle,
    on_progress: Callable[[int], None] = no_progress,
) -> TableReport:
    """Check the table of *stream_id*, page by page, in the transaction of *connection*.

    Before each page of events, this function calls *on_progress* with the number of checked events.
    """
    disclosures = _read_disclosures(connection, stream_id, codec)
    table, sealed = table_id(stream_id), seeds(connection, log, stream_id, disclosures, shuffle)
    chain, findings, rows = ChainCheck(stream_id, codec), _Findings(), rows_of(connection, stream_id, on_progress)
    fields = partial(stored_fields, connection, log, stream_id)
    rules = DecisionCheck(table, disclosures, sealed.lost_epochs, shuffle, fields)
    checks: tuple[Check, ...] = (
        rules,
        DeckCheck(table, disclosures, rules.known, sealed.live),
        SeedCheck(table),
        ConservationCheck(table),
        SealedFieldCheck(connection, log, stream_id, disclosures.erased),
        ProjectionCheck(connection, stream_id),
        SnapshotCheck(connection, log, stream_id),
    )
    findings.add(sealed.findings)
    try:
        _check_all(checks, commands(stream_id, _read(rows, chain, findings)), findings)
    except CannotReplay as failure:
        findings.add(rules.break_off(failure))
    except _Unreadable:
        pass  # `ChainCheck` has yielded a finding for the leaf.
    for row in rows:
        findings.add(chain.check_row(row))
    findings.add(chain.check_end(head_of(connection, stream_id)))
    verdict = worst((rules.verdict, findings.verdict))
    return TableReport(
        table=table,
        verdict=verdict,
        events=chain.rows,
        decisions=rules.decisions,
        signed=rules.signed,
        decks=len(disclosures.opened),
        hands=tuple(rules.hands(findings.failed)),
        findings=tuple(findings.collected),
        left_out=findings.left_out,
        pending=pending(table, disclosures) if verdict is Verdict.PENDING else None,
    )


def _check_all(checks: Sequence[Check], streamed: Iterable[Sequence[Step]], findings: _Findings) -> None:
    for steps in streamed:
        for check in checks:
            findings.add(check.check_command(steps))
    for check in checks:
        findings.add(check.check_end())


def _read(rows: Iterator[Row], chain: ChainCheck, findings: _Findings) -> Iterator[RecordedEvent]:
    for row in rows:
        findings.add(chain.check_row(row))
        if chain.recorded is None:
            raise _Unreadable
        yield chain.recorded


def _read_disclosures(connection: Connection, stream_id: bytes, codec: Codec) -> Disclosures:
    """Read the stream's disclosures before the audit: the audit judges early decisions with seeds revealed later."""
    disclosures, types = Disclosures(), {*TYPES, ""}  # "" means that the type is known only after decoding
    for row in rows_of(connection, stream_id):
        if codec.type_of(row.leaf) in types or _SEALS in row.leaf:
            try:
                recorded = codec.decode(row.leaf)
            except Malformed:
                continue  # `ChainCheck` yields a finding for this leaf in the second pass.
            disclosures.add(recorded)
            for sealed in recorded.priv.values():
                types.update(sealed.until.open, sealed.until.never)
    return disclosures


def rows_of(
    connection: Connection, stream_id: bytes, on_progress: Callable[[int], None] = no_progress
) -> Iterator[Row]:
    """Yield the rows of a stream's events, page by page; call *on_progress* before each page."""
    after = 0
    for number in count():
        on_progress(number * _PAGE)
        values = {"stream_id": stream_id, "after": after, "limit": _PAGE}
        page = list(starmap(Row, _PAGE_OF_ROWS.all(connection, values)))
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].position


def head_of(connection: Connection, stream_id: bytes) -> Head | None:
    """Return the head row of a stream; None: the stream has no head row."""
    row = connection.execute(_HEAD, {"stream_id": stream_id}).first()
    return Head(row.head, row.head_hash) if row else None


_SEALS: Final = b'"priv":'
_PAGE_OF_ROWS: Final = Sql(
    "SELECT position, leaf, cmd FROM events WHERE stream_id = :stream_id AND position > :after"
    " ORDER BY position LIMIT :limit"
)
_HEAD: Final = text("SELECT head, head_hash FROM streams WHERE stream_id = :stream_id")
