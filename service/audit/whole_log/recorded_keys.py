"""Compares the rows of API keys with the events that record them."""

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection

from service.api_keys import repository
from service.api_keys.repository import Key, key_name
from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.database.metadata import SERVICE_STREAM
from service.event_store.entries import place_name
from service.service_log import key_events
from service.service_log.service_events import KeyEnded, KeyRecord
from service.service_log.service_state import ServiceState

_MEMBERS: Final = tuple(name for name in KeyRecord.__struct_fields__ if name != "key")


def key_findings(connection: Connection, state: ServiceState) -> Iterator[Finding]:
    """Yield the differences between the rows of keys and *state*, the last state of the service's own stream."""
    stored: set[str] = set()
    for key in repository.all_keys(connection):
        stored.add(name := key_name(key.key_id))
        if name in state.keys:
            position, record = state.keys[name]
            yield from _differences(position, record, key)
        else:
            yield _finding(0, "key_must_be_on_record", NOTHING, _shown(key), name)
        yield from _of_end(state, key)
    for name, (position, record) in state.keys.items():
        if name not in stored:
            expected = f"a key of {record.owner}: {_listed(record.scopes)}"
            yield _finding(position, "recorded_key_must_be_there", expected, NOTHING, name)


def _differences(position: int, record: KeyRecord, key: Key) -> Iterator[Finding]:
    found = key_events.made(key)
    for member in _MEMBERS:
        ours, theirs = getattr(record, member), getattr(found, member)
        if ours != theirs:
            where = f"{record.key}: {member}"
            yield _finding(position, "key_must_be_as_recorded", _listed(ours), _listed(theirs), where)


def _of_end(state: ServiceState, key: Key) -> Iterator[Finding]:
    name = key_name(key.key_id)
    found = key_events.ended(key.key_id, by=key.revoked_by, at=key.revoked_at) if key.revoked_at else None
    if name not in state.ends:
        if found:
            yield _finding(0, "end_of_key_must_be_on_record", NOTHING, _end(found), name)
        return
    position, event = state.ends[name]
    if found is None:
        yield _finding(position, "ended_key_must_stay_ended", _end(event), NOTHING, name)
    elif found != event:
        yield _finding(position, "end_of_key_must_be_as_recorded", _end(event), _end(found), name)


def _end(event: KeyEnded) -> str:
    return f"ended by {event.ended_by} at {event.ended_at}"


def _listed(value: str | tuple[str, ...]) -> str:
    return (value if isinstance(value, str) else " ".join(value)) or NOTHING


def _shown(key: Key) -> str:
    return f"a key of {key.owner}: {_listed(key.scopes)}"


def _finding(position: int, check: str, expected: str, found: str, detail: str) -> Finding:
    return Finding(
        table=place_name(SERVICE_STREAM), position=position, check=check, expected=expected, found=found, detail=detail
    )
