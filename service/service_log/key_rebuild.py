"""Corrects the rows of API keys that differ from what the service's own stream records."""

# DECISIONS 99

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import Connection, Engine, delete, insert, update

from service.api_keys import repository
from service.api_keys.key_tables import key_revocations, keys
from service.api_keys.repository import Key
from service.api_keys.sign_ins import sign_ins
from service.database.append_only import without_triggers
from service.database.engines import migrating
from service.service_log import key_events
from service.service_log.service_events import KeyEnded, KeyRecord
from service.service_log.service_log import ServiceLog


class RebuiltKeys(Struct, frozen=True):
    """How many keys were restored or corrected (*restored*), and how many unrecorded keys were removed (*removed*)."""

    restored: int = 0
    removed: int = 0


class _Wrong(Struct, frozen=True):
    """A key whose rows differ from its events.

    *stored* is the key in the database; None: its row is lost. *record* is the event that records the key, *end* the
    event that records the key's revocation; None: there is no such event.
    """

    stored: Key | None
    record: KeyRecord | None
    end: KeyEnded | None


def rebuild_keys(engine: Engine, service_log: ServiceLog) -> RebuiltKeys:
    """Correct the rows of keys and of their revocations in one transaction, where the rows differ from the events.

    Labels are in no event: a stored label stays as it is, and a key whose row was lost gets an empty label. To correct
    a row, the database role must own the tables.

    Raises:
        StreamCorrupted: the stream is damaged; nothing was changed.
    """
    with migrating(engine) as connection:
        if not service_log.is_open(connection):
            return RebuiltKeys()
        wrong = list(_wrong(connection, service_log))
        if wrong:
            with without_triggers(connection, keys.name, key_revocations.name):
                for one in wrong:
                    _correct(connection, one)
    removed = sum(one.record is None for one in wrong)
    return RebuiltKeys(restored=len(wrong) - removed, removed=removed)


def _wrong(connection: Connection, service_log: ServiceLog) -> Iterator[_Wrong]:
    state = service_log.locked_state(connection)
    stored = {repository.key_name(key.key_id): key for key in repository.all_keys(connection)}
    for name in sorted(stored.keys() | state.keys.keys()):
        _, record = state.keys.get(name, (0, None))
        _, end = state.ends.get(name, (0, None))
        one = _Wrong(stored.get(name), record, end)
        if not _is_as_recorded(one):
            yield one


def _is_as_recorded(one: _Wrong) -> bool:
    if one.stored is None or one.record is None:
        return False
    found, record = key_events.made(one.stored), one.record
    if any(getattr(found, name) != getattr(record, name) for name in KeyRecord.__struct_fields__):
        return False
    key = one.stored
    return one.end == (key_events.ended(key.key_id, by=key.revoked_by, at=key.revoked_at) if key.revoked_at else None)


def _correct(connection: Connection, one: _Wrong) -> None:
    """Change the rows of a key to what its events record; if no event records the key, delete the rows."""
    record = one.record
    key_id = one.stored.key_id if one.stored else bytes.fromhex(record.key.removeprefix("key_")) if record else b""
    connection.execute(delete(key_revocations).where(key_revocations.c.key_id == key_id))
    if record is None:
        connection.execute(delete(sign_ins).where(sign_ins.c.key_id == key_id))
        connection.execute(delete(keys).where(keys.c.key_id == key_id))
        return
    row = {
        "owner": record.owner,
        "scopes": " ".join(record.scopes),
        "secret_hash": bytes.fromhex(record.secret_hash),
        "made_by": record.made_by,
        "made_at": record.made_at,
        "expires_at": record.expires_at or None,
        "limits": " ".join(record.limits) or None,
    }
    if one.stored:
        connection.execute(update(keys).where(keys.c.key_id == key_id).values(row))
    else:
        connection.execute(insert(keys).values(key_id=key_id, label="", **row))
    if one.end:
        end = {"key_id": key_id, "revoked_by": one.end.ended_by, "revoked_at": one.end.ended_at}
        connection.execute(insert(key_revocations).values(end))
