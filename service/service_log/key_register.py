"""Makes and revokes API keys; one transaction writes each change of a key and the event that records the change."""

from sqlalchemy import Connection

from service.api_keys import repository
from service.api_keys.repository import Key
from service.service_log import key_events
from service.service_log.service_log import ServiceLog


def make_key(connection: Connection, service_log: ServiceLog, key: Key) -> bool:
    """Store and record *key*; return False if a stored key has the same id."""
    service_log.open_if_needed(connection)
    is_new = repository.add(connection, key)
    if is_new:
        service_log.append(connection, [key_events.made(key)])
    return is_new


def end_key(connection: Connection, service_log: ServiceLog, key_id: bytes, *, by: str, at: str) -> None:
    """Revoke a key, and record the revocation.

    If the key is revoked already, COMMIT waits until the earlier revocation is durable.
    """
    service_log.open_if_needed(connection)
    if repository.revoke(connection, key_id, by=by, at=at):
        service_log.append(connection, [key_events.ended(key_id, by=by, at=at)])
