"""The events that record API keys: the database tables of keys are a projection of these events."""

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from service.api_keys.repository import Key, key_name
from service.service_log.service_events import KeyAdopted, KeyEnded, KeyMade, ServiceEvent


def made(key: Key) -> KeyMade:
    """Return the event that records the new *key*."""
    return KeyMade(**_members(key))


def adopted(key: Key) -> Iterator[ServiceEvent]:
    """Yield the events about *key*, which was made, and perhaps also revoked, before the service's own stream began."""
    yield KeyAdopted(**_members(key))
    if key.revoked_at:
        yield ended(key.key_id, by=key.revoked_by, at=key.revoked_at)


def ended(key_id: bytes, *, by: str, at: str) -> KeyEnded:
    """Return the event that records that the key with this id was revoked."""
    return KeyEnded(key=key_name(key_id), ended_by=by, ended_at=at)


def _members(key: Key) -> dict[str, Any]:
    members = structs.asdict(key)
    of_event = {name: members[name] for name in ("owner", "scopes", "made_by", "made_at", "expires_at", "limits")}
    return {"key": key_name(key.key_id), "secret_hash": key.secret_hash.hex(), **of_event}
