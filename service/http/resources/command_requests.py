"""Carries out the command of a request, and makes the response from the recorded events (DECISIONS 37)."""

from typing import Annotated, Final, Literal

from flask import Response
from msgspec import UNSET, Meta, Struct, UnsetType
from sqlalchemy.exc import SQLAlchemyError

from service.database.engines import reading
from service.event_store.quarantine import StreamCorrupted
from service.games.game import Command
from service.http.problems.problem import Problem
from service.http.request import available_actions, parsing, visible_tables
from service.http.request.authentication import invalid_key
from service.http.request.available_actions import ActionList
from service.http.request.context import Caller, request_context
from service.http.request.recorded_commands import recorded_at
from service.http.request.services import services
from service.http.resources import table
from service.http.resources.table import TableView
from service.http.responses.answers import json_response, with_log_checkpoint
from service.play.orders import CommandResult, Order, Signature, WouldSeal
from service.secrets.receipts import Receipt
from service.tables.envelopes import EventItem, with_openings
from service.tables.fold import table_id


class ExpandQuery(Struct, frozen=True):
    """Selects the parts that the response to a command has besides the events."""

    expand: Annotated[
        str,
        Meta(
            pattern="^((actions|table)(,(actions|table))?)?$",
            description="What the response has besides the events: `actions` (what the caller may do next), `table` "
            "(the table), or both, separated by a comma. The response, also the response to a repeat, shows these "
            "parts as they were right after the command.",
        ),
    ] = ""


class Done(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The command is recorded. The response has the service's receipt, and the events as the caller may see them.

    *actions* and *table_view* are present if the request asks for them with `expand` and the service can read them.
    """

    table: str
    position: Annotated[int, Meta(description="The position of the last event.")]
    receipt: Receipt
    events: tuple[EventItem, ...]
    actions: Annotated[
        ActionList | UnsetType, Meta(description="What the caller may do next, if `expand` names `actions`.")
    ] = UNSET
    table_view: Annotated[
        TableView | UnsetType,
        Meta(description="The table at `position`, shown as a view of the past, if `expand` names `table`."),
    ] = UNSET


class Accepted(Struct, frozen=True, omit_defaults=True):
    """The service would accept the command now. The response does not show the events of the command."""

    accepted: Literal[True]
    seals: Annotated[
        WouldSeal | UnsetType,
        Meta(description="What the command would seal, for a caller who signs it; absent if it would seal nothing."),
    ] = UNSET


def execute(  # noqa: PLR0913 -- these are the parts of a request, and of its response
    stream_id: bytes,
    command: Command,
    caller: Caller,
    signature: Signature | None = None,
    *,
    status: int,
    expand: str = "",
) -> Response:
    """Record *command* for *caller*, and return a response with the events and the parts that *expand* names."""
    order = _order(stream_id, command, caller, signature)
    if caller.has_ended and not "" < recorded_at(stream_id, caller, order.key) <= caller.ended_at:
        raise invalid_key()  # A caller with an ended key must not see what the key's owner did later with another key.
    result = services().play.do(order)
    services().committed(stream_id, result.recorded)
    return _done(order, result, caller, status, _expanded(stream_id, caller, result.receipt.position, expand))


def dry_run(stream_id: bytes, command: Command, caller: Caller, signature: Signature | None) -> Response:
    """Return a response that says that *command* would be accepted; a refusal is raised as an exception.

    The request must have an Idempotency-Key. A dry run does not use the key up.
    """
    seals = services().play.dry_run(_order(stream_id, command, caller, signature))
    return json_response(Accepted(accepted=True, seals=seals or UNSET), caller)


def _order(stream_id: bytes, command: Command, caller: Caller, signature: Signature | None) -> Order:
    return Order(
        stream_id=stream_id,
        caller=caller.owner,
        key=parsing.idempotency_key(),
        command=command,
        signature=signature,
        if_match=parsing.if_match(),
        sees_cards="play" in caller.scopes,
    )


class _Expanded(Struct, frozen=True):
    """The parts that `expand` adds to a response."""

    actions: ActionList | UnsetType = UNSET
    table_view: TableView | UnsetType = UNSET


_NOT_EXPANDED: Final = _Expanded()


def _expanded(stream_id: bytes, caller: Caller, position: int, expand: str) -> _Expanded:
    """Return the parts that *expand* names, as *caller* may see them at *position*, the command's last position.

    The command is already recorded. So if a part can't be read now, this function raises no error and returns no part.
    """
    names = set(expand.split(",")) - {""}
    if not names:
        return _NOT_EXPANDED
    try:
        with reading(services().engine) as connection:
            present = visible_tables.intact_table(connection, stream_id, caller)
            past = present if present.position == position else visible_tables.past_table(connection, present, position)
            return _Expanded(
                available_actions.action_list(connection, past, caller) if "actions" in names else UNSET,
                table.table_view(connection, past, caller, is_present=False) if "table" in names else UNSET,
            )
    except (Problem, StreamCorrupted, SQLAlchemyError):
        return _NOT_EXPANDED


def _done(order: Order, result: CommandResult, caller: Caller, status: int, expanded: _Expanded) -> Response:
    context = request_context()
    context.first, context.position = result.recorded[0].position, result.receipt.position
    done = Done(
        table=table_id(order.stream_id),
        position=result.receipt.position,
        receipt=result.receipt,
        events=with_openings(result.recorded, result.openings, result.fields),
        actions=expanded.actions,
        table_view=expanded.table_view,
    )
    response = with_log_checkpoint(json_response(done, caller, status=status, position=done.position))
    if result.replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response
