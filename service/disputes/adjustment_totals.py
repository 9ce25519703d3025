"""Sums the adjustment accounts of all tables, from the streams of disputes."""

from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, select

from service.disputes import stored_disputes
from service.disputes.dispute_events import DISPUTE_CODEC, CorrectionApproved
from service.event_store.entries import Head
from service.event_store.log_tables import IS_OF_DISPUTES, streams
from service.event_store.quarantine import Quarantine
from service.event_store.stream_reader import StreamReader

_HEADS: Final = select(streams.c.stream_id, streams.c.head, streams.c.head_hash).where(IS_OF_DISPUTES)


class AdjustmentTotal(Struct, frozen=True):
    """The number of adjustment *accounts*, of their *postings*, and the sum of their balances, which is zero."""

    accounts: int
    postings: int
    balance: int


def adjustment_total(connection: Connection) -> AdjustmentTotal:
    """Return the total over all tables; the work grows with the number of events in all streams of disputes.

    Raises:
        StreamCorrupted: a stream of disputes is damaged.
    """
    accounts = postings = balance = 0
    reader = StreamReader(DISPUTE_CODEC, Quarantine())
    for stream_id, head, head_hash in connection.execute(_HEADS).all():
        recorded = reader.read(connection, bytes(stream_id), head=Head(head, bytes(head_hash)))
        balances = stored_disputes.fold(recorded).balances
        approved = [one.event for one in recorded if isinstance(one.event, CorrectionApproved)]
        accounts += len(balances)
        postings += sum(2 * len(event.transfers) for event in approved)
        balance += sum(balances.values())
    return AdjustmentTotal(accounts, postings, balance)
