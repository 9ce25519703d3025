"""Looks up the heads of an earlier backup or export, because a log that lost its newest events may look valid."""

# DECISIONS 65

from collections.abc import Iterable, Iterator
from typing import Final

from sqlalchemy import Connection, text

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.database.metadata import SERVICE_STREAM
from service.event_store.entries import stream_name
from service.event_store.export_format import StreamHead
from service.event_store.leaf import leaf_hash

_TABLE: Final = stream_name(b"")
_LEAF: Final = text("SELECT leaf FROM events WHERE stream_id = :stream_id AND position = :position")
_LAST: Final = text("SELECT max(position) FROM events WHERE stream_id = :stream_id")


def lost_heads(connection: Connection, heads: Iterable[StreamHead]) -> Iterator[Finding]:
    """Yield a finding for each of *heads* whose leaf is no longer in the log. The log may have later events."""
    for head in heads:
        found = _found(connection, head)
        if found != head.leaf_hash:
            yield Finding(
                table=head.stream.removeprefix("table/"),
                position=head.position,
                check="log_must_hold_what_it_held",
                expected=f"position {head.position}, leaf hash {head.leaf_hash}",
                found=found if found == NOTHING or found.startswith("position") else f"leaf hash {found}",
            )


def _found(connection: Connection, head: StreamHead) -> str:
    """Return the hash of the leaf at the position of *head*.

    If there is no such leaf, return the stream's last position in words, or NOTHING if the stream has no events.
    """
    try:
        of_service = head.stream == stream_name(SERVICE_STREAM)
        stream_id = SERVICE_STREAM if of_service else bytes.fromhex(head.stream.removeprefix(_TABLE))
    except ValueError:
        return NOTHING  # The head names no stream of this release; another release may have such streams.
    values = {"stream_id": stream_id, "position": head.position}
    data = connection.execute(_LEAF, values).scalar()
    if data is not None:
        return leaf_hash(bytes(data)).hex()
    last = connection.execute(_LAST, values).scalar()
    return f"position {last} is the last" if last else NOTHING
