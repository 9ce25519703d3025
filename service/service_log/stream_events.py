"""Reads the events of the service's own stream, page by page, without a check of the hash chain."""

from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Connection

from service.database.metadata import SERVICE_STREAM
from service.event_store import queries
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.leaf import Malformed
from service.service_log.service_events import (
    SERVICE_CODEC,
    LogOpened,
    ServiceEvent,
    TableArchived,
    TableImported,
    ValueErasedAt,
)

_PAGE: Final = 1_000
_OF_IDENTITY: Final = frozenset({"log_opened", "release_changed", "signing_key_changed"})
_OF_TABLE: Final = frozenset({"table_imported", "value_erased_at"})


def identities(connection: Connection) -> Iterator[ServiceEvent]:
    """Yield the events that name the log's origin, the key for receipts, or the release; skip unreadable leaves."""
    return (event for _, event in _of_types(connection, _OF_IDENTITY))


def erased_values(connection: Connection, table: str) -> frozenset[FieldPlace]:
    """Return the places of the erased values of *table*: an imported table, or the disputes of an imported table."""
    events = (event for _, event in _of_types(connection, {"value_erased_at"}))
    return frozenset(
        (event.position, event.field) for event in events if isinstance(event, ValueErasedAt) and event.table == table
    )


def archived_heads(connection: Connection) -> dict[str, tuple[int, str]]:
    """Return the position and leaf hash at which each archived stream ends in its newest archive.

    The keys of the dictionary are the ids of the tables, and of their streams of disputes.
    """
    events = (event for _, event in _of_types(connection, {"table_archived"}))
    return {one.table: (one.position, one.leaf_hash) for one in events if isinstance(one, TableArchived)}


def concerning(connection: Connection, origin: str, table: str, last: int) -> list[RecordedEvent]:
    """Return the events up to the position *last* that concern *table* in the log *origin*, in their order.

    They are the newest `log_opened` of *origin*, the changes of the release and of the key for receipts since then, and
    the imports and erasures of *table*. Unreadable leaves are left out.
    """
    of_log: list[RecordedEvent] = []
    of_table: list[RecordedEvent] = []
    for recorded, event in _of_types(connection, _OF_IDENTITY | _OF_TABLE):
        if recorded.position > last:
            break
        match event:
            case LogOpened():
                of_log = [recorded] if event.origin == origin else of_log
            case TableImported() | ValueErasedAt():
                of_table += [recorded] if event.table == table else []
            case _:
                of_log += [recorded] if of_log else []
    return sorted([*of_log, *of_table], key=lambda one: one.position)


def _of_types(connection: Connection, types: Collection[str]) -> Iterator[tuple[RecordedEvent, ServiceEvent]]:
    after = 0
    while page := _leaves(connection, after):
        for data in page:
            if SERVICE_CODEC.type_of(data) in {*types, ""}:
                try:
                    recorded = SERVICE_CODEC.decode(data)
                except Malformed:
                    continue
                if recorded.type in types and isinstance(recorded.event, ServiceEvent):
                    yield recorded, recorded.event
        after += len(page)


def _leaves(connection: Connection, after: int) -> list[bytes]:
    values = {"stream_id": SERVICE_STREAM, "after": after, "limit": _PAGE}
    return [bytes(data) for (data,) in queries.READ.all(connection, values)]
