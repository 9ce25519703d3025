"""How a request becomes a command, and what it made an answer."""

from typing import Annotated, Final, Literal

from flask import Response
from msgspec import UNSET, Meta, Struct, UnsetType
from sqlalchemy.exc import SQLAlchemyError

from service.database.engines import reading
from service.event_store.entries import stream_name
from service.event_store.quarantine import StreamCorrupted
from service.games.game import Command
from service.http.request import available_actions, parsing, visible_tables
from service.http.request.authentication import invalid_key
from service.http.request.available_actions import ActionList
from service.http.request.context import Caller, request_context
from service.http.request.services import services
from service.http.resources import table
from service.http.resources.table import TableView
from service.http.responses.answers import json_response
from service.http.responses.problems import Problem
from service.play.orders import CommandResult, Order
from service.secrets.receipts import Receipt
from service.tables.envelopes import EventItem, with_openings
from service.tables.fold import table_id


class ExpandQuery(Struct, frozen=True):
    """What to answer with besides."""

    expand: Annotated[
        str,
        Meta(
            pattern="^((actions|table)(,(actions|table))?)?$",
            description="`actions`, `table` or both, with a comma: what the caller may do next, and the table, both "
            "where it stood right after the command; a repeat has the same.",
        ),
    ] = ""


class Done(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A command is recorded: the service's receipt, and the events that it made, as the caller may see them.

    *actions* and *table_view* are there where the request expands them and they can be read.
    """

    table: str
    position: Annotated[int, Meta(description="Of the last of the events.")]
    receipt: Receipt
    events: tuple[EventItem, ...]
    actions: Annotated[
        ActionList | UnsetType, Meta(description="What the caller may do next, by `expand=actions`.")
    ] = UNSET
    table_view: Annotated[
        TableView | UnsetType, Meta(description="The table there, as a view of the past has it, by `expand=table`.")
    ] = UNSET


class Accepted(Struct, frozen=True):
    """The command would be accepted now; what would come of it is not told."""

    accepted: Literal[True]


def do(stream_id: bytes, command: Command, caller: Caller, *, status: int, expand: str = "") -> Response:
    """Have *command* recorded for *caller*, and answer with what it made, and with what *expand* names besides."""
    order = _order(stream_id, command, caller, parsing.idempotency_key())
    if caller.has_ended and not "" < recorded_at(stream_id, caller, order.key) <= caller.ended_at:
        raise invalid_key()  # What the owner has done since then, by another key, is not for this one to know.
    result = services().play.do(order)
    services().long_polls.notify(stream_id)
    return _answer(order, result, caller, status, _expanded(stream_id, caller, result.receipt.position, expand))


def attempt(stream_id: bytes, command: Command, caller: Caller) -> Response:
    """Find out whether *command* would be accepted; its Idempotency-Key must be there and stays free."""
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


def recorded_at(stream_id: bytes, caller: Caller, key: str) -> str:
    """Return when *caller*'s command under this Idempotency-Key was recorded; "": there is none."""
    cmd = services().derivation.command_id(caller.owner, stream_name(stream_id), key)
    with reading(services().engine) as connection:
        found = services().log.reader.decision(connection, stream_id, cmd)
    return found.at if found else ""


class _Expanded(Struct, frozen=True):
    """What an answer has besides."""

    actions: ActionList | UnsetType = UNSET
    table_view: TableView | UnsetType = UNSET


_NOTHING_MORE: Final = _Expanded()


def _expanded(stream_id: bytes, caller: Caller, position: int, expand: str) -> _Expanded:
    """Return what *expand* names, as *caller* may see it at *position*, which its command has led to.

    The command is recorded: what can't be read just then is left out, and no error is told.
    """
    names = set(expand.split(",")) - {""}
    if not names:
        return _NOTHING_MORE
    try:
        with reading(services().engine) as connection:
            present = visible_tables.intact_table(connection, stream_id, caller)
            past = present if present.position == position else visible_tables.past_table(connection, present, position)
            return _Expanded(
                available_actions.actions(connection, past, caller) if "actions" in names else UNSET,
                table.seen(connection, past, caller, is_present=False) if "table" in names else UNSET,
            )
    except (Problem, StreamCorrupted, SQLAlchemyError):
        return _NOTHING_MORE


def _answer(order: Order, result: CommandResult, caller: Caller, status: int, expanded: _Expanded) -> Response:
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
