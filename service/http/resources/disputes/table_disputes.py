"""`/v1/tables/{table}/disputes`: opens a dispute about a hand, lists the table's disputes, and shows one."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.database.engines import reading
from service.disputes import dispute_commands, disputes_table, stored_disputes
from service.disputes.dispute_commands import DisputeCommand
from service.games.game import PLAYER
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import IDEMPOTENCY_KEY, READS, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.schemas import schema_of
from service.http.request.services import services
from service.http.resources.disputes import dispute_requests, dispute_view, parties
from service.http.resources.disputes.dispute_items import Judge, ListedDispute, listed
from service.http.resources.disputes.dispute_requests import CREATED, SCOPES, STEP_CODES, STEP_HEADERS, DisputeDone
from service.http.resources.disputes.dispute_view import DisputeView
from service.http.responses.answers import json_response, linked
from service.projections.swap_guard import retry_after_swap

disputes = Resource("disputes", "The disputes about a table's hands: open, list and read them.")

MOST_DISPUTES: Final = 50
"""The maximum number of disputes on a page: the service decides the hand of each listed dispute again."""


class DisputeQuery(Struct, frozen=True):
    """Selects a page of a table's disputes."""

    after: Annotated[int, Meta(ge=0, le=2**31 - 1, description="Only disputes with higher numbers.")] = 0
    limit: Annotated[int, Meta(ge=1, le=MOST_DISPUTES, description="The maximum number of disputes on a page.")] = 20


class DisputeList(Struct, frozen=True):
    """A page of a table's disputes, in the order in which they were opened."""

    items: tuple[ListedDispute, ...]
    has_more: bool
    next: Annotated[int, Meta(description="The `after` of the next page.")]


@disputes.post("/v1/tables/<table>/disputes")
@disputes.body(
    schema_of(dispute_commands.OpenDispute),
    scopes=SCOPES[PLAYER],
    examples={
        "of a payout": {"hand": 1, "ground": "payout", "statement": "My hand was the better one."},
        "without a statement": {"hand": 1, "ground": "time"},
    },
)
@operation(
    disputes,
    "open_dispute",
    DisputeDone,
    status=CREATED,
    codes=tuple(code for code in STEP_CODES if code != "dispute_must_exist"),
    headers=("Location", *STEP_HEADERS),
    parameters=(IDEMPOTENCY_KEY,),
)
def open_dispute(command: DisputeCommand, table: str) -> Response:
    """Dispute a hand, as a player of the hand or as the host of the table.

    The dispute changes nothing at the table: play goes on, no time limit begins anew, and the table's position stays
    the same.
    """
    return dispute_requests.execute(table, 0, command, PLAYER, status=CREATED)


@disputes.get("/v1/tables/<table>/disputes")
@disputes.query(DisputeQuery)
@operation(
    disputes,
    "list_disputes",
    DisputeList,
    codes=(*READS, "table_must_be_intact", "table_must_exist"),
    headers=("Link",),
)
@retry_after_swap
def list_disputes(query: DisputeQuery, table: str) -> Response:
    """List the disputes of a table, in the order in which they were opened.

    Beside each outcome is the service's verdict on the hand: as it was recorded, and as it is now. A player who has
    left a private table gets the disputes about the hands that this player played.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.turn(), reading(services().engine) as connection:
        own = parties.own_disputes(connection, stream_id, caller)
        rows = disputes_table.rows_of(connection, stream_id, query.after, query.limit + 1, only=own)
        judge = Judge(connection)
        items = tuple(listed(row, judge) for row in rows[: query.limit])
    answer = DisputeList(items, len(rows) > query.limit, items[-1].dispute if items else query.after)
    return linked(json_response(answer, caller), answer, query.limit)


@disputes.get("/v1/tables/<table>/disputes/<int(max=2147483647):dispute>")
@operation(
    disputes,
    "get_dispute",
    DisputeView,
    codes=(*READS, "dispute_must_exist", "table_must_be_intact", "table_must_exist"),
)
@retry_after_swap
def get_dispute(table: str, dispute: int) -> Response:
    """Get a dispute: its parties, its evidence, its steps, its outcome, and the service's own verdict on the hand.

    Only the players of the hand, the host and auditors get statements, answers and questions. Everybody who sees
    the table gets the reason of the decision.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.turn(), reading(services().engine) as connection:
        parties.must_see(connection, stream_id, dispute, caller)
        stored = stored_disputes.read_disputes(connection, services().desk.log, stream_id)
        found = stored.state.disputes.get(dispute)
        if found is None:
            raise Problem("dispute_must_exist")
        view = dispute_view.view(connection, stream_id, stored, found, caller)
    request_cost.add(len(stored.recorded) // request_cost.EVENTS_PER_UNIT)
    return json_response(view, caller)
