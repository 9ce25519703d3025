"""Reads the events of the service's own stream, page by page, without a check of the hash chain."""

from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Connection

from service.database.metadata import SERVICE_STREAM
from service.event_store import queries
from service.event_store.disclosure import FieldPlace
from service.event_store.leaf import Malformed
from service.service_log.service_events import SERVICE_CODEC, ServiceEvent, ValueErasedAt

_PAGE: Final = 1_000
_OF_IDENTITY: Final = frozenset({"log_opened", "release_changed", "signing_key_changed"})


def identities(connection: Connection) -> Iterator[ServiceEvent]:
    """Yield the events that name the log's origin, a key that signs, or the release; leave out unreadable leaves."""
    return _of_types(connection, _OF_IDENTITY)


def erased_values(connection: Connection, table: str) -> frozenset[FieldPlace]:
    """Return the places of the erased values of the imported *table*."""
    events = _of_types(connection, {"value_erased_at"})
    return frozenset(
        (event.position, event.field) for event in events if isinstance(event, ValueErasedAt) and event.table == table
    )


def _of_types(connection: Connection, types: Collection[str]) -> Iterator[ServiceEvent]:
    after = 0
    while page := _leaves(connection, after):
        for data in page:
            if SERVICE_CODEC.type_of(data) in {*types, ""}:
                try:
                    recorded = SERVICE_CODEC.decode(data)
                except Malformed:
                    continue
                if recorded.type in types and isinstance(recorded.event, ServiceEvent):
                    yield recorded.event
        after += len(page)


def _leaves(connection: Connection, after: int) -> list[bytes]:
    values = {"stream_id": SERVICE_STREAM, "after": after, "limit": _PAGE}
    return [bytes(data) for (data,) in queries.READ.all(connection, values)]
