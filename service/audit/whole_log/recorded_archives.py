"""Compares the archived tables with the events that record them: an archive removes nothing from the log."""

# DECISIONS 122

from collections.abc import Iterator

from msgspec.structs import replace
from sqlalchemy import Connection

from service.audit.findings import Finding
from service.audit.lost_heads import lost_heads
from service.event_store.entries import stream_name
from service.event_store.export_format import StreamHead
from service.service_log.service_state import ServiceState


def archive_findings(connection: Connection, state: ServiceState) -> Iterator[Finding]:
    """Yield a finding for each archived stream whose leaf at the archived position is missing or differs."""
    for _, event in state.archives.values():
        head = StreamHead(stream_name(bytes.fromhex(event.table.partition("_")[2])), event.position, event.leaf_hash)
        for finding in lost_heads(connection, [head]):
            yield replace(finding, check="archived_leaf_must_be_there")
