"""What an asker may do at a table now, each thing ready to be posted."""

from typing import Annotated, Any

from msgspec import Meta, Struct, structs
from sqlalchemy import Connection

from service.games.game import HOST, Action, Bound, Choice, Command, acting_seat, seat_actor, type_name
from service.http import deadlines, known
from service.http.deadlines import DueAt
from service.http.known import seat_seen_from
from service.http.visit import Asker
from service.projections.sight import Sight
from service.projections.situations import Situation


class ActionItem(Struct, frozen=True):
    """An action that would be accepted now, and how far its members may go."""

    action: Annotated[
        dict[str, Any],
        Meta(description="Can be posted as it stands.", extra_json_schema={"$ref": "#/components/schemas/Action"}),
    ]
    bounds: tuple[Bound, ...]
    choices: tuple[Choice, ...]
    rule: str
    ruling: str


class ActionList(Struct, frozen=True):
    """All that the asker may do at the table now, as its player and as its host."""

    position: int
    status: Annotated[str, Meta(description="open, playing, finished or closed.")]
    due: Annotated[tuple[str, ...], Meta(description='Whose decision is awaited: "seat:<n>" or "host".')]
    due_at: DueAt
    items: tuple[ActionItem, ...]


def actions(connection: Connection, situation: Situation, asker: Asker) -> ActionList:
    """Return all that *asker* may do at the table in *situation*, and who is awaited until when."""
    found = items(connection, situation, asker)
    due = deadlines.due_at(situation)
    return ActionList(situation.position, situation.state.status, situation.due, due, found)


def roles(situation: Situation, asker: Asker) -> tuple[str, ...]:
    """Name what *asker* is at the table, as the rules know it and as the key allows: its player, its host."""
    seat = seat_seen_from(situation, asker)
    is_host = "host" in asker.scopes and asker.owner == situation.state.host
    return (*((seat_actor(seat),) if seat else ()), *((HOST,) if is_host else ()))


def items(connection: Connection, situation: Situation, asker: Asker) -> tuple[ActionItem, ...]:
    """List all that *asker* may do now."""
    if situation.imported_at:
        return ()
    hidden = known.hidden(connection, situation)
    return tuple(
        _item(action)
        for role in roles(situation, asker)
        for action in situation.game.actions(situation.state, role, Sight(situation, acting_seat(role), hidden))
    )


def is_due(situation: Situation, asker: Asker) -> bool:
    """Tell whether a decision of *asker* is awaited."""
    return any(role in situation.due for role in roles(situation, asker))


def body(command: Command) -> dict[str, Any]:
    """Return *command* as it is posted."""
    members = {name: value for name, value in structs.asdict(command).items() if name != "by"}
    return {"type": type_name(type(command)), **members}


def _item(action: Action) -> ActionItem:
    return ActionItem(body(action.command), action.bounds, action.choices, action.rule, action.ruling)
