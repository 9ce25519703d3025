"""The lines of service.ndjson: the leaves of the service's own stream that concern a dossier, each with its proof."""

# DECISIONS 104

from collections.abc import Iterator

from sqlalchemy import Connection

from service.canonical import canonical
from service.database.metadata import SERVICE_STREAM
from service.dossier import log_lines
from service.event_store.entries import place_name
from service.service_log import stream_events
from service.transparency import tree
from service.transparency.checkpoint import Checkpoint


def lines(connection: Connection, stream_id: bytes, head: Checkpoint) -> bytes:
    """Return service.ndjson for a dossier of the table *stream_id* under the checkpoint *head*; it may be empty.

    The file has only leaves that *head* covers, so the same table and checkpoint give the same lines.

    Raises:
        StreamCorrupted, TreeDamaged: as for `log_lines.proved`.
    """
    return b"".join(canonical(line) + b"\n" for line in _lines(connection, stream_id, head))


def _lines(connection: Connection, stream_id: bytes, head: Checkpoint) -> Iterator[dict[str, object]]:
    last = tree.last_covered(connection, SERVICE_STREAM, head.size)
    for one in stream_events.concerning(connection, head.origin, place_name(stream_id), last):
        # The leaves of a stream have rising indexes, so the checkpoint covers all leaves up to *last*.
        line = log_lines.proved(connection, SERVICE_STREAM, one, head)
        if line:
            yield line
