"""`/v1/tables/{table}`: a table as one caller may see it."""

from typing import Annotated, Any

from flask import Response
from msgspec import Meta, Struct, to_builtins
from sqlalchemy import Connection

from service.database.engines import reading
from service.games.common_commands import OptionValue, Visibility
from service.games.credit import Credit, credit
from service.games.table_state import TableState, balance_of
from service.http.openapi import view_union
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive
from service.http.request import deadlines, visible_tables
from service.http.request.authentication import current_caller
from service.http.request.context import Caller
from service.http.request.deadlines import SECONDS_LEFT, DueAt
from service.http.request.services import services
from service.http.request.visible_tables import PositionQuery
from service.http.responses.answers import json_response
from service.ledger import CENTRE, account_seat
from service.tables import visibility as seen_by
from service.tables.fold import TableAt

table = Resource("table", "A table as one caller may see it, as it stands and as it stood.")


class Worth(Struct, frozen=True, kw_only=True):
    """What a chip is worth in money."""

    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="The letters of ISO 4217.")]
    minor: Annotated[
        int, Meta(ge=1, le=1_000_000_000, description="What a chip is worth, in the currency's minor units.")
    ]


class SeatView(Struct, frozen=True, kw_only=True):
    """A seat: who sits there, and what it holds."""

    seat: int
    player: Annotated[str, Meta(description="An owner's id; empty: the seat is free.")]
    accounts: Annotated[
        dict[str, int],
        Meta(description="What each of the seat's accounts holds: stack, and those of the game, as ante or bet."),
    ]


class DeckView(Struct, frozen=True, kw_only=True):
    """The decks of the table, by their epochs."""

    epoch: Annotated[str, Meta(description="The deck in play; empty: none.")]
    reserve: Annotated[str, Meta(description="The deck that serves next, opened and sealed; empty: none.")]


class TableView(Struct, frozen=True, kw_only=True):
    """A table at one position, as the caller may see it."""

    table: str
    game: str
    edition: Annotated[int, Meta(description="Of the game's rules and rulings; pinned when the table was opened.")]
    credit: Credit
    position: int
    status: str
    imported_at: Annotated[
        str,
        Meta(description="When it came in from another service, and is only read; empty: never."),
    ]
    visibility: Visibility
    host: str
    options: Annotated[dict[str, OptionValue], Meta(description="The game's options, all of them.")]
    time_limit_seconds: int
    due_at: DueAt
    worth: Worth | None
    hand: Annotated[int, Meta(description="The number of the hand that is, or was last, played; 0: none yet.")]
    hand_is_running: bool
    seats: tuple[SeatView, ...]
    invited: Annotated[tuple[str, ...], Meta(description="Owners who are invited, and have not sat down yet (G.10).")]
    centre: int
    balances: Annotated[
        dict[str, int],
        Meta(description="What each account holds that was ever used, or is there from the start, as scores are."),
    ]
    due: Annotated[tuple[str, ...], Meta(description='Whose decision is awaited: "seat:<n>" or "host".')]
    you: Annotated[int, Meta(description="The caller's seat; 0: none.")]
    winners: tuple[int, ...]
    deck: DeckView
    view: Annotated[
        Any,
        Meta(
            description="What is particular to the game.",
            extra_json_schema=view_union.VIEW,
        ),
    ]


@table.get("/v1/tables/<table>")
@table.query(PositionQuery)
@operation(
    table,
    "get_table",
    TableView,
    codes=(*READS, "table_must_be_intact", "table_must_exist", "position_must_exist"),
    headers=("ETag", SECONDS_LEFT),
)
def get_table(query: PositionQuery, table: str) -> Response:
    """Look at a table: as it stands, or as it stood at a position.

    A view of the past never shows the upturned card by memory (ruling B7.4).
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.turn(is_expensive=query.at > 0), reading(services().engine) as connection:
        table_at = visible_tables.past_table(
            connection, visible_tables.intact_table(connection, stream_id, caller), query.at
        )
        found = seen(connection, table_at, caller, is_present=not query.at)
    response = json_response(found, caller, position=table_at.position)
    return response if query.at else deadlines.with_seconds_left(response, found.due_at)


def seen(connection: Connection, table_at: TableAt, caller: Caller, *, is_present: bool) -> TableView:
    """Return the table in *table_at* as *caller* may see it; *is_present*: as it stands, not as it stood."""
    seat = visible_tables.viewing_seat(table_at, caller)
    view = seen_by.view(table_at, seat, visible_tables.hidden(connection, table_at), is_present=is_present)
    return _table(table_at, seat, view)


def _table(table_at: TableAt, seat: int, view: Struct) -> TableView:
    state: Any = table_at.state
    return TableView(
        table=state.table,
        game=state.game,
        edition=state.edition,
        credit=credit(table_at.game),
        position=table_at.position,
        status=state.status,
        imported_at=table_at.imported_at,
        visibility=state.visibility,
        host=state.host,
        options=to_builtins(state.options),
        time_limit_seconds=state.time_limit_seconds,
        due_at=deadlines.due_at(table_at),
        worth=Worth(currency=state.currency, minor=state.worth_minor) if state.worth_minor else None,
        hand=state.hand,
        hand_is_running=state.hand_is_running,
        seats=tuple(_seat(state, one) for one in range(1, state.seats + 1)),
        invited=tuple(state.invited.values()),
        centre=balance_of(state, CENTRE),
        balances=dict(sorted(state.balances.items())),
        due=table_at.due,
        you=seat,
        winners=state.winners,
        deck=DeckView(epoch=state.epoch, reserve=state.reserve),
        view=view,
    )


def _seat(state: TableState, seat: int) -> SeatView:
    accounts = {name.partition(":")[0]: held for name, held in state.balances.items() if account_seat(name) == seat}
    return SeatView(seat=seat, player=state.players.get(seat, ""), accounts=accounts)
