"""Audits the disputes of one stored table: the chain, every step, the sealed texts, and the rows of `disputes`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from sqlalchemy import Connection, bindparam, select, union_all

from service.audit.checks.leaves import ChainCheck, Row
from service.audit.checks.sealed_rows import SealedFieldCheck, stored_fields
from service.audit.differences import NOTHING
from service.audit.disputes.dispute_verdicts import DisputesReport, DisputeVerdict
from service.audit.disputes.step_check import StepCheck
from service.audit.disputes.table_history import TableHistory
from service.audit.findings import Finding
from service.audit.table_audit import MOST_FINDINGS, TableReport, head_of, rows_of
from service.audit.verdicts import Verdict
from service.database.metadata import LAST_TABLE
from service.disputes import disputes_table
from service.disputes.dispute_events import DISPUTE_CODEC, DisputeOpened, DisputeValueErased
from service.disputes.dispute_state import Dispute, Disputes
from service.disputes.disputes_table import disputes
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import disputes_stream, place_name
from service.event_store.leaf import Malformed
from service.event_store.log_tables import events, sealed, streams
from service.event_store.store import Log

CHECK: Final = "disputes_must_equal_a_rebuild"


def audit_disputes(
    connection: Connection, table_stream: bytes, log: Log, codec: Codec, table: TableReport
) -> DisputesReport | None:
    """Return the report on the disputes of the table that *table* reports on.

    Return None if the table has no stream of disputes and no rows in the list of disputes. *codec* decodes the events
    of tables. The memory use grows with the number of the table's events.
    """
    stream_id = disputes_stream(table_stream)
    if connection.execute(_HAS, {"stream_id": stream_id, "table": table_stream}).first() is None:
        return None
    chain, findings, recorded = ChainCheck(stream_id, DISPUTE_CODEC), list[Finding](), list[RecordedEvent]()
    is_readable = True
    for row in rows_of(connection, stream_id):
        findings += chain.check_row(row)
        is_readable = is_readable and chain.recorded is not None
        recorded += [chain.recorded] if is_readable and chain.recorded else []
    findings += chain.check_end(head_of(connection, stream_id))
    findings += _of_import(connection, log, table_stream, stream_id)
    history = _history(connection, table_stream, log, codec)
    check = StepCheck(place_name(stream_id), history)
    of_texts = SealedFieldCheck(connection, log, stream_id, erased_in(recorded))
    for one in recorded:
        findings += check.check(one)
        findings += of_texts.check_event(one)
    findings += check.check_end()
    findings += unbalanced(place_name(stream_id), len(recorded), check.state)
    findings += _of_rows(connection, table_stream, check.state)
    findings = list(dict.fromkeys(findings))
    verdict = Verdict.FAILED if findings else Verdict.CLEAN
    hands = {hand.hand: hand.verdict for hand in table.hands}
    return DisputesReport(
        events=chain.rows,
        disputes=tuple(_verdict(table.table, one, hands, verdict) for one in check.state.disputes.values()),
        findings=tuple(findings[:MOST_FINDINGS]),
        left_out=len(findings[MOST_FINDINGS:]),
    )


def strays(connection: Connection) -> Iterator[DisputesReport]:
    """For each stream of disputes that belongs to no table of the log, yield a report with a finding.

    Also yield such a report for each table that has rows in the list of disputes, but no head row. `audit_disputes`
    checks the disputes of all other tables.
    """
    for stream_id in sorted({bytes(one) for one in connection.scalars(_ALL)}):
        first = connection.scalar(select(events.c.leaf).where(events.c.stream_id == stream_id, events.c.position == 1))
        table = _table_of(first)
        if disputes_stream(table) != stream_id or connection.execute(_IS_THERE, {"table": table}).first() is None:
            finding = Finding(
                table=place_name(stream_id),
                position=1 if first else 0,
                check="disputes_must_belong_to_a_table",
                expected="a table of the log whose disputes have this stream",
                found=place_name(table) if table else NOTHING,
            )
            yield DisputesReport(findings=(finding,))
    for table in connection.scalars(_ROWS):
        place = place_name(bytes(table))
        yield DisputesReport(
            findings=(Finding(table=place, position=0, check=CHECK, expected=NOTHING, found="rows of disputes"),)
        )


def erased_in(recorded: Sequence[RecordedEvent]) -> frozenset[tuple[int, str]]:
    """Return the places of the texts whose erasures are among the events *recorded*."""
    erasures = (one.event for one in recorded)
    return frozenset((one.position, one.field) for one in erasures if isinstance(one, DisputeValueErased))


def unbalanced(place: str, position: int, state: Disputes) -> Iterator[Finding]:
    """Yield a finding for each unit in which the adjustment accounts don't sum to zero after *position*."""
    for unit in sorted({account.unit for account in state.balances}):
        total = sum(balance for account, balance in state.balances.items() if account.unit == unit)
        if total:
            yield Finding(
                table=place,
                position=position,
                check="adjustments_must_balance",
                expected="0",
                found=str(total),
                detail=unit,
            )


def _history(connection: Connection, table_stream: bytes, log: Log, codec: Codec) -> TableHistory:
    """Return the history of the table before its first event that can't be read."""
    recorded = tuple(_readable(rows_of(connection, table_stream), codec))
    return TableHistory(table_stream, recorded, partial(stored_fields, connection, log, table_stream))


def _readable(rows: Iterable[Row], codec: Codec) -> Iterator[RecordedEvent]:
    """Yield the events before the first leaf that can't be read; the audit of the table reports that leaf."""
    for row in rows:
        try:
            recorded = codec.decode(row.leaf)
        except Malformed:
            return
        yield recorded


def _of_import(connection: Connection, log: Log, table_stream: bytes, stream_id: bytes) -> Iterator[Finding]:
    of_table, of_disputes = (bool(log.imported_at(connection, one)) for one in (table_stream, stream_id))
    if of_table != of_disputes and head_of(connection, stream_id):
        expected, found = ("imported" if one else "recorded here" for one in (of_table, of_disputes))
        check = "disputes_must_be_recorded_with_the_table"
        yield Finding(table=place_name(stream_id), position=0, check=check, expected=expected, found=found)


def _of_rows(connection: Connection, table_stream: bytes, state: Disputes) -> Iterator[Finding]:
    """Compare the rows of the list of disputes with the rows that follow from the stream."""
    ours = {number: disputes_table.row_of(table_stream, one) for number, one in state.disputes.items()}
    theirs = {row.dispute: row for row in disputes_table.rows_of(connection, table_stream)}
    for number in sorted(ours.keys() | theirs.keys()):
        expected, found = ours.get(number), theirs.get(number)
        if expected != found:
            yield Finding(
                table=place_name(disputes_stream(table_stream)),
                position=state.disputes[number].position if number in state.disputes else 0,
                check=CHECK,
                expected=_members(expected, found),
                found=_members(found, expected),
                detail=f"dispute {number}",
            )


def _members(row: disputes_table.DisputeRow | None, other: disputes_table.DisputeRow | None) -> str:
    """Return as text the members of *row*, without `stream_id`, whose values differ from those of *other*.

    If *other* is None, return all members. If *row* is None, return NOTHING.
    """
    if row is None:
        return NOTHING
    names = [name for name in row.__struct_fields__ if other is None or getattr(row, name) != getattr(other, name)]
    return ", ".join(f"{name} {getattr(row, name)}" for name in names if name != "stream_id")


def _verdict(table: str, dispute: Dispute, hands: Mapping[int, Verdict], verdict: Verdict) -> DisputeVerdict:
    return DisputeVerdict(
        table=table,
        dispute=dispute.number,
        hand=dispute.hand,
        ground=dispute.ground,
        status=dispute.status,
        outcome=dispute.outcome,
        recorded=dispute.verdict.verdict,
        hand_verdict=hands.get(dispute.hand, Verdict.FAILED),
        verdict=verdict,
    )


def _table_of(leaf: bytes | None) -> bytes:
    """Return the id of the table that the first *leaf* of a stream of disputes names, or b"" if it names no table."""
    try:
        event = DISPUTE_CODEC.decode(leaf).event if leaf else None
    except Malformed:
        return b""
    return bytes.fromhex(event.table.removeprefix("tbl_")) if isinstance(event, DisputeOpened) else b""


_HAS: Final = union_all(
    *(select(table.c.stream_id).where(table.c.stream_id == bindparam("stream_id")) for table in (streams, events)),
    select(disputes.c.stream_id).where(disputes.c.stream_id == bindparam("table")),
).limit(1)
_ALL: Final = union_all(
    *(select(table.c.stream_id).where(table.c.stream_id > LAST_TABLE).distinct() for table in (streams, events, sealed))
)
_IS_THERE: Final = union_all(
    *(select(table.c.stream_id).where(table.c.stream_id == bindparam("table")) for table in (streams, events))
).limit(1)
_ROWS: Final = select(disputes.c.stream_id).where(disputes.c.stream_id.not_in(select(streams.c.stream_id))).distinct()
