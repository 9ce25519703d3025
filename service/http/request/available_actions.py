"""Lists the actions that a caller may take at a table now, each ready to post."""

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
    """An action that the service would accept now, with the ranges and choices of its members."""

    action: Annotated[
        dict[str, Any],
        Meta(description="The action, ready to post.", extra_json_schema={"$ref": "#/components/schemas/Action"}),
    ]
    bounds: tuple[Bound, ...]
    choices: tuple[Choice, ...]
    rule: str
    ruling: str
    to_fill: Annotated[
        tuple[str, ...],
        Meta(description="The members whose values are only examples: send your own values. Empty: no members."),
    ]


class SignFrom(Struct, frozen=True):
    """The first event on which the caller may sign the next action: sign on this event or on a later event."""

    position: int
    head_hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="The hash of the event's leaf.")]


class Signing(Struct, frozen=True):
    """The signing key of the caller's seat, and what the caller may do about it now.

    The actions that register and end keys are not in `items`: they are not moves, and a registration needs a signature.
    """

    public_key: Annotated[
        str,
        Meta(
            pattern="^([0-9a-f]{64})?$",
            description="The public key that must verify the signature of each action of the seat; empty: none.",
        ),
    ]
    may_register: Annotated[bool, Meta(description="Whether `register_signing_key` is possible now.")]
    may_end: Annotated[bool, Meta(description="Whether `end_signing_key` is possible now.")]
    sign_from: Annotated[
        SignFrom,
        Meta(
            description="The last event that changed what the seat may do; for a seat without a key, the last event. "
            "Sign only one action for each `sign_from`."
        ),
    ]


class ActionList(Struct, frozen=True):
    """The actions that the caller may take at the table now, as a player, as the host or as an invited owner."""

    position: int
    status: Annotated[str, Meta(description="The table's status: open, playing, finished or closed.")]
    due: Annotated[tuple[str, ...], Meta(description='Who must decide now: "seat:<n>" or "host".')]
    seeds_awaited: Annotated[
        tuple[str, ...],
        Meta(
            description='The seats that owe a commitment or a seed, as "seat:<n>", even while play goes on (G.9).',
        ),
    ]
    due_at: DueAt
    items: tuple[ActionItem, ...]
    signing: Annotated[Signing | None, Meta(description="The signing key of the caller's seat; null: no seat.")]


def action_list(connection: Connection, table_at: TableAt, caller: Caller) -> ActionList:
    """Return the actions of *caller* at the table, the actors that must decide, and their deadline."""
    items = available(connection, table_at, caller)
    due = deadlines.due_at(table_at)
    position, status, awaited = table_at.position, table_at.state.status, table_at.seeds_awaited
    return ActionList(position, status, table_at.due, awaited, due, items, signing_of(table_at, caller))


def signing_of(table_at: TableAt, caller: Caller) -> Signing | None:
    """Return the signing key of the seat of *caller*; None: *caller* has no seat, or its key lacks the scope play."""
    seat, state = viewing_seat(table_at, caller), table_at.state
    if not seat:
        return None
    may_change = state.status in {"open", "playing"} and not table_at.imported_at
    sign_from, key = table_at.sign_from(seat), state.signing_keys.get(seat, "")
    return Signing(
        public_key=key,
        may_register=may_change and not state.hand_is_running,
        may_end=may_change and bool(key),
        sign_from=SignFrom(sign_from.position, sign_from.hash.hex()),
    )


def roles(table_at: TableAt, caller: Caller) -> tuple[str, ...]:
    """Return the roles of *caller* at the table that the scopes of its key allow: "seat:<n>", "host", both or none."""
    seat = viewing_seat(table_at, caller)
    is_host = "host" in caller.scopes and caller.owner == table_at.state.host
    return (*((seat_actor(seat),) if seat else ()), *((HOST,) if is_host else ()))


def available(connection: Connection, table_at: TableAt, caller: Caller) -> tuple[ActionItem, ...]:
    """Return the actions that *caller* may take now."""
    if table_at.imported_at:
        return ()
    state, hidden = table_at.state, visible_tables.hidden(connection, table_at)
    actions = [
        action
        for role in roles(table_at, caller)
        for action in table_at.game.actions(state, role, SeatViewpoint(table_at, acting_seat(role), hidden))
    ]
    if "play" in caller.scopes and is_invited(state, caller.owner):
        of_invited = table_at.game.actions(state, PLAYER, SeatViewpoint(table_at, 0, hidden))
        declining = DeclineInvitation(by=PLAYER, player=caller.owner)
        actions += [action for action in of_invited if action.command == declining]
    return tuple(map(_item, actions))


def is_due(table_at: TableAt, caller: Caller) -> bool:
    """Return whether *caller* must decide now, or must still send a commitment or a seed."""
    asked = {*table_at.due, *table_at.seeds_awaited}
    return any(role in asked for role in roles(table_at, caller))


def body(command: Command) -> dict[str, Any]:
    """Return *command* in the form in which clients post it."""
    members = {name: value for name, value in structs.asdict(command).items() if name not in command.FROM_CALLER}
    return {"type": type_name(type(command)), **members}


def _item(action: Action) -> ActionItem:
    return ActionItem(body(action.command), action.bounds, action.choices, action.rule, action.ruling, action.to_fill)
