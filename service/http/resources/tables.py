"""`/v1/tables`: opens a table, and lists tables."""

from typing import Annotated, Any, Final, Literal

from flask import Response
from marshmallow import ValidationError
from msgspec import Meta, Struct, structs

from service.database.spread.node_readers import read_reachable
from service.games import CURRENT, GAMES
from service.games.common_commands import OpenTable, Visibility
from service.games.definition import Credit, Game
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import IDEMPOTENCY_KEY, IF_MATCH, READS, WRITES, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import schema_problem
from service.http.request import quotas, schemas, visible_tables
from service.http.request.authentication import caller_with_scope, current_caller
from service.http.request.context import Caller
from service.http.request.fields import field_error
from service.http.request.parsing import idempotency_key
from service.http.request.schemas import MOMENT, options_name, schema_of
from service.http.request.services import services
from service.http.resources import command_requests
from service.http.resources.command_requests import Done
from service.http.resources.table import WhoseSeeds, Worth
from service.http.responses.answers import LOG_CHECKPOINT, IsWhole, json_response, linked
from service.projections import lists
from service.projections.lists import ListedTable, TableFilter
from service.projections.swap_guard import retry_after_swap
from service.tables.fold import table_id

_CURSOR: Final = f"{MOMENT}[.][0-9]{{3}}Z/tbl_[0-9a-f]{{32}}"

tables = Resource("tables", "The tables: a host opens a table, and every caller can list the tables that it may see.")


class Opening(Struct, frozen=True, kw_only=True):
    """A table to open."""

    game: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=40,
            description="The name of the game, from GET /v1/games.",
            extra_json_schema={"enum": list(CURRENT)},
        ),
    ]
    options: Annotated[
        dict[str, Any],
        Meta(
            description="The game's options; an option that is left out has its default.",
            extra_json_schema={"anyOf": [{"$ref": f"#/components/schemas/{options_name(game)}"} for game in CURRENT]},
        ),
    ] = {}
    seats: Annotated[
        int,
        Meta(
            ge=0,
            le=max(game.seats.most for game in CURRENT.values()),
            description="The number of seats, within the game's range; 0: the game's default.",
            extra_json_schema={"not": {"enum": list(range(1, min(game.seats.least for game in CURRENT.values())))}},
        ),
    ] = 0
    visibility: Visibility = "public"
    worth: Worth | None = None
    time_limit_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=86_400,
            description="The seconds that players have for a decision before the service makes it (G.3); 0: no limit.",
        ),
    ] = 0
    dispute_days: Annotated[
        int,
        Meta(
            ge=1,
            le=365,
            description="For how many days after a hand's last event the hand may be disputed, once the game is over "
            "(D.2).",
        ),
    ] = 30
    seeds: Annotated[
        WhoseSeeds,
        Meta(
            description="Whose seeds determine the order of the decks: the service's alone, or the players' seeds too "
            "(G.9)."
        ),
    ] = "operator"


class TableQuery(Struct, frozen=True, kw_only=True):
    """Selects a page of tables."""

    after: Annotated[str, Meta(pattern=f"^({_CURSOR})?$", description="The `next` of the previous page.")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000, description="The maximum number of tables on a page.")] = 100
    status: Annotated[
        Literal["open", "playing", "finished", "closed", ""],
        Meta(description="Only tables with this status; empty: any status."),
    ] = ""
    game: Annotated[
        str, Meta(max_length=40, pattern="^[a-z0-9_]*$", description="Only tables of this game; empty: any game.")
    ] = ""
    mine: Annotated[bool, Meta(description="Only tables that the caller hosts or plays at.")] = False
    invited: Annotated[bool, Meta(description="Only tables that the caller is invited to.")] = False


class TableItem(Struct, frozen=True, kw_only=True):
    """A table in a list."""

    table: str
    game: str
    edition: int
    credit: Credit
    status: str
    visibility: Visibility
    host: str
    seats: int
    seats_taken: int
    time_limit_seconds: int
    opened_at: str
    last_at: Annotated[
        str,
        Meta(
            pattern=f"^({MOMENT}[.][0-9]{{3}}Z)?$",
            description="The time of the table's last event, in UTC (RFC 3339). Empty: the event is damaged.",
        ),
    ]
    imported_at: Annotated[
        str,
        Meta(description="When the table was imported; an imported table is read-only. Empty: it was not imported."),
    ]
    is_invited: Annotated[
        bool, Meta(description="Whether the caller is invited, and so may take a seat or decline (G.10).")
    ]


class TableList(Struct, frozen=True):
    """A page of tables, the newest first."""

    items: tuple[TableItem, ...]
    has_more: bool
    next: Annotated[str, Meta(description="The `after` of the next page.")]
    is_whole: IsWhole


_EXAMPLE: Final = next(iter(CURRENT.values()))
"""The game of the examples."""


@tables.post("/v1/tables")
@tables.body(
    schema_of(Opening),
    scopes=("host",),
    examples={
        "with the game's defaults": {"game": _EXAMPLE.name},
        "with all options": {
            "game": _EXAMPLE.name,
            "seats": _EXAMPLE.seats.default,
            "options": {**_EXAMPLE.sample_tables.demo[0]},
            "visibility": "private",
            "worth": {"currency": "EUR", "minor": 10},
            "time_limit_seconds": 60,
            "dispute_days": 90,
        },
    },
)
@operation(
    tables,
    "open_table",
    Done,
    status=201,
    codes=(
        *WRITES,
        "position_must_be_well_formed",
        "position_must_match",
        "refused_by_the_rules",
        "table_must_be_intact",
        "tables_must_be_fewer",
    ),
    headers=("ETag", "Location", "Idempotent-Replayed", LOG_CHECKPOINT),
    parameters=(IDEMPOTENCY_KEY, IF_MATCH),
)
def open_table(opening: Opening) -> Response:
    """Open a table; the caller becomes its host.

    The service computes the table's id from the caller, the Idempotency-Key and a secret. So a repeat of the request
    opens no second table.
    """
    caller = caller_with_scope("host", may_have_ended=True)
    game = CURRENT.get(opening.game)
    if game is None:
        raise schema_problem(
            [("/game", field_error("value_must_be_one_of_those_known", f"This must be one of {', '.join(CURRENT)}."))]
        )
    stream_id = services().derivation.derived_id("table", caller.owner, idempotency_key())
    quotas.must_have_a_table_left(stream_id, caller)
    response = command_requests.execute(stream_id, _command(opening, game, caller), caller, status=201)
    response.headers["Location"] = f"/v1/tables/{table_id(stream_id)}"
    return response


@tables.get("/v1/tables")
@tables.query(TableQuery)
@operation(tables, "list_tables", TableList, codes=READS, headers=("Link",))
@retry_after_swap
def list_tables(query: TableQuery) -> Response:
    """List the tables that the caller may see, the newest first.

    A caller may see the public tables, and the tables that the caller hosts, plays at or is invited to. A key with the
    scope audit or approve may also see all other tables or, if it is limited, the tables to which it is limited.
    """
    caller = current_caller()
    table_filter = TableFilter(
        caller=caller.owner,
        all_tables=caller.reads_all,
        audited=visible_tables.audited_streams(caller),
        only_own=query.mine,
        only_invited=query.invited,
        status=query.status,
        game=query.game,
    )
    before, most = _parse_cursor(query.after), query.limit + 1
    with expensive.turn(is_expensive=expensive.is_long_list(query.limit)):
        listed_tables, is_whole = read_reachable(
            services().engine, lambda reach: lists.newest_reachable(reach, table_filter, before, most)
        )
    request_cost.add(len(listed_tables) // request_cost.LINES_PER_UNIT)
    page = listed_tables[: query.limit]
    answer = TableList(
        tuple(_item(table) for table in page),
        len(listed_tables) > query.limit,
        f"{page[-1].opened_at}/{table_id(page[-1].stream_id)}" if page else query.after,
        is_whole,
    )
    return linked(json_response(answer, caller), answer, query.limit)


def _command(opening: Opening, game: Game, caller: Caller) -> OpenTable:
    seats = opening.seats or game.seats.default
    if not game.seats.least <= seats <= game.seats.most:
        range_ = dict.fromkeys((game.seats.least, game.seats.most))
        message = f"{game.sheet.title} has {' to '.join(map(str, range_))} seats."
        raise schema_problem([("/seats", field_error("value_must_be_within_its_range", message))])
    worth = opening.worth
    return OpenTable(
        by="",
        host=caller.owner,
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options=_options(opening, game),
        seats=seats,
        visibility=opening.visibility,
        currency=worth.currency if worth else "",
        worth_minor=worth.minor if worth else 0,
        time_limit_seconds=opening.time_limit_seconds,
        dispute_days=opening.dispute_days,
        seeds="players" if opening.seeds == "players" else "",
    )


def _options(opening: Opening, game: Game) -> dict[str, Any]:
    """Return all options of *game*: the options that *opening* gives, and the defaults of the others.

    Raises:
        Problem: an option is unknown, or has a value that is not allowed.
    """
    try:
        return structs.asdict(schema_of(game.options).load(opening.options))
    except ValidationError as error:
        raise schema_problem(schemas.field_errors({"options": error.messages})) from error


def _parse_cursor(cursor: str) -> tuple[str, bytes] | None:
    if not cursor:
        return None
    at, _, table = cursor.partition("/")
    return at, bytes.fromhex(table.removeprefix("tbl_"))


def _item(table: ListedTable) -> TableItem:
    return TableItem(
        table=table_id(table.stream_id),
        game=table.game,
        edition=table.edition,
        credit=GAMES[table.game, table.edition].credit,
        status=table.status,
        visibility="public" if table.visibility == "public" else "private",
        host=table.host,
        seats=table.seats,
        seats_taken=table.seats_taken,
        time_limit_seconds=table.time_limit_seconds,
        opened_at=table.opened_at,
        last_at=table.last_at,
        imported_at=table.imported_at,
        is_invited=table.is_invited,
    )
