"""`/v1/tables/{table}/balances` and `…/accounts/{account}/postings`: a table's ledger."""

from collections.abc import Sequence
from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.database.engines import reading
from service.event_store import hash_chain
from service.event_store.hash_chain import HASH_MISMATCH
from service.event_store.quarantine import ChainBreak
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.request.visible_tables import PositionQuery
from service.http.resources.disputes.owner_statements import OwnerStatement, owner_statements
from service.http.responses.answers import json_response, linked
from service.projections import statements
from service.projections.statements import Line
from service.projections.swap_guard import retry_after_swap
from service.tables.fold import TableAt

balances = Resource("balances", "The ledger of a table: the balances and the postings of its accounts.")

_CURSOR: Final = "^([0-9]{1,10}[.][0-9]{1,6})?$"


class BalanceList(Struct, frozen=True):
    """The balances of a table's accounts at one position; an account that no transfer has used so far is left out."""

    position: int
    balances: Annotated[
        dict[str, int], Meta(description="The balances in whole chips or points, by account; their sum is 0.")
    ]
    owners: Annotated[
        tuple[OwnerStatement, ...],
        Meta(description="What each owner has won, what corrections have adjusted, and the sum of both."),
    ]


class PostingQuery(Struct, frozen=True):
    """Selects a page of postings."""

    after: Annotated[str, Meta(pattern=_CURSOR, description="The `next` of the previous page.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The maximum number of postings on a page.")] = 100


class Posting(Struct, frozen=True, kw_only=True):
    """A posting: one side of a transfer, as a line of an account's statement, with the balance after the transfer."""

    position: int
    ordinal: Annotated[int, Meta(description="The number of the transfer in its event, from 0.")]
    counterparty: str
    amount: Annotated[
        int, Meta(description="The amount: positive if the account received it, negative if the account paid it.")
    ]
    balance: Annotated[int, Meta(description="The account's balance after the transfer.")]
    unit: Annotated[str, Meta(description="The unit: chips or points.")]
    rule: str
    type: Annotated[str, Meta(description="The type of the event.")]
    hash: Annotated[str, Meta(description="The leaf hash of the event, in hex.")]


class Statement(Struct, frozen=True, kw_only=True):
    """A page of an account's postings, in order."""

    account: str
    items: tuple[Posting, ...]
    has_more: bool
    next: Annotated[str, Meta(description="The `after` of the next page.")]


@balances.get("/v1/tables/<table>/balances")
@balances.query(PositionQuery)
@operation(
    balances,
    "get_balances",
    BalanceList,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "position_must_exist"),
    headers=("ETag",),
)
@retry_after_swap
def get_balances(query: PositionQuery, table: str) -> Response:
    """Get the balances of a table's accounts, at the table's present position or at an earlier position.

    An account without a transfer up to that position is left out; its balance is 0. `owners` has what each owner
    is owed: winnings, and adjustments by corrections that were approved up to that position. The response has no ETag
    if the table has disputes.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        position = visible_tables.checked_position(table_at, query.at)
        of_state = services().tables.balances_at(connection, table_at, position)
        by_account = statements.used_balances(connection, stream_id, of_state, position)
        owners, has_disputes = owner_statements(connection, table_at, by_account, position)
    # The ETag is the table's position. A correction changes the response but not the position, so a response about a
    # table with disputes has no ETag.
    tag = None if has_disputes else position
    return json_response(BalanceList(position, by_account, owners), caller, position=tag)


@balances.get("/v1/tables/<table>/accounts/<account>/postings")
@balances.query(PostingQuery)
@operation(
    balances,
    "list_postings",
    Statement,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "account_must_exist"),
    headers=("Link",),
)
@retry_after_swap
def list_postings(query: PostingQuery, table: str, account: str) -> Response:
    """List the postings of an account, each with its rule and its event.

    A posting is one side of a transfer, with the account's balance after the transfer.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with (
        expensive.turn(is_expensive=expensive.is_long_list(query.limit)),
        reading(services().engine) as connection,
    ):
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        if account not in table_at.state.balances:
            visible_tables.must_be_intact(table_at)
            raise Problem("account_must_exist")
        lines = statements.lines(connection, stream_id, account, _parse_cursor(query.after), query.limit + 1)
        intact = _intact(connection, table_at, lines)
    request_cost.add(len(lines) // request_cost.LINES_PER_UNIT)
    items = tuple(_posting(line) for line in intact[: query.limit])
    last = f"{items[-1].position}.{items[-1].ordinal}" if items else query.after
    statement = Statement(account=account, items=items, has_more=len(lines) > len(items), next=last)
    return linked(json_response(statement, caller), statement, query.limit)


def _intact(connection: Connection, table_at: TableAt, lines: Sequence[Line]) -> Sequence[Line]:
    """Return the *lines* before the first line whose event is damaged; if there is such a line, quarantine the stream.

    Raises:
        StreamCorrupted: the event of the very first line is damaged.
    """
    for number, line in enumerate(lines):
        following = line.following if line.position < table_at.position else None
        is_intact = line.is_recorded and hash_chain.matches_next(line.leaf, following, table_at.head)
        if line.position > table_at.position or not is_intact:
            error = services().log.reader.quarantine_stream(
                connection, table_at.stream_id, ChainBreak(line.position, HASH_MISMATCH)
            )
            if number:
                return lines[:number]
            raise error
    return lines


def _parse_cursor(cursor: str) -> tuple[int, int]:
    position, _, ordinal = cursor.partition(".")
    return (int(position), int(ordinal)) if cursor else (0, 0)


def _posting(line: Line) -> Posting:
    return Posting(
        position=line.position,
        ordinal=line.ordinal,
        counterparty=line.counterparty,
        amount=line.amount,
        balance=line.balance,
        unit=line.unit,
        rule=line.rule,
        type=line.type,
        hash=line.hash.hex(),
    )
