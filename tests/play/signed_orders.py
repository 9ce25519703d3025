"""Orders with a player's signature, for tests that call the write path without HTTP (G.13)."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from msgspec import structs, to_builtins

from service.event_store.entries import stream_name
from service.games.game import Command, acting_seat, type_name
from service.games.move import nothing_sealed
from service.http.request.services import Services
from service.play.orders import Blind, Order, Signature
from service.secrets.move_signatures import SignedMove, choice_hash, move_text
from service.tables.fold import TableAt
from tests.http.signer import key_of


def signed(parts: Services, table_at: TableAt, order: Order) -> Order:
    """Return *order*, signed by the seat that gives its command; the signing key is `key_of(<number of the seat>)`."""
    seat, stream = acting_seat(order.command.by), stream_name(table_at.stream_id)
    cmd = parts.derivation.command_id(order.caller, stream, order.key)
    move = table_at.game.moves.of(order.command)
    secrets = move.seals(table_at.state, order.command)
    blinds = {field: sha256(f"{cmd} {field}".encode()).hexdigest() for field in secrets}
    choices = {
        field: choice_hash(stream, seat, field, blinds[field], secret.value) for field, secret in secrets.items()
    }
    is_public = move.seals is nothing_sealed
    decision: Any = move.decision
    head = table_at.sign_from(seat)
    text = move_text(
        SignedMove(
            stream=stream,
            position=head.position,
            head_hash=head.hash.hex(),
            cmd=cmd,
            action=posted(order.command) if is_public else {"type": type_name(decision), **choices},
        )
    )
    signature = Signature(
        position=head.position,
        head_hash=head.hash.hex(),
        signature=key_of(f"{seat}").sign(text).hex(),
        blinds=tuple(Blind(field, blind) for field, blind in blinds.items()),
    )
    return structs.replace(order, signature=signature)


def posted(command: Command) -> Mapping[str, Any]:
    """Return the action that a client posts for *command*, without the members that have their default values."""
    info = zip(structs.fields(command), structs.astuple(command), strict=True)
    members = {
        field.encode_name: to_builtins(value)
        for field, value in info
        if field.name not in command.FROM_CALLER and value != field.default
    }
    return {"type": type_name(command.__class__), **members}
