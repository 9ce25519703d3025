"""Finds the streams that are shorter than they were: they have lost leaves that had an index or a known head."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, func, select

from service.event_store.entries import stream_name
from service.event_store.export_format import StreamHead
from service.event_store.log_tables import streams
from service.service_log.service_events import StreamShortened
from service.transparency.tree_tables import leaf_indexes

_INDEXED: Final = select(leaf_indexes.c.stream_id, func.max(leaf_indexes.c.position).label("last")).group_by(
    leaf_indexes.c.stream_id
)


def find(connection: Connection, heads: Iterable[StreamHead]) -> list[StreamShortened]:
    """Return the streams that end before their last index or before one of *heads*, by name.

    An older database that was restored has no index of the leaves that it lacks, so only *heads* can show these.
    """
    reached = {stream_name(bytes(row.stream_id)): row.last for row in connection.execute(_INDEXED)}
    for head in heads:
        reached[head.stream] = max(head.position, reached.get(head.stream, 0))
    rows = connection.execute(select(streams.c.stream_id, streams.c.head))
    present = {stream_name(bytes(row.stream_id)): row.head for row in rows}
    return [
        StreamShortened(stream=name, position=present.get(name, 0), earlier=earlier)
        for name, earlier in sorted(reached.items())
        if present.get(name, 0) < earlier
    ]
