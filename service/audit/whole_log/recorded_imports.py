"""Compares the imported tables, and their sealed values, with the events that record them."""

from collections.abc import Iterator

from sqlalchemy import Connection, Row, select

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.event_store.entries import place_name
from service.event_store.log_tables import streams
from service.service_log import import_events
from service.service_log.service_events import TableImported
from service.service_log.service_state import ServiceState


def import_findings(connection: Connection, state: ServiceState) -> Iterator[Finding]:
    """Yield the differences between the imported tables and *state*, the last state of the service's own stream.

    A finding names the table and a position: the position of a sealed value, or of the recorded or the stored head. If
    the times of the import differ, the position is 0.
    """
    imported = select(streams).where(streams.c.imported_at.is_not(None)).order_by(streams.c.stream_id)
    stored = {place_name(bytes(row.stream_id)): row for row in connection.execute(imported)}
    for table, row in stored.items():
        if table in state.imports:
            yield from _of_head(state.imports[table][1], row)
            yield from _of_values(connection, state, table, bytes(row.stream_id))
        else:
            yield _finding(table, row.head, "import_must_be_on_record", NOTHING, f"imported at {row.imported_at}")
    for table, (_, event) in state.imports.items():
        if table not in stored:
            expected = f"a table imported at {event.imported_at}"
            yield _finding(table, event.position, "recorded_import_must_be_there", expected, NOTHING)


def has_imports(connection: Connection) -> bool:
    """Return whether the database has an imported table."""
    return (
        connection.execute(select(streams.c.head).where(streams.c.imported_at.is_not(None)).limit(1)).first()
        is not None
    )


def _of_head(event: TableImported, row: Row[tuple[object, ...]]) -> Iterator[Finding]:
    expected = f"position {event.position}, leaf hash {event.leaf_hash}"
    found = f"position {row.head}, leaf hash {bytes(row.head_hash).hex()}"
    if found != expected:
        yield _finding(event.table, event.position, "imported_head_must_be_on_record", expected, found)
    if row.imported_at != event.imported_at:
        where = "streams: imported_at"
        yield _finding(event.table, 0, "import_must_be_on_record", event.imported_at, row.imported_at, where)


def _of_values(connection: Connection, state: ServiceState, table: str, stream_id: bytes) -> Iterator[Finding]:
    recorded = state.values.get(table, {}).keys()
    stored = set(import_events.sealed_places(connection, stream_id))
    for position, field in sorted(recorded - stored):
        yield _finding(table, position, "imported_value_must_be_kept", "a sealed value, or its erasure", NOTHING, field)
    for position, field in sorted(stored - recorded):
        yield _finding(table, position, "imported_value_must_be_on_record", NOTHING, "a sealed value", field)


def _finding(table: str, position: int, check: str, expected: str, found: str, detail: str = "") -> Finding:  # noqa: PLR0913 -- the members of a finding
    return Finding(table=table, position=position, check=check, expected=expected, found=found, detail=detail)
