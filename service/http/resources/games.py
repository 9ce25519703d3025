"""`/v1/games`: the games of this service, with their authors, options, actions, rules and rulings."""

import inspect as python
from collections.abc import Mapping
from typing import Annotated, Any, Final

from flask import Response
from msgspec import NODEFAULT, Meta, Struct, inspect

from service.disputes.dispute_rulings import DISPUTE_RULINGS
from service.games import CURRENT
from service.games.common_commands import ACTIONS, DealHand
from service.games.common_rulings import COMMON_RULINGS
from service.games.definition import Credit, Game
from service.games.game import Command, SeatRange, type_name
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.problems.problem import Problem
from service.http.request.authentication import current_caller
from service.http.responses.answers import json_response

_TYPES: Final[Mapping[type[inspect.Type], str]] = {
    inspect.IntType: "integer",
    inspect.BoolType: "boolean",
    inspect.LiteralType: "text",
    inspect.StrType: "text",
}

games = Resource("games", "The games: their authors, options, actions, rules and rulings.")


class Member(Struct, frozen=True, kw_only=True):
    """A member of a game's options or of an action, and the values that the member may have."""

    name: str
    description: str
    type: Annotated[
        str, Meta(description="The type of the member: integer, boolean or text; for an array: integers or texts.")
    ]
    values: Annotated[
        tuple[str, ...],
        Meta(description="The allowed values of a text that has a closed list of values; otherwise empty."),
    ]
    default: Annotated[
        int | bool | str | tuple[int, ...] | None,
        Meta(description="The value if the member is left out; null: the member is required."),
    ]
    least: int | None
    most: int | None
    form: Annotated[str, Meta(description="The pattern of a text, or of each text of an array; empty: no pattern.")]
    fewest: Annotated[int, Meta(ge=0, le=52, description="The minimum number of items of an array.")]
    largest: Annotated[int, Meta(ge=0, le=52, description="The maximum number of items of an array; 0: not an array.")]


class ActionKind(Struct, frozen=True, kw_only=True):
    """A type of action, with the members of such an action."""

    type: str
    summary: str
    members: tuple[Member, ...]
    for_host: Annotated[
        bool,
        Meta(description="Whether only the table's host may take the action; if not, a player or invited owner may."),
    ]
    is_rare: Annotated[
        bool,
        Meta(
            description="Whether a player should rarely take the action, because it is not a move in a hand, or "
            "ends the player's game."
        ),
    ]


class GameItem(Struct, frozen=True, kw_only=True):
    """A game and its author."""

    game: str
    edition: Annotated[int, Meta(description="The edition of the rules and rulings that a new table gets.")]
    credit: Credit
    summary: str
    seats: SeatRange


class GameList(Struct, frozen=True):
    """The games that this service plays."""

    items: tuple[GameItem, ...]


class GameDetails(Struct, frozen=True, kw_only=True):
    """A game: its options, its actions, its rules in our words, and our rulings where its rule sheet is silent."""

    game: str
    edition: int
    credit: Credit
    summary: str
    seats: SeatRange
    options: tuple[Member, ...]
    actions: tuple[ActionKind, ...]
    rules: Annotated[
        dict[str, str],
        Meta(description="The rules of the author's sheet in our words, by the number or heading that payouts cite."),
    ]
    rulings: Annotated[
        dict[str, str],
        Meta(
            description="Our rulings, not the author's, by name. A ruling whose name begins with `G.` or `D.` holds "
            "for every game; those with `D.` are about disputes."
        ),
    ]


@games.get("/v1/games")
@operation(games, "list_games", GameList, codes=READS)
def list_games() -> Response:
    """List the games, with their authors.

    The list has one edition of each game: the edition that a new table gets.
    """
    items = tuple(
        GameItem(game=game.name, edition=game.edition, credit=game.credit, summary=game.summary, seats=game.seats)
        for game in CURRENT.values()
    )
    return json_response(GameList(items), current_caller())


@games.get("/v1/games/<game>")
@operation(games, "get_game", GameDetails, codes=(*READS, "game_must_exist"))
def get_game(game: str) -> Response:
    """Get a game: its author and rule sheet, its options with their ranges, its actions, rules and rulings.

    A host may choose these options when opening a table. The host, the players and invited owners post these actions to
    the table.
    """
    current = CURRENT.get(game)
    if current is None:
        raise Problem("game_must_exist")
    return json_response(_details(current), current_caller())


def _details(game: Game) -> GameDetails:
    kinds: tuple[type[Command], ...] = (
        DealHand,
        *game.commands,
        *(command for command in ACTIONS if command is not DealHand),
    )
    return GameDetails(
        game=game.name,
        edition=game.edition,
        credit=game.credit,
        summary=game.summary,
        seats=game.seats,
        options=_members(game.options),
        actions=tuple(_kind(command) for command in kinds),
        rules=dict(game.sheet.rules),
        rulings={**game.rulings, **COMMON_RULINGS, **DISPUTE_RULINGS},
    )


def _kind(command: type[Command]) -> ActionKind:
    return ActionKind(
        type=type_name(command),
        summary=python.getdoc(command) or "",
        members=tuple(member for member in _members(command) if member.name not in command.FROM_CALLER),
        for_host=command.FOR_HOST,
        is_rare=command.IS_RARE,
    )


def _members(struct: type[Struct]) -> tuple[Member, ...]:
    info: Any = inspect.type_info(struct)
    return tuple(_member(field) for field in info.fields)


def _member(field: inspect.Field) -> Member:
    kind: Any = field.type
    description = ""
    if isinstance(kind, inspect.Metadata):
        description = (kind.extra_json_schema or {}).get("description", "")
        kind = kind.type
    is_array = isinstance(kind, inspect.VarTupleType)
    single: Any = kind.item_type if is_array else kind
    single = single.type if isinstance(single, inspect.Metadata) else single
    return Member(
        name=field.encode_name,
        description=description,
        type=_TYPES[type(single)] + ("s" if is_array else ""),
        values=tuple(sorted(map(str, kind.values))) if isinstance(kind, inspect.LiteralType) else (),
        default=None if field.default is NODEFAULT else field.default,
        least=getattr(single, "ge", None),
        most=getattr(single, "le", None),
        form=getattr(single, "pattern", None) or "",
        fewest=(kind.min_length or 0) if is_array else 0,
        largest=(kind.max_length or 0) if is_array else 0,
    )
