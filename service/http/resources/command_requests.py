"""Turns a request into a command, and the recorded events into an answer (DECISIONS 37)."""

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
from service.http.responses.answers import json_response
from service.play.orders import CommandResult, Order
from service.secrets.receipts import Receipt
from service.tables.envelopes import EventItem, with_openings
from service.tables.fold import table_id


class ExpandQuery(Struct, frozen=True):
    """Selects the parts that the answer to a command also includes."""

    expand: Annotated[
        str,
        Meta(
            pattern="^((actions|table)(,(actions|table))?)?$",
            description="Also answer with `actions`, `table`, or both, separated by a comma: what the caller may do "
            "next, and the table, both right after the command. A repeat gets the same.",
        ),
    ] = ""


class Done(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The command is recorded. The answer has the service's receipt, and the events as the caller may see them.

    *actions* and *table_view* are present if the request expands them and they can be read.
    """

    table: str
    position: Annotated[int, Meta(description="The position of the last of the events.")]
    receipt: Receipt
    events: tuple[EventItem, ...]
    actions: Annotated[
        ActionList | UnsetType, Meta(description="What the caller may do next, with `expand=actions`.")
    ] = UNSET
    table_view: Annotated[
        TableView | UnsetType,
        Meta(description="The table at that position, shown as a view of the past, with `expand=table`."),
    ] = UNSET


class Accepted(Struct, frozen=True):
    """The command would be accepted now. Its events are not shown."""

    accepted: Literal[True]


def execute(stream_id: bytes, command: Command, caller: Caller, *, status: int, expand: str = "") -> Response:
    """Record *command* for *caller*, and answer with its events and the parts that *expand* names."""
    order = _order(stream_id, command, caller, parsing.idempotency_key())
    if caller.has_ended and not "" < recorded_at(stream_id, caller, order.key) <= caller.ended_at:
        raise invalid_key()  # An ended key may not see what its owner did later with another key.
    result = services().play.do(order)
    services().long_polls.notify(stream_id)
    return _done(order, result, caller, status, _expanded(stream_id, caller, result.receipt.position, expand))


def dry_run(stream_id: bytes, command: Command, caller: Caller) -> Response:
    """Answer whether *command* would be accepted. The request needs an Idempotency-Key, and does not use it up."""
    parsing.idempotency_key()
    services().play.dry_run(_order(stream_id, command, caller, key=""))
    return json_response(Accepted(accepted=True), caller)


def _order(stream_id: bytes, command: Command, caller: Caller, key: str) -> Order:
    return Order(
        stream_id=stream_id,
        caller=caller.owner,
        key=key,
        command=command,
        if_match=parsing.if_match(),
        sees_cards="play" in caller.scopes,
    )


class _Expanded(Struct, frozen=True):
    """The parts that `expand` adds to an answer."""

    actions: ActionList | UnsetType = UNSET
    table_view: TableView | UnsetType = UNSET


_NOT_EXPANDED: Final = _Expanded()


def _expanded(stream_id: bytes, caller: Caller, position: int, expand: str) -> _Expanded:
    """Return the parts that *expand* names, as *caller* may see them at *position*, the last of the command.

    The command is already recorded, so this function never fails: if a part can't be read now, it returns none.
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
    response = json_response(done, caller, status=status, position=done.position)
    if result.replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response
