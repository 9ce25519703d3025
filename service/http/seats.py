"""`/v1/tables/{table}/seats`: sitting down."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.games.commands import TakeSeat
from service.games.game import MOST_CHIPS
from service.http import commands, keybook, known, quotas
from service.http.commands import Done, Expand
from service.http.fields import fault
from service.http.identity import asker_or_ended, asker_with
from service.http.operations import IDEMPOTENCY_KEY, IF_MATCH, WRITES, operation
from service.http.parts import here
from service.http.problems import shape_problem
from service.http.resources import Resource
from service.http.shapes import shape
from service.log.database import reading

seats = Resource("seats", "Seats: taken with a buy-in.")

OWNER: Final = "^own_[0-9a-f]{32}$"


class Sitting(Struct, frozen=True, kw_only=True):
    """Somebody who sits down."""

    chips: Annotated[
        int, Meta(ge=0, le=MOST_CHIPS, description="How many chips are bought; 0 where the game has none.")
    ] = 0
    seat: Annotated[int, Meta(ge=0, le=52, description="Which seat; 0: the lowest that is free.")] = 0
    player: Annotated[
        str, Meta(pattern=f"^({OWNER[1:-1]})?$", description="For whom the host asks, an owner's id; empty: the asker.")
    ] = ""


@seats.post("/v1/tables/<table>/seats")
@seats.body(shape(Sitting), examples={"any seat": {"chips": 50}, "a seat": {"chips": 50, "seat": 2}})
@seats.query(Expand)
@operation(
    seats,
    "take_seat",
    Done,
    status=201,
    codes=(
        *WRITES,
        "asker_must_be_the_host",
        "position_must_be_well_formed",
        "position_must_match",
        "refused_by_the_rules",
        "seats_must_be_fewer",
        "table_must_be_intact",
        "table_must_be_played_here",
        "table_must_exist",
    ),
    headers=("ETag", "Idempotent-Replayed"),
    parameters=(IDEMPOTENCY_KEY, IF_MATCH),
)
def take_seat(sitting: Sitting, query: Expand, table: str) -> Response:
    """Take a seat with a buy-in: a player for itself, or the table's host for a player."""
    is_own = sitting.player in {"", asker_or_ended().owner}
    who = asker_with("play" if is_own else "host", may_have_ended=True)
    if not is_own:
        _must_be_somebody(sitting.player)
    command = TakeSeat(by="", player=sitting.player or who.owner, chips=sitting.chips, seat=sitting.seat)
    stream_id = known.stream_of(table)
    quotas.must_have_a_seat_left(stream_id, command.player, who)
    return commands.do(stream_id, command, who, status=201, expand=query.expand)


def _must_be_somebody(owner: str) -> None:
    """Seat nobody who could never act.

    Raises:
        Problem: no key belongs to *owner*.
    """
    with reading(here().engine) as connection:
        if not keybook.of_owner(connection, owner):
            raise shape_problem([("/player", fault("value_must_be_one_of_those_known", "Nobody has this id."))])
