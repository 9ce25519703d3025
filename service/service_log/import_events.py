"""The events that record imports: which streams were imported, up to which head, and with which sealed values."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, select

from service.event_store.disclosure import FieldPlace
from service.event_store.entries import Head, place_name
from service.event_store.log_tables import sealed, streams
from service.service_log.service_events import TableImported

_VALUES_AT_ONCE: Final = 200


class ImportStep(Struct, frozen=True, kw_only=True):
    """A step of an import: the stream *stream_id* now has this *head*.

    *values* has the position and the field of each sealed value that the step stored. *origin* is the log that the
    imported file names; "": the file names no log. *imported_at* is the time at which the first import of the stream
    began.
    """

    stream_id: bytes
    origin: str
    head: Head
    imported_at: str
    values: Sequence[FieldPlace] = ()


def imported(step: ImportStep) -> TableImported:
    """Return the event of *step*."""
    return TableImported(
        table=place_name(step.stream_id),
        origin=step.origin,
        position=step.head.position,
        leaf_hash=step.head.hash.hex(),
        imported_at=step.imported_at,
        values=tuple(step.values),
    )


def adopted(connection: Connection) -> Iterator[TableImported]:
    """Yield events for the tables and disputes that were imported before the service's own stream began."""
    rows = select(streams).where(streams.c.imported_at.is_not(None)).order_by(streams.c.stream_id)
    for row in connection.execute(rows).all():
        stream_id, head = bytes(row.stream_id), Head(row.head, bytes(row.head_hash))
        places = sealed_places(connection, stream_id)
        for start in range(0, max(1, len(places)), _VALUES_AT_ONCE):
            values = places[start : start + _VALUES_AT_ONCE]
            yield imported(
                ImportStep(stream_id=stream_id, origin="", head=head, imported_at=row.imported_at, values=values)
            )


def sealed_places(connection: Connection, stream_id: bytes) -> list[FieldPlace]:
    """Return the places of all sealed values of a stream."""
    rows = select(sealed.c.position, sealed.c.field).where(sealed.c.stream_id == stream_id)
    return [(row.position, row.field) for row in connection.execute(rows.order_by(sealed.c.position, sealed.c.field))]
