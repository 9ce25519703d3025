"""Sums the adjustment accounts of all tables, from the streams of disputes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, select

from service.disputes.dispute_events import DISPUTE_CODEC, Adjustment, CorrectionApproved
from service.disputes.dispute_state import NO_DISPUTES, balances_after
from service.event_store.codec import RecordedEvent
from service.event_store.entries import Head
from service.event_store.log_tables import IS_OF_DISPUTES, streams
from service.event_store.quarantine import Quarantine
from service.event_store.stream_reader import StreamReader

_HEADS: Final = select(streams.c.stream_id, streams.c.head, streams.c.head_hash).where(IS_OF_DISPUTES)


class AdjustmentTotal(Struct, frozen=True):
    """How many adjustment *accounts* and *postings* there are in one *unit*.

    *balance* is the sum of the accounts' balances, which must be 0.
    """

    unit: str
    accounts: int
    postings: int
    balance: int


def adjustment_totals(connection: Connection) -> tuple[AdjustmentTotal, ...]:
    """Return the total of each unit over all tables; the work grows with the number of events of disputes.

    Raises:
        StreamCorrupted: a stream of disputes is damaged.
    """
    reader = StreamReader(DISPUTE_CODEC, Quarantine())
    return totals_of(
        _moved(reader.read(connection, bytes(stream_id), head=Head(head, bytes(head_hash))))
        for stream_id, head, head_hash in connection.execute(_HEADS).all()
    )


def totals_of(tables: Iterable[tuple[Adjustment, ...]]) -> tuple[AdjustmentTotal, ...]:
    """Return the total of each unit that has postings; *tables* has the approved adjustments of each table."""
    accounts, postings, balances = Counter[str](), Counter[str](), Counter[str]()
    for moved in tables:
        for account, balance in balances_after(NO_DISPUTES, moved).items():
            accounts[account.unit] += 1
            balances[account.unit] += balance
        for one in moved:
            postings[one.unit] += 2
    return tuple(AdjustmentTotal(unit, accounts[unit], postings[unit], balances[unit]) for unit in sorted(postings))


def _moved(recorded: Sequence[RecordedEvent]) -> tuple[Adjustment, ...]:
    approved = (one.event for one in recorded if isinstance(one.event, CorrectionApproved))
    return tuple(one for event in approved for one in event.transfers)
