"""`/v1/tables/{table}/flows`: who paid whom, over a hand or a game."""

from typing import Annotated

from flask import Response
from msgspec import Meta, Struct

from service.database.engines import reading
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.responses.answers import json_response
from service.ledger import unit_of
from service.projections import flow_totals, hand_history
from service.projections.swap_guard import retry_after_swap

flows = Resource("flows", "Who paid whom at a table: the sums of all transfers between two accounts.")


class FlowQuery(Struct, frozen=True):
    """Selects a hand."""

    hand: Annotated[int, Meta(ge=0, le=2**31 - 1, description="The number of the hand; 0: the whole game so far.")] = 0


class Flow(Struct, frozen=True, kw_only=True):
    """The sum of the transfers from one account to another."""

    source: Annotated[str, Meta(description="The account that paid.")]
    target: Annotated[str, Meta(description="The account that received.")]
    unit: Annotated[str, Meta(description="The unit: chips or points.")]
    amount: Annotated[int, Meta(ge=1, le=2**63 - 1, description="The sum of the transfers.")]
    transfers: Annotated[int, Meta(ge=1, le=2**53 - 1, description="The number of the transfers.")]


class FlowList(Struct, frozen=True, kw_only=True):
    """All flows at a table, over a hand or over the game so far."""

    hand: Annotated[int, Meta(ge=0, le=2**31 - 1, description="The number of the hand; 0: the whole game so far.")]
    first: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the first event that counts.")]
    last: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the last event that counts.")]
    items: Annotated[tuple[Flow, ...], Meta(description="The flows, ordered by payer and receiver.")]


@flows.get("/v1/tables/<table>/flows")
@flows.query(FlowQuery)
@operation(
    flows,
    "get_flows",
    FlowList,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "hand_must_exist"),
    headers=("ETag",),
)
@retry_after_swap
def get_flows(query: FlowQuery, table: str) -> Response:
    """Get who paid whom: for each payer and receiver, the sum of the transfers of a hand or of the game so far.

    Each direction has its own sum: what `ante:2` paid to `stack:4`, and what `stack:4` paid to `ante:2`.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.turn(), reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        first, last = 1, table_at.position
        if query.hand:
            item = hand_history.find(connection, table_at, query.hand)
            if item is None:
                visible_tables.must_be_intact(table_at)
                raise Problem("hand_must_exist")
            first, last = item.first, item.last
        totals = flow_totals.flow_totals(connection, stream_id, first, last)
    request_cost.add((last - first) // request_cost.EVENTS_PER_UNIT)
    items = tuple(
        Flow(
            source=one.source,
            target=one.target,
            unit=unit_of(one.source),
            amount=one.amount,
            transfers=one.transfers,
        )
        for one in totals
    )
    answer = FlowList(hand=query.hand, first=first, last=last, items=items)
    return json_response(answer, caller, position=table_at.position)
