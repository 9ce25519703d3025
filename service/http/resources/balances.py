"""`/v1/tables/{table}/balances` and `…/accounts/{account}/postings`: the ledger of a table."""

from collections.abc import Sequence
from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.database.engines import reading
from service.event_store.hash_chain import UNNAMED
from service.event_store.quarantine import Break
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem
from service.http.request import visible_tables
from service.http.request.authentication import current_caller
from service.http.request.services import services
from service.http.request.visible_tables import PositionQuery
from service.http.responses.answers import json_response, linked
from service.projections import statements
from service.projections.statements import Line
from service.projections.swap_guard import repeated
from service.tables.fold import TableAt

balances = Resource("balances", "The ledger of a table: what each account holds, and why.")

_CURSOR: Final = "^([0-9]{1,10}[.][0-9]{1,6})?$"


class BalanceList(Struct, frozen=True):
    """What every account of a table held at one position; an account that was not used yet is left out."""

    position: int
    balances: Annotated[dict[str, int], Meta(description="Whole chips or points, by account; their sum is zero.")]


class PostingQuery(Struct, frozen=True):
    """Which lines of a statement."""

    after: Annotated[str, Meta(pattern=_CURSOR, description="The `next` of the page before.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many at most.")] = 100


class Posting(Struct, frozen=True, kw_only=True):
    """One line of a statement."""

    position: int
    ordinal: Annotated[int, Meta(description="Which of the event's transfers, from 0.")]
    counterparty: str
    amount: Annotated[int, Meta(description="Above zero where the account received it.")]
    balance: Annotated[int, Meta(description="What the account held after it.")]
    unit: Annotated[str, Meta(description="chips or points.")]
    rule: str
    type: Annotated[str, Meta(description="The event's type.")]
    hash: Annotated[str, Meta(description="The event's leaf hash, in hex.")]


class Statement(Struct, frozen=True, kw_only=True):
    """An account, line by line."""

    account: str
    items: tuple[Posting, ...]
    has_more: bool
    next: Annotated[str, Meta(description="What to ask for next, as `after`.")]


@balances.get("/v1/tables/<table>/balances")
@balances.query(PositionQuery)
@operation(
    balances,
    "get_balances",
    BalanceList,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "position_must_exist"),
    headers=("ETag",),
)
@repeated
def get_balances(query: PositionQuery, table: str) -> Response:
    """Tell what every account holds, or held at a position.

    Accounts that were never used are left out, but for those that are there from the start, as scores are.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        position = visible_tables.checked_position(table_at, query.at)
        found = statements.balances(connection, stream_id, sorted(table_at.state.balances), position)
    return json_response(BalanceList(position, found), caller, position=position)


@balances.get("/v1/tables/<table>/accounts/<account>/postings")
@balances.query(PostingQuery)
@operation(
    balances,
    "list_postings",
    Statement,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "account_must_exist"),
    headers=("Link",),
)
@repeated
def list_postings(page: PostingQuery, table: str, account: str) -> Response:
    """Read the statement of an account: every posting with its rule and its event.

    Each line is one leg of a transfer, with the balance after it.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with (
        expensive.turn(is_expensive=expensive.is_long_list(page.limit)),
        reading(services().engine) as connection,
    ):
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        if account not in table_at.state.balances:
            visible_tables.must_be_intact(table_at)
            raise Problem("account_must_exist")
        found = statements.lines(connection, stream_id, account, _place(page.after), page.limit + 1)
        held = _held(connection, table_at, found)
    request_cost.add(len(found) // request_cost.LINES_PER_UNIT)
    items = tuple(_posting(line) for line in held[: page.limit])
    last = f"{items[-1].position}.{items[-1].ordinal}" if items else page.after
    statement = Statement(account=account, items=items, has_more=len(found) > len(items), next=last)
    return linked(json_response(statement, caller), statement, page.limit)


def _held(connection: Connection, table_at: TableAt, lines: Sequence[Line]) -> Sequence[Line]:
    """Return *lines* as far as their events are as they were hashed.

    Raises:
        StreamCorrupted: the first is not.
    """
    for number, line in enumerate(lines):
        following = line.following if line.position < table_at.position else None
        holds = line.is_recorded and services().log.is_named(line.leaf, following, table_at.head)
        if line.position > table_at.position or not holds:
            error = services().log.damaged(connection, table_at.stream_id, Break(line.position, UNNAMED))
            if number:
                return lines[:number]
            raise error
    return lines


def _place(cursor: str) -> tuple[int, int]:
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
