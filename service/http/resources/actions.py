"""`/v1/tables/{table}/actions`: lists the actions that the caller may take, and takes one (DECISIONS 11 and 78)."""

from functools import partial
from typing import Annotated, Final, NamedTuple

from flask import Response
from msgspec import Meta, Struct, structs

from service.database.engines import reading
from service.games import GAMES
from service.games.common_commands import ACTIONS, DeclineInvitation
from service.games.game import Command, type_name
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import IDEMPOTENCY_KEY, IF_MATCH, READS, WRITES, operation
from service.http.operations.long_polls import MOST_SECONDS
from service.http.request import available_actions, deadlines, visible_tables
from service.http.request.authentication import caller_with_scope, current_caller, must_still_be_valid, quota_owners
from service.http.request.available_actions import ActionList
from service.http.request.context import Caller
from service.http.request.deadlines import SECONDS_LEFT
from service.http.request.schemas import Loaded, schema_of, union_schema
from service.http.request.services import services
from service.http.resources import command_requests
from service.http.resources.command_requests import Accepted, Done, ExpandQuery
from service.http.responses.answers import LOG_CHECKPOINT, json_response
from service.play.orders import Signature
from service.tables.fold import TableAt

actions = Resource("actions", "The actions that the caller may take at a table: list them, and take one.")


def _permit(command: type[Struct]) -> None:
    """Check that the key has the scope that *command* needs.

    Raises:
        Problem: there is no valid key, or the key lacks this scope.
    """
    caller_with_scope("host" if issubclass(command, Command) and command.FOR_HOST else "play", may_have_ended=True)


ACTION: Final = union_schema(
    "Action",
    {
        type_name(command): schema_of(command, without=command.FROM_CALLER)
        for command in (*ACTIONS, *(command for game in GAMES.values() for command in game.commands))
    },
    _permit,
    {"sig": schema_of(Signature)},
)
"""The union of the schemas of all actions of all games; the member `type` selects the schema."""

_EXAMPLES: Final = {name: {"type": name, **schema.example} for name, schema in ACTION.variants.items()}
"""An example of each action."""


class WaitQuery(Struct, frozen=True):
    """Sets how long a request may wait until the caller must decide."""

    wait: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_SECONDS,
            description="The maximum number of seconds to wait until you must decide, or until the table is over.",
        ),
    ] = 0


class ActionQuery(ExpandQuery, frozen=True):
    """Sets whether the service only checks the action, and which parts the response has."""

    dry_run: Annotated[bool, Meta(description="Only check whether the service would accept the action.")] = False


@actions.get("/v1/tables/<table>/actions")
@actions.query(WaitQuery)
@operation(
    actions,
    "list_actions",
    ActionList,
    codes=(*READS, "place_must_be_free", "table_must_be_intact", "table_must_exist"),
    headers=("ETag", SECONDS_LEFT),
)
def list_actions(query: WaitQuery, table: str) -> Response:
    """List the actions that the caller may take now, each ready to post.

    With `wait`, the response comes when the caller must decide, or must still send a commitment or a seed; when the
    table is over; or when `wait` seconds have passed. The response comes immediately if the caller is neither the
    table's host nor a player there, or if the key lacks the scope for this role.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    _, listed = services().long_polls.wait_for(
        stream_id,
        query.wait,
        partial(quota_owners, caller),
        lambda least: _at_least(stream_id, caller, least),
        lambda now: _is_due_or_over(now.table_at, caller),
        partial(must_still_be_valid, caller),
    )
    if listed is None:
        _, listed = _listed(stream_id, caller)
    return deadlines.with_seconds_left(json_response(listed, caller, position=listed.position), listed.due_at)


@actions.post("/v1/tables/<table>/actions")
@actions.body(ACTION, scopes=("play", "host"), examples=_EXAMPLES)
@actions.query(ActionQuery)
@operation(
    actions,
    "do_action",
    Done,
    Accepted,
    codes=(
        *WRITES,
        "asker_must_be_a_player",
        "asker_must_be_the_host",
        "position_must_be_well_formed",
        "position_must_match",
        "refused_by_the_rules",
        "table_must_be_intact",
        "table_must_be_played_here",
        "table_must_exist",
    ),
    headers=("ETag", "Idempotent-Replayed", LOG_CHECKPOINT),
    parameters=(IDEMPOTENCY_KEY, IF_MATCH),
)
def do_action(posted: Loaded, query: ActionQuery, table: str) -> Response:
    """Take an action at a table, as its player, its host or an invited owner.

    The response has the receipt and the new events, as the caller may see them. With `expand`, the response can also
    have the table and the next actions, so that a move needs only one request. With `dry_run`, nothing is recorded and
    the Idempotency-Key is not used up: the response is `{"accepted": true}` or the refusal. The member `sig` has the
    caller's signature, if the caller's seat has a signing key. A dry run may leave `sig` out: then it says whether the
    action would be accepted with a valid signature. If the action has values to seal, a dry run also returns these
    values by field: a caller who signs needs them.
    """
    command: Command = posted.variant
    caller = caller_with_scope("host" if command.FOR_HOST else "play", may_have_ended=not query.dry_run)
    if isinstance(command, DeclineInvitation):
        command = structs.replace(command, player=caller.owner)
    stream_id = visible_tables.stream_of(table)
    if query.dry_run:
        return command_requests.dry_run(stream_id, command, caller, posted.beside.get("sig"))
    signature = posted.beside.get("sig")
    return command_requests.execute(stream_id, command, caller, signature, status=200, expand=query.expand)


class _ActionsAt(NamedTuple):
    """A table, and the caller's actions there; None: they are not listed yet."""

    table_at: TableAt
    actions: ActionList | None

    @property
    def position(self) -> int:
        return self.table_at.position


def _at_least(stream_id: bytes, caller: Caller, least: int) -> _ActionsAt:
    """Return the table at the position *least* or later, from the cache if possible; 0: at its latest position.

    Each event wakes every request that waits at its table, but only a caller who must decide needs the list of actions.
    """
    cached = services().tables.cached(stream_id) if least else None
    if cached is None or cached.position < least or cached.broken_at:
        return _ActionsAt(*_listed(stream_id, caller))
    must_still_be_valid(caller)
    visible_tables.must_be_visible(cached, caller)
    return _ActionsAt(cached, None)


def _listed(stream_id: bytes, caller: Caller) -> tuple[TableAt, ActionList]:
    """Return the table at its latest position, and the actions of *caller* there."""
    must_still_be_valid(caller)
    generation = services().log.generation.number
    with reading(services().engine) as connection:
        table_at = visible_tables.current_table(connection, stream_id, caller)
        services().shared_steps.follow(table_at, generation)  # all who wait then share one read
        return table_at, available_actions.action_list(connection, table_at, caller)


def _is_due_or_over(table_at: TableAt, caller: Caller) -> bool:
    return (
        table_at.is_over or available_actions.is_due(table_at, caller) or not available_actions.roles(table_at, caller)
    )
