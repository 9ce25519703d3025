"""What a caller may do at a table now, each thing ready to be posted."""

from typing import Annotated, Any

from msgspec import Meta, Struct, structs
from sqlalchemy import Connection

from service.games.common_commands import DeclineInvitation
from service.games.game import HOST, PLAYER, Action, Bound, Choice, Command, acting_seat, seat_actor, type_name
from service.games.table_state import is_invited
from service.http.request import deadlines, visible_tables
from service.http.request.context import Caller
from service.http.request.deadlines import DueAt
from service.http.request.visible_tables import viewing_seat
from service.tables.fold import TableAt
from service.tables.visibility import SeatViewpoint


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
    to_fill: Annotated[
        tuple[str, ...],
        Meta(description="Members that hold an example: put your own value there. Empty: there are none."),
    ]


class ActionList(Struct, frozen=True):
    """All that the caller may do at the table now, as its player and as its host."""

    position: int
    status: Annotated[str, Meta(description="open, playing, finished or closed.")]
    due: Annotated[tuple[str, ...], Meta(description='Whose decision is awaited: "seat:<n>" or "host".')]
    due_at: DueAt
    items: tuple[ActionItem, ...]


def actions(connection: Connection, table_at: TableAt, caller: Caller) -> ActionList:
    """Return all that *caller* may do at the table in *table_at*, and who is awaited until when."""
    found = items(connection, table_at, caller)
    due = deadlines.due_at(table_at)
    return ActionList(table_at.position, table_at.state.status, table_at.due, due, found)


def roles(table_at: TableAt, caller: Caller) -> tuple[str, ...]:
    """Name what *caller* is at the table, as the rules know it and as the key allows: its player, its host."""
    seat = viewing_seat(table_at, caller)
    is_host = "host" in caller.scopes and caller.owner == table_at.state.host
    return (*((seat_actor(seat),) if seat else ()), *((HOST,) if is_host else ()))


def items(connection: Connection, table_at: TableAt, caller: Caller) -> tuple[ActionItem, ...]:
    """List all that *caller* may do now."""
    if table_at.imported_at:
        return ()
    state, hidden = table_at.state, visible_tables.hidden(connection, table_at)
    found = [
        action
        for role in roles(table_at, caller)
        for action in table_at.game.actions(state, role, SeatViewpoint(table_at, acting_seat(role), hidden))
    ]
    if "play" in caller.scopes and is_invited(state, caller.owner):
        of_invited = table_at.game.actions(state, PLAYER, SeatViewpoint(table_at, 0, hidden))
        theirs = DeclineInvitation(by=PLAYER, player=caller.owner)
        found += [action for action in of_invited if action.command == theirs]
    return tuple(map(_item, found))


def is_due(table_at: TableAt, caller: Caller) -> bool:
    """Tell whether a decision of *caller* is awaited."""
    return any(role in table_at.due for role in roles(table_at, caller))


def body(command: Command) -> dict[str, Any]:
    """Return *command* as it is posted."""
    members = {name: value for name, value in structs.asdict(command).items() if name not in command.FROM_ASKER}
    return {"type": type_name(type(command)), **members}


def _item(action: Action) -> ActionItem:
    return ActionItem(body(action.command), action.bounds, action.choices, action.rule, action.ruling, action.to_fill)
