"""`/v1/tables/{table}/me`: the caller's seat at a table, and the secret for its command ids (DECISIONS 48)."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.database.engines import reading
from service.event_store.entries import stream_name
from service.games.game import MOST_SEATS
from service.games.table_state import seat_of
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.request import visible_tables
from service.http.request.authentication import caller_with_scope
from service.http.request.services import services
from service.http.responses.answers import json_response
from service.tables.fold import table_id

me = Resource("me", "The caller's seat at a table, and the caller's command secret.")

_SECRET: Final = Meta(
    pattern="^[0-9a-f]{64}$",
    description=(
        "32 bytes in hex, for the caller alone. They are the key of an HMAC-SHA-256 over two lines: `chiptrail/cmd/v1` "
        "and an Idempotency-Key, each followed by a line feed. The result in hex is the `cmd` of the caller's command "
        "with that Idempotency-Key at this table."
    ),
)


class MyselfHere(Struct, frozen=True, kw_only=True):
    """The caller's id, seat, command secret and signing key at one table."""

    table: str
    owner: Annotated[str, Meta(description="The id of the caller: of the owner of the key.")]
    seat: Annotated[int, Meta(ge=0, le=MOST_SEATS, description="The caller's seat; 0: none.")]
    command_secret: Annotated[str, _SECRET]
    signing_key: Annotated[
        str,
        Meta(
            pattern="^([0-9a-f]{64})?$",
            description="The public key that verifies the signed actions of the caller's seat; empty: none.",
        ),
    ]


@me.get("/v1/tables/<table>/me")
@operation(
    me,
    "get_me",
    MyselfHere,
    codes=(*READS, "key_must_be_given", "scope_must_be_granted", "table_must_be_intact", "table_must_exist"),
    headers=("ETag",),
)
def get_me(table: str) -> Response:
    """Get the caller's seat at a table, and the caller's command secret, which no other owner can get.

    With the secret, anybody who guesses an Idempotency-Key of the caller can find the event of the command with that
    Idempotency-Key. So the request needs an API key with the scope `play`.
    """
    caller = caller_with_scope("play")
    stream_id = visible_tables.stream_of(table)
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
    seat = seat_of(table_at.state, caller.owner)
    myself = MyselfHere(
        table=table_id(stream_id),
        owner=caller.owner,
        seat=seat,
        command_secret=services().derivation.command_secret(caller.owner, stream_name(stream_id)).hex(),
        signing_key=table_at.state.signing_keys.get(seat, ""),
    )
    return json_response(myself, caller, position=table_at.position)
