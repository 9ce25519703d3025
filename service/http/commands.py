"""How a request becomes a command, and what it made an answer."""

from typing import Annotated, Literal

from flask import Response
from msgspec import Meta, Struct

from service.games.game import Command
from service.http import requests
from service.http.answers import told
from service.http.envelopes import EventItem, with_openings
from service.http.identity import invalid_key
from service.http.parts import here
from service.http.visit import Asker, visit
from service.log.database import reading
from service.log.entries import stream_name
from service.log.signer import Receipt
from service.orders import Order, Played
from service.projections.situations import table_id


class Done(Struct, frozen=True, kw_only=True):
    """A command is recorded: the service's receipt, and the events that it made, as the asker may see them."""

    table: str
    position: Annotated[int, Meta(description="Of the last of the events.")]
    receipt: Receipt
    events: tuple[EventItem, ...]


class Accepted(Struct, frozen=True):
    """The command would be accepted now; what would come of it is not told."""

    accepted: Literal[True]


def do(stream_id: bytes, command: Command, asker: Asker, *, status: int) -> Response:
    """Have *command* recorded for *asker*, and answer with what it made."""
    order = _order(stream_id, command, asker, requests.idempotency_key())
    if asker.has_ended and not "" < recorded_at(stream_id, asker, order.key) <= asker.ended_at:
        raise invalid_key()  # What the owner has done since then, by another key, is not for this one to know.
    played = here().play.do(order)
    here().waiting.wake(stream_id)
    return _answer(order, played, asker, status)


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
    cmd = here().derivation.command_id(asker.owner, stream_name(stream_id), key)
    with reading(here().engine) as connection:
        found = here().log.decision(connection, stream_id, cmd)
    return found.at if found else ""


def _answer(order: Order, played: Played, asker: Asker, status: int) -> Response:
    now = visit()
    now.first, now.position = played.recorded[0].position, played.receipt.position
    done = Done(
        table=table_id(order.stream_id),
        position=played.receipt.position,
        receipt=played.receipt,
        events=with_openings(played.recorded, played.openings, played.fields),
    )
    response = told(done, asker, status=status, position=done.position)
    if played.replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response
