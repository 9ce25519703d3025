"""`/v1/tables/{table}`: a table, as the caller may see it."""

from typing import Annotated, Any, Literal

from flask import Response
from msgspec import Meta, Struct, to_builtins
from sqlalchemy import Connection

from service.database.engines import reading
from service.games.common_commands import OptionValue, Visibility
from service.games.definition import Credit
from service.games.game import SERVICE, Seat, seat_actor
from service.games.seeds import seed_rules
from service.games.table_state import TableState
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
from service.http.responses.answers import LOG_CHECKPOINT, json_response, with_log_checkpoint
from service.ledger import account_kind, account_seat
from service.tables import visibility
from service.tables.fold import TableAt

table = Resource("table", "A table, now or at an earlier position, as the caller may see it.")


class Worth(Struct, frozen=True, kw_only=True):
    """What a chip is worth in money."""

    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$", description="The currency code (ISO 4217).")]
    minor: Annotated[
        int, Meta(ge=1, le=1_000_000_000, description="The worth of a chip, in the currency's minor units.")
    ]


class SeatView(Struct, frozen=True, kw_only=True):
    """A seat: its player, and its accounts."""

    seat: int
    player: Annotated[str, Meta(description="The owner in the seat; empty: the seat is free.")]
    accounts: Annotated[
        dict[str, int],
        Meta(description="The balances of the seat's accounts, by their kind, such as stack or score."),
    ]


class DeckView(Struct, frozen=True, kw_only=True):
    """The epochs of the decks at the table."""

    epoch: Annotated[str, Meta(description="The epoch of the deck in play; empty: no deck is in play.")]
    reserve: Annotated[
        str, Meta(description="The epoch of the next deck, to which the service has committed already; empty: none.")
    ]


WhoseSeeds = Literal["operator", "players"]


class SeedsView(Struct, frozen=True, kw_only=True):
    """The players' seeds at the table (G.9)."""

    whose: Annotated[WhoseSeeds, Meta(description="Whose seeds determine the order of the table's decks.")]
    batch: Annotated[str, Meta(description="The batch for which seeds are collected now; empty: no batch.")]
    owed: Annotated[
        Literal["", "commitment", "seed"], Meta(description="What players owe for the batch; empty: nothing.")
    ]
    seats: Annotated[tuple[Seat, ...], Meta(description="The seats that owe a commitment or a seed.")]
    waits: Annotated[bool, Meta(description="Whether the game waits for these seats.")]
    dropped: Annotated[
        dict[str, Annotated[int, Meta(ge=1, le=2**31 - 1)]],
        Meta(
            description="How many batches were made without players' seeds, because a seat had not shown its seed in "
            'time: "seat:<n>" has the number of batches for which this seat was late, "service" the number of all such '
            "batches. Empty: no such batch."
        ),
    ]


class TableView(Struct, frozen=True, kw_only=True):
    """A table at one position, as the caller may see it."""

    table: str
    game: str
    edition: Annotated[int, Meta(description="The edition of the game's rules and rulings, fixed for the table.")]
    credit: Credit
    position: int
    status: str
    imported_at: Annotated[
        str,
        Meta(description="When the table was imported; an imported table is read-only. Empty: it was not imported."),
    ]
    visibility: Visibility
    host: str
    options: Annotated[dict[str, OptionValue], Meta(description="The values of all options of the game.")]
    time_limit_seconds: int
    due_at: DueAt
    dispute_days: Annotated[
        int,
        Meta(
            ge=1,
            le=365,
            description="For how many days after a hand's last event the hand may be disputed, once the game is over "
            "(D.2).",
        ),
    ]
    worth: Worth | None
    hand: Annotated[int, Meta(description="The number of the current or latest hand; 0: no hand yet.")]
    hand_is_running: bool
    seats: tuple[SeatView, ...]
    invited: Annotated[tuple[str, ...], Meta(description="The owners who have an open invitation (G.10).")]
    balances: Annotated[
        dict[str, int],
        Meta(description="The balances of the accounts that were used so far or exist from the start, such as scores."),
    ]
    due: Annotated[tuple[str, ...], Meta(description='Who must decide now: "seat:<n>" or "host".')]
    you: Annotated[int, Meta(description="The caller's seat, if the key has the scope play; 0: no seat.")]
    winners: tuple[int, ...]
    deck: DeckView
    seeds: Annotated[SeedsView, Meta(description="Whose seeds determine the decks' order, and who owes a seed (G.9).")]
    view: Annotated[
        Any,
        Meta(
            description="The part of the view that belongs to this game alone.",
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
    headers=("ETag", SECONDS_LEFT, LOG_CHECKPOINT),
)
def get_table(query: PositionQuery, table: str) -> Response:
    """Get a table, now or at an earlier position.

    A view of an earlier position may hide a card that was visible while the table was at this position: a rule of the
    game may show a card only for a time.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with expensive.turn(is_expensive=query.at > 0), reading(services().engine) as connection:
        table_at = visible_tables.past_table(
            connection, visible_tables.intact_table(connection, stream_id, caller), query.at
        )
        view = table_view(connection, table_at, caller, is_present=not query.at)
    response = with_log_checkpoint(json_response(view, caller, position=table_at.position))
    return response if query.at else deadlines.with_seconds_left(response, view.due_at)


def table_view(connection: Connection, table_at: TableAt, caller: Caller, *, is_present: bool) -> TableView:
    """Return the view of *table_at* that *caller* may see.

    If *is_present*, show *table_at* as the present table, otherwise as the table of an earlier position.
    """
    seat = visible_tables.viewing_seat(table_at, caller)
    view = visibility.view(table_at, seat, visible_tables.hidden(connection, table_at), is_present=is_present)
    return _table(table_at, seat, view)


def _table(table_at: TableAt, seat: int, view: Struct) -> TableView:
    state: Any = table_at.state
    return TableView(
        table=state.table,
        game=state.game,
        edition=state.edition,
        credit=table_at.game.credit,
        position=table_at.position,
        status=state.status,
        imported_at=table_at.imported_at,
        visibility=state.visibility,
        host=state.host,
        options=to_builtins(state.options),
        time_limit_seconds=state.time_limit_seconds,
        due_at=deadlines.due_at(table_at),
        dispute_days=state.dispute_days,
        worth=Worth(currency=state.currency, minor=state.worth_minor) if state.worth_minor else None,
        hand=state.hand,
        hand_is_running=state.hand_is_running,
        seats=tuple(_seat(state, number) for number in range(1, state.seats + 1)),
        invited=tuple(state.invited.values()),
        balances=dict(sorted(state.balances.items())),
        due=table_at.due,
        you=seat,
        winners=state.winners,
        deck=DeckView(epoch=state.epoch, reserve=state.reserve),
        seeds=_seeds(state),
        view=view,
    )


def _seeds(state: TableState) -> SeedsView:
    late = seed_rules.owed(state)
    dropped = {seat_actor(seat): count for seat, count in sorted(state.seeds_dropped.items())}
    return SeedsView(
        whose=state.seeds or "operator",
        batch=late.epoch,
        owed=late.owed,
        seats=late.seats,
        waits=seed_rules.waits(state),
        dropped={**dropped, SERVICE: state.batches_dropped} if dropped else {},
    )


def _seat(state: TableState, seat: int) -> SeatView:
    accounts = {account_kind(name): held for name, held in state.balances.items() if account_seat(name) == seat}
    return SeatView(seat=seat, player=state.players.get(seat, ""), accounts=accounts)
