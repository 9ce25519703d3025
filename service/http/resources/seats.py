"""`/v1/tables/{table}/seats`: takes a seat at a table (DECISIONS 59)."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.api_keys import repository
from service.database.engines import reading
from service.games.common_commands import TakeSeat
from service.games.game import MOST_CHIPS, MOST_SEATS
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import IDEMPOTENCY_KEY, IF_MATCH, WRITES, operation
from service.http.problems.problem import Problem
from service.http.request import quotas, visible_tables
from service.http.request.authentication import caller_or_ended, caller_with_scope
from service.http.request.context import Caller
from service.http.request.parsing import idempotency_key
from service.http.request.recorded_commands import recorded_at
from service.http.request.schemas import schema_of
from service.http.request.services import services
from service.http.resources import command_requests
from service.http.resources.command_requests import Done, ExpandQuery
from service.http.responses.answers import LOG_CHECKPOINT

seats = Resource("seats", "The seats of a table: take a seat, and pay the buy-in.")

OWNER: Final = "^own_[0-9a-f]{32}$"


class Sitting(Struct, frozen=True, kw_only=True):
    """A seat to take."""

    chips: Annotated[
        int, Meta(ge=0, le=MOST_CHIPS, description="The number of chips to buy; 0 if the game has no chips.")
    ] = 0
    seat: Annotated[int, Meta(ge=0, le=MOST_SEATS, description="The number of the seat; 0: the lowest free seat.")] = 0
    player: Annotated[
        str,
        Meta(
            pattern=f"^({OWNER[1:-1]})?$",
            description="The owner to seat: an owner for whom the host has made a key (G.10). Empty: the caller.",
        ),
    ] = ""


@seats.post("/v1/tables/<table>/seats")
@seats.body(
    schema_of(Sitting),
    scopes=("play", "host"),
    examples={"any seat": {"chips": 50}, "a seat": {"chips": 50, "seat": 2}},
)
@seats.query(ExpandQuery)
@operation(
    seats,
    "take_seat",
    Done,
    status=201,
    codes=(
        *WRITES,
        "asker_must_be_the_host",
        "player_must_be_yours_to_seat",
        "position_must_be_well_formed",
        "position_must_match",
        "refused_by_the_rules",
        "seats_must_be_fewer",
        "table_must_be_intact",
        "table_must_be_played_here",
        "table_must_exist",
    ),
    headers=("ETag", "Idempotent-Replayed", LOG_CHECKPOINT),
    parameters=(IDEMPOTENCY_KEY, IF_MATCH),
)
def take_seat(sitting: Sitting, query: ExpandQuery, table: str) -> Response:
    """Take a seat and pay the buy-in: the caller takes the seat, or the host seats another owner.

    A host may seat only owners for whom the host has made a key, and can invite other owners by the action
    `invite_player`. Without `seat`, the player gets the lowest free seat. If the table has the option `buy_in`, the
    option's description says how many chips a player must buy.
    """
    is_own = sitting.player in {"", caller_or_ended().owner}
    caller = caller_with_scope("play" if is_own else "host", may_have_ended=True)
    command = TakeSeat(by="", player=sitting.player or caller.owner, chips=sitting.chips, seat=sitting.seat)
    stream_id = visible_tables.stream_of(table)
    if not is_own:
        _must_be_made_by(caller, stream_id, command.player)
    quotas.must_have_a_seat_left(stream_id, command.player, caller)
    return command_requests.execute(stream_id, command, caller, status=201, expand=query.expand)


def _must_be_made_by(caller: Caller, stream_id: bytes, owner: str) -> None:
    """Check that *caller* has made a key for *owner* (G.10). The problem does not show whether the owner exists.

    Raises:
        Problem: *caller* has made no key for *owner*, and the command is not a repeat.
    """
    with reading(services().engine) as connection:
        has_made = repository.has_made(connection, caller.owner, owner)
    if not has_made and not recorded_at(stream_id, caller, idempotency_key()):
        raise Problem("player_must_be_yours_to_seat")
