"""`/v1/disputes`: the disputes of all tables, for auditors and approvers, and those of the caller's own tables."""

from itertools import chain
from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.database.engines import reading
from service.database.spread.node_readers import read_reachable
from service.disputes import disputes_table
from service.disputes.disputes_table import DisputeRow, Own, Place, place_of
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive
from service.http.request.authentication import caller_with_scope
from service.http.request.schemas import MOMENT
from service.http.request.services import services
from service.http.resources.disputes.dispute_items import Judge, ListedDispute, listed
from service.http.resources.disputes.table_disputes import MOST_DISPUTES
from service.http.responses.answers import IsWhole, json_response, linked
from service.projections import lists
from service.projections.swap_guard import retry_after_swap

all_disputes = Resource(
    "all_disputes", "The disputes of all tables, for auditors and approvers, and those of the caller's own tables."
)

_CURSOR: Final = f"{MOMENT}[.][0-9]{{3}}Z/tbl_[0-9a-f]{{32}}/[1-9][0-9]{{0,8}}"


class AllDisputesQuery(Struct, frozen=True, kw_only=True):
    """Selects a page of disputes."""

    after: Annotated[str, Meta(pattern=f"^({_CURSOR})?$", description="The `next` of the previous page.")] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST_DISPUTES, description="The maximum number of disputes on a page.")] = 20
    closed: Annotated[bool, Meta(description="List closed disputes instead of open ones.")] = False
    mine: Annotated[
        bool,
        Meta(
            description="Only disputes that the caller opened, and disputes of tables that the caller hosts or plays "
            "at. Such a request needs no scope."
        ),
    ] = False


class AllDisputes(Struct, frozen=True):
    """A page of disputes; the oldest first."""

    items: tuple[ListedDispute, ...]
    has_more: bool
    next: Annotated[str, Meta(description="The `after` of the next page.")]
    is_whole: IsWhole


@all_disputes.get("/v1/disputes")
@all_disputes.query(AllDisputesQuery)
@operation(
    all_disputes,
    "list_all_disputes",
    AllDisputes,
    codes=(*READS, "key_must_be_given", "scope_must_be_granted"),
    headers=("Link",),
)
@retry_after_swap
def list_all_disputes(query: AllDisputesQuery) -> Response:
    """List the open disputes, or with `closed` the closed disputes, of all tables, the oldest first.

    The request needs the scope `audit` or `approve`, unless `mine` is true: then any key is enough, and a player or a
    host finds the disputes of its own tables. A limited key lists only the disputes to which it is limited. A dispute
    with the outcome `fault` is open until its correction is approved. No step can follow at an imported table, so
    its open disputes are only in the table's own list.
    """
    caller = caller_with_scope() if query.mine else caller_with_scope("audit", "approve")
    after, only = _parse_cursor(query.after), [_parse_limit(limit) for limit in sorted(caller.limits)]

    def oldest(connection: Connection) -> tuple[DisputeRow, ...]:
        own = Own(caller.owner, lists.tables_of(connection, caller.owner)) if query.mine else None
        return disputes_table.oldest(connection, after, query.limit + 1, is_closed=query.closed, only=only, own=own)

    with expensive.turn():
        found, is_whole = read_reachable(services().engine, lambda reach: chain(*reach.each(oldest)))
        rows = sorted(found, key=place_of)
        with reading(services().engine) as connection:
            judge = Judge(connection)
            items = tuple(listed(row, judge) for row in rows[: query.limit])
    last = f"{items[-1].opened_at}/{items[-1].table}/{items[-1].dispute}" if items else query.after
    answer = AllDisputes(items, len(rows) > query.limit, last, is_whole)
    return linked(json_response(answer, caller), answer, query.limit)


def _parse_limit(limit: str) -> tuple[bytes, int]:
    table, _, number = limit.partition("/")
    return bytes.fromhex(table.removeprefix("tbl_")), int(number or 0)


def _parse_cursor(cursor: str) -> Place | None:
    if not cursor:
        return None
    at, table, number = cursor.split("/")
    return Place(opened_at=at, stream_id=bytes.fromhex(table.removeprefix("tbl_")), dispute=int(number))
