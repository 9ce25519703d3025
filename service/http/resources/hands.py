"""`/v1/tables/{table}/hands`: the cards, decisions and payouts of each hand."""

from functools import partial
from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct, structs

from service.database.engines import reading
from service.disputes.hand_disputes import hand_disputes
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.resources.disputes.dispute_items import Judge
from service.http.responses.answers import json_response, linked
from service.projections import hand_history, lists
from service.projections.hand_history import HandItem, HandView
from service.projections.swap_guard import retry_after_swap

hands = Resource("hands", "The cards, decisions and payouts of each hand.")

_MOST_HANDS: Final = 2**31 - 1


class HandQuery(Struct, frozen=True):
    """Selects a page of hands."""

    after: Annotated[int, Meta(ge=0, le=_MOST_HANDS, description="Only hands with higher numbers.")] = 0
    limit: Annotated[int, Meta(ge=1, le=1000, description="The maximum number of hands on a page.")] = 100


class HandList(Struct, frozen=True):
    """A page of a table's hands in order, including the hand that is being played."""

    items: tuple[HandItem, ...]
    has_more: bool
    next: Annotated[int, Meta(description="The `after` of the next page.")]


@hands.get("/v1/tables/<table>/hands")
@hands.query(HandQuery)
@operation(
    hands, "list_hands", HandList, codes=(*READS, "table_must_be_intact", "table_must_exist"), headers=("ETag", "Link")
)
@retry_after_swap
def list_hands(query: HandQuery, table: str) -> Response:
    """List the hands of a table.

    The list includes the hand that is being played, whose `is_settled` is false and whose `last` is the table's
    position.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with (
        expensive.turn(is_expensive=expensive.is_long_list(query.limit)),
        reading(services().engine) as connection,
    ):
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        settled = lists.settled_hands(connection, stream_id, query.after, query.limit + 1)
    listed = [
        HandItem(hand=hand, first=first, last=last, is_settled=True)
        for hand, first, last in settled
        if last <= table_at.position
    ]
    if not listed:
        visible_tables.must_be_intact(table_at)
    if not table_at.broken_at and table_at.state.hand_is_running and table_at.state.hand > query.after:
        listed.append(hand_history.running(table_at))
    request_cost.add(len(listed) // request_cost.LINES_PER_UNIT)
    items = tuple(listed[: query.limit])
    answer = HandList(
        items, len(listed) > query.limit or table_at.broken_at > 0, items[-1].hand if items else query.after
    )
    return linked(json_response(answer, caller, position=table_at.position), answer, query.limit)


@hands.get("/v1/tables/<table>/hands/<int(max=2147483647):hand>")
@operation(
    hands,
    "get_hand",
    HandView,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "hand_must_exist"),
    headers=("ETag",),
)
@expensive.restarted_with_turn
@retry_after_swap
def get_hand(table: str, hand: int) -> Response:
    """Get a hand: its cards, its decisions, its payouts with their reasons, and the balances.

    A card that the caller may not see is `??`. Once a deck is retired, everybody may see every card that was dealt from
    the deck. The response names the disputes about the hand, with their outcomes, and the service's own verdict beside
    each outcome. A response with disputes has no ETag.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        item = hand_history.find(connection, table_at, hand)
        if item is None:
            visible_tables.must_be_intact(table_at)
            raise Problem("hand_must_exist")
        hidden = visible_tables.hidden(connection, table_at)
        seat = visible_tables.viewing_seat(table_at, caller)
        opening = services().tables.balances_at(connection, table_at, item.first - 1)
        view = hand_history.read(connection, services().log, table_at, item, opening, seat, hidden)
        judge = partial(Judge(connection).verdict, stream_id, hand)
        view = structs.replace(view, disputes=hand_disputes(connection, stream_id, hand, judge))
    # The ETag is the table's position. A dispute changes the view but not the position, so a view with disputes has no
    # ETag.
    return json_response(view, caller, position=None if view.disputes else table_at.position)
