"""Looks up a caller's earlier command by its Idempotency-Key."""

from service.database.engines import reading
from service.event_store.entries import stream_name
from service.http.request.context import Caller
from service.http.request.services import services


def recorded_at(stream_id: bytes, caller: Caller, key: str) -> str:
    """Return when *caller*'s command with the Idempotency-Key *key* was recorded, or "" if it was not recorded."""
    command_id = services().derivation.command_id(caller.owner, stream_name(stream_id), key)
    with reading(services().engine) as connection:
        decision = services().log.reader.decision(connection, stream_id, command_id)
    return decision.at if decision else ""
