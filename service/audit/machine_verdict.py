"""The service's verdict on one hand of a stored table; disputes record and show this verdict."""

from functools import partial
from typing import Final

from sqlalchemy import Connection

from service.audit.checks.sealed_rows import stored_fields
from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.disputes.dispute_events import MachineVerdict
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.tables.cache import TableCache
from service.tables.fold import TableAt

_FAILED: Final = "failed"


def machine_verdict(
    log: Log, tables: TableCache, connection: Connection, table_at: TableAt, hand: int
) -> MachineVerdict:
    """Decide hand number *hand* again, and return the verdict.

    If the hash chain of the stream is broken, the verdict is "failed".

    Raises:
        LookupError: the table has no such hand.
    """
    fields = partial(stored_fields, connection, log, table_at.stream_id)
    try:
        return adjudicate_stored_hand(connection, log, tables, table_at, hand, fields).verdict.value
    except StreamCorrupted:
        return _FAILED
