"""Looks for the heads of an earlier backup or export: a log that has lost its newest events may look valid."""

# DECISIONS 65

from collections.abc import Iterable, Iterator
from typing import Final

from sqlalchemy import Connection, text

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.event_store.entries import place_name, stream_id_of
from service.event_store.export_format import StreamHead
from service.event_store.leaf import leaf_hash

_LEAF: Final = text("SELECT leaf FROM events WHERE stream_id = :stream_id AND position = :position")
_LAST: Final = text("SELECT max(position) FROM events WHERE stream_id = :stream_id")


def lost_heads(connection: Connection, heads: Iterable[StreamHead]) -> Iterator[Finding]:
    """Yield a finding for each of *heads* whose leaf the log does not have at the head's position.

    Events after a head are allowed.
    """
    for head in heads:
        stream_id = _stream_id(head.stream)
        found = _found(connection, stream_id, head.position) if stream_id else NOTHING
        if found != head.leaf_hash:
            yield Finding(
                table=place_name(stream_id) if stream_id else head.stream.removeprefix("table/"),
                position=head.position,
                check="log_must_hold_what_it_held",
                expected=f"position {head.position}, leaf hash {head.leaf_hash}",
                found=found if found == NOTHING or found.startswith("position") else f"leaf hash {found}",
            )


def _stream_id(name: str) -> bytes | None:
    """Return the id of the stream *name*; None: only another release has streams of this kind."""
    try:
        return stream_id_of(name)
    except ValueError:
        return None


def _found(connection: Connection, stream_id: bytes, position: int) -> str:
    """Return the hash of the leaf at *position* of a stream.

    If there is no such leaf, return the stream's last position in words, or NOTHING if the stream has no events.
    """
    values = {"stream_id": stream_id, "position": position}
    data = connection.execute(_LEAF, values).scalar()
    if data is not None:
        return leaf_hash(bytes(data)).hex()
    last = connection.execute(_LAST, values).scalar()
    return f"position {last} is the last" if last else NOTHING
