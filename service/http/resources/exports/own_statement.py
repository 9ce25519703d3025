"""`/v1/me/statement`: what the caller has won, what corrections have adjusted, and what is owed, table by table."""

# DECISIONS 117 and 135

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from service.database.engines import reading
from service.database.spread.node_readers import Reached, read_reachable
from service.database.spread.spread_check import is_node_down
from service.event_store.quarantine import StreamCorrupted
from service.games.game import MOST_SEATS
from service.games.table_state import seat_of
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, request_cost
from service.http.request import visible_tables
from service.http.request.authentication import caller_with_scope
from service.http.request.context import Caller
from service.http.request.schemas import MOMENT
from service.http.request.services import services
from service.http.resources.disputes.owner_statements import OwnerStatement, owner_statements
from service.http.responses.answers import IsWhole, json_response, linked
from service.projections import lists, seats_and_invitations, statements
from service.projections.lists import ListedTable, TableFilter
from service.projections.swap_guard import retry_after_swap
from service.tables.fold import TableAt, table_id

_CURSOR: Final = f"{MOMENT}[.][0-9]{{3}}Z/tbl_[0-9a-f]{{32}}"

own_statement = Resource("own_statement", "The statement of the caller over all tables.")


class OwnStatementQuery(Struct, frozen=True):
    """Selects a page of tables."""

    after: Annotated[str, Meta(pattern=f"^({_CURSOR})?$", description="The `next` of the previous page.")] = ""
    limit: Annotated[int, Meta(ge=1, le=50, description="The maximum number of tables on a page.")] = 20


class OwnTableStatement(OwnerStatement, frozen=True, kw_only=True):
    """What the caller has won at one table, what corrections have adjusted, and the sum, which the caller is owed."""

    table: Annotated[str, Meta(description="The table's id.")]
    game: str
    status: Annotated[str, Meta(description="The status of the table: open, playing, finished or closed.")]
    opened_at: Annotated[str, Meta(description="When the table was opened.")]
    last_at: Annotated[str, Meta(description="The time of the table's last event.")]
    seat: Annotated[int, Meta(ge=0, le=MOST_SEATS, description="The caller's seat; 0: the caller has left.")]
    position: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The position of the table for which the sums hold.")]


class OwnStatement(Struct, frozen=True, kw_only=True):
    """A page of the caller's statement, the newest tables first."""

    items: Annotated[
        tuple[OwnTableStatement, ...],
        Meta(description="The caller's statements at each table: one for each unit in which anything is won or owed."),
    ]
    damaged: Annotated[
        tuple[str, ...],
        Meta(
            description="The ids of tables of this page whose log, or whose disputes, are damaged; `items` has no "
            "item of these tables."
        ),
    ]
    has_more: bool
    next: Annotated[str, Meta(description="The `after` of the next page.")]
    is_whole: IsWhole


@own_statement.get("/v1/me/statement")
@own_statement.query(OwnStatementQuery)
@operation(
    own_statement,
    "get_my_statement",
    OwnStatement,
    codes=(*READS, "key_must_be_given"),
    headers=("Link",),
)
def get_my_statement(query: OwnStatementQuery) -> Response:
    """Get what you have won at each of your tables, what corrections have adjusted, and the sum, which you are owed.

    A page is made from the tables that the owner of the key hosts, or at which the owner has or had a seat. A private
    table that you have left, and may no longer see, is shown as it was when you left: `status`, `last_at`, `position`
    and `winnings` are from that moment, and only `adjustments` also has later corrections. A page may have no item
    although `has_more` is true.
    """
    caller = caller_with_scope()
    with expensive.turn():
        listed, is_whole = _listed(query, caller)
        items, damaged = list[OwnTableStatement](), list[str]()
        for one in listed[: query.limit]:
            try:
                items += _statements(one, caller)
            except StreamCorrupted:
                damaged.append(table_id(one.stream_id))
            except DBAPIError as error:  # The disputes of a table may be at another node than the table.
                if not is_node_down(services().engine, error):
                    raise
                is_whole = False
    request_cost.add(len(listed))
    last = listed[: query.limit][-1] if listed else None
    page = OwnStatement(
        items=tuple(items),
        damaged=tuple(damaged),
        has_more=len(listed) > query.limit,
        next=f"{last.opened_at}/{table_id(last.stream_id)}" if last else query.after,
        is_whole=is_whole,
    )
    return linked(json_response(page, caller), page, query.limit)


@retry_after_swap
def _listed(query: OwnStatementQuery, caller: Caller) -> Reached[tuple[ListedTable, ...]]:
    at, _, table = query.after.partition("/")
    before = (at, bytes.fromhex(table.removeprefix("tbl_"))) if query.after else None
    table_filter = TableFilter(caller=caller.owner, all_tables=False, only_played=True)
    return read_reachable(
        services().engine, lambda reach: lists.newest_reachable(reach, table_filter, before, query.limit + 1)
    )


@retry_after_swap
def _statements(listed: ListedTable, caller: Caller) -> list[OwnTableStatement]:
    """Return the statements of the caller at one table, read in a transaction of their own.

    Raises:
        StreamCorrupted: the table's log, or the stream of its disputes, is damaged.
    """
    with reading(services().engine) as connection:
        table_at, last_at = services().tables.current(connection, listed.stream_id), listed.last_at
        if table_at is None:  # The table's import is not finished.
            return []
        visible_tables.must_be_intact(table_at)
        if has_left := not visible_tables.is_visible(table_at, caller):
            table_at, last_at = _as_left(connection, table_at, caller)
        position = table_at.position
        balances = statements.used_balances(connection, listed.stream_id, table_at.state.balances, position)
        owners, _ = owner_statements(connection, table_at, balances, position, has_later_corrections=has_left)
    return [
        OwnTableStatement(
            table=table_id(listed.stream_id),
            game=listed.game,
            status=table_at.state.status,
            opened_at=listed.opened_at,
            last_at=last_at,
            seat=seat_of(table_at.state, caller.owner),
            position=position,
            **{name: getattr(one, name) for name in OwnerStatement.__struct_fields__},
        )
        for one in owners
        if one.owner == caller.owner
    ]


def _as_left(connection: Connection, table_at: TableAt, caller: Caller) -> tuple[TableAt, str]:
    """Return the table as it was when *caller* last left a seat, and the time when *caller* left the seat."""
    position = seats_and_invitations.last_left(connection, table_at.stream_id, caller.owner)
    request_cost.add(request_cost.PAST_STATE_UNITS)
    past = services().tables.at_position(connection, table_at, position)
    assert past is not None  # noqa: S101 -- this tells mypy that the position exists
    (left,) = services().log.reader.read(connection, table_at.stream_id, position - 1, 1, head=table_at.head)
    return past, left.at
