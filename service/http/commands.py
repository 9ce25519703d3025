"""How a request becomes a command, and what it made an answer."""

from typing import Annotated, Final, Literal

from flask import Response
from msgspec import UNSET, Meta, Struct, UnsetType
from sqlalchemy.exc import SQLAlchemyError

from service.games.game import Command
from service.http import known, legal, requests, table
from service.http.answers import told
from service.http.envelopes import EventItem, with_openings
from service.http.identity import invalid_key
from service.http.legal import ActionList
from service.http.parts import here
from service.http.problems import Problem
from service.http.table import TableView
from service.http.visit import Asker, visit
from service.log.database import reading
from service.log.holding import LogMustRunOn
from service.log.leaf import command_id
from service.log.signer import Receipt
from service.orders import Order, Played
from service.projections.situations import table_id


class Expand(Struct, frozen=True):
    """What to answer with besides."""

    expand: Annotated[
        str,
        Meta(
            pattern="^((actions|table)(,(actions|table))?)?$",
            description="`actions`, `table` or both, with a comma: what the asker may do next, and the table, both "
            "where it stood right after the command; a repeat has the same.",
        ),
    ] = ""


class Done(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A command is recorded: the service's receipt, and the events that it made, as the asker may see them.

    *actions* and *table_view* are there where the request expands them and they can be read.
    """

    table: str
    position: Annotated[int, Meta(description="Of the last of the events.")]
    receipt: Receipt
    events: tuple[EventItem, ...]
    actions: Annotated[ActionList | UnsetType, Meta(description="What the asker may do next, by `expand=actions`.")] = (
        UNSET
    )
    table_view: Annotated[
        TableView | UnsetType, Meta(description="The table there, as a view of the past has it, by `expand=table`.")
    ] = UNSET


class Accepted(Struct, frozen=True):
    """The command would be accepted now; what would come of it is not told."""

    accepted: Literal[True]


def do(stream_id: bytes, command: Command, asker: Asker, *, status: int, expand: str = "") -> Response:
    """Have *command* recorded for *asker*, and answer with what it made, and with what *expand* names besides."""
    order = _order(stream_id, command, asker, requests.idempotency_key())
    if asker.has_ended and not "" < recorded_at(stream_id, asker, order.key) <= asker.ended_at:
        raise invalid_key()  # What the owner has done since then, by another key, is not for this one to know.
    played = here().play.do(order)
    here().waiting.wake(stream_id)
    return _answer(order, played, asker, status, _expanded(stream_id, asker, played.receipt.position, expand))


def attempt(stream_id: bytes, command: Command, asker: Asker) -> Response:
    """Find out whether *command* would be accepted; its Idempotency-Key must be there and stays free."""
    requests.idempotency_key()
    here().play.would(_order(stream_id, command, asker, key=""))
    return told(Accepted(accepted=True), asker)


def _order(stream_id: bytes, command: Command, asker: Asker, key: str) -> Order:
    return Order(
        stream_id=stream_id,
        asker=asker.owner,
        key=key,
        command=command,
        if_match=requests.if_match(),
        sees_cards="play" in asker.scopes,
    )


def recorded_at(stream_id: bytes, asker: Asker, key: str) -> str:
    """Return when *asker*'s command under this Idempotency-Key was recorded; "": there is none."""
    with reading(here().engine) as connection:
        found = here().log.decision(connection, stream_id, command_id(asker.owner, key))
    return found.at if found else ""


class _Expanded(Struct, frozen=True):
    """What an answer has besides."""

    actions: ActionList | UnsetType = UNSET
    table_view: TableView | UnsetType = UNSET


_NOTHING_MORE: Final = _Expanded()


def _expanded(stream_id: bytes, asker: Asker, position: int, expand: str) -> _Expanded:
    """Return what *expand* names, as *asker* may see it at *position*, which its command has led to.

    The command is recorded: what can't be read just then is left out, and no error is told.
    """
    names = set(expand.split(",")) - {""}
    if not names:
        return _NOTHING_MORE
    try:
        with reading(here().engine) as connection:
            present = known.as_far_as_it_holds(connection, stream_id, asker)
            past = present if present.position == position else known.then(connection, present, position)
            return _Expanded(
                legal.actions(connection, past, asker) if "actions" in names else UNSET,
                table.seen(connection, past, asker, is_present=False) if "table" in names else UNSET,
            )
    except (Problem, LogMustRunOn, SQLAlchemyError):
        return _NOTHING_MORE


def _answer(order: Order, played: Played, asker: Asker, status: int, expanded: _Expanded) -> Response:
    now = visit()
    now.first, now.position = played.recorded[0].position, played.receipt.position
    done = Done(
        table=table_id(order.stream_id),
        position=played.receipt.position,
        receipt=played.receipt,
        events=with_openings(played.recorded, played.openings, played.fields),
        actions=expanded.actions,
        table_view=expanded.table_view,
    )
    response = told(done, asker, status=status, position=done.position)
    if played.replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response
