"""`/v1/tables/{table}/me`: what the caller is at a table, and the secret that names its commands there."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.database.engines import reading
from service.event_store.entries import stream_name
from service.games.table_state import seat_of
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.request import visible_tables
from service.http.request.authentication import caller_with_scope
from service.http.request.services import services
from service.http.responses.answers import json_response
from service.tables.fold import table_id

me = Resource("me", "What the caller is at a table.")

_SECRET: Final = Meta(
    pattern="^[0-9a-f]{64}$",
    description=(
        "32 bytes in hex, for the caller alone: the HMAC-SHA-256 under it of the lines `chiptrail/cmd/v1` and an "
        "Idempotency-Key is the `cmd` of the caller's command under that key at this table."
    ),
)


class MyselfHere(Struct, frozen=True, kw_only=True):
    """The caller at one table."""

    table: str
    owner: Annotated[str, Meta(description="The caller's owner id.")]
    seat: Annotated[int, Meta(ge=0, le=52, description="The caller's seat; 0: none.")]
    command_secret: Annotated[str, _SECRET]


@me.get("/v1/tables/<table>/me")
@operation(
    me,
    "get_me",
    MyselfHere,
    codes=(*READS, "key_must_be_given", "scope_must_be_granted", "table_must_be_intact", "table_must_exist"),
    headers=("ETag",),
)
def get_me(table: str) -> Response:
    """Return the caller's seat at a table and its command secret, which nobody else can learn.

    The key must have the scope `play`: with the secret and a guess of an Idempotency-Key the key's holder can tell
    which of the table's events its owner made under it.
    """
    caller = caller_with_scope("play")
    stream_id = visible_tables.stream_of(table)
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
    found = MyselfHere(
        table=table_id(stream_id),
        owner=caller.owner,
        seat=seat_of(table_at.state, caller.owner),
        command_secret=services().derivation.command_secret(caller.owner, stream_name(stream_id)).hex(),
    )
    return json_response(found, caller, position=table_at.position)
