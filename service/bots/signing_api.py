"""The endpoints for a player who signs: registers a signing key, and signs each action at the table (G.13)."""

# DECISIONS 102

import hmac
from collections.abc import Callable
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from service.bots.bot import Action
from service.bots.client import Client
from service.bots.endpoints import Actions, Api, CommandResult, SignFrom
from service.bots.strategies import SEALS
from service.secrets.commitments import command_id
from service.secrets.move_signatures import SignedMove, choice_hash, move_text

_NEVER: Final = frozenset({"end_signing_key"})
"""The actions that a seat with a key sends without a signature."""


class _Place(Struct, frozen=True):
    """The caller's *seat* at a table, its command *secret* there, and the table's *game* and *options*."""

    seat: int
    secret: bytes
    game: str
    options: dict[str, Any]


class SigningApi(Api):
    """Calls the endpoints, and signs the caller's actions with one *key* at each table where `register` was called.

    The signed text names the event `sign_from` of the newest list of actions. So the caller must list the actions
    before each action.
    """

    def __init__(self, client: Client, draw: Callable[[], bytes]) -> None:
        """Take a function that draws the 32 bytes of a private key; `register` calls it once."""
        super().__init__(client)
        self._draw = draw
        self._drawn: Ed25519PrivateKey | None = None
        self._places: dict[str, _Place] = {}
        self._sign_from: dict[str, SignFrom] = {}

    @property
    def _key(self) -> Ed25519PrivateKey:
        if self._drawn is None:
            self._drawn = Ed25519PrivateKey.from_private_bytes(self._draw())
        return self._drawn

    def register(self, table: str) -> None:
        """Register the key for the caller's seat at *table*; from then on, `act` signs there."""
        me, shown = self.me(table), self.table(table)
        self._places[table] = _Place(me.seat, bytes.fromhex(me.command_secret), shown.game, shown.options)
        self.actions(table, wait_seconds=0)
        public_key = self._key.public_key().public_bytes_raw().hex()
        self.act(table, {"type": "register_signing_key", "public_key": public_key})

    def actions(self, table: str, *, wait_seconds: int) -> Actions:
        """Return the caller's legal actions, as `Api.actions` does, and remember on which event to sign the next."""
        listed = super().actions(table, wait_seconds=wait_seconds)
        if listed.signing:
            self._sign_from[table] = listed.signing.sign_from
        return listed

    def act(self, table: str, action: Action, *, idempotency_key: str = "") -> CommandResult:
        """Post *action* to a table, as `Api.act` does, with the caller's signature if the key is registered there."""
        place = self._places.get(table)
        if place is None or action["type"] in _NEVER:
            return super().act(table, action, idempotency_key=idempotency_key)
        key = idempotency_key or self.client.new_key()
        return super().act(table, {**action, "sig": self._signature(table, place, action, key)}, idempotency_key=key)

    def _signature(self, table: str, place: _Place, action: Action, key: str) -> dict[str, Any]:
        """Return the member `sig` of *action*, which is sent under the Idempotency-Key *key*."""
        stream, head, cmd = f"table/{table}", self._sign_from[table], command_id(place.secret, key)
        decision, values = SEALS[place.game](action, place.options) if place.game in SEALS else ("", {})
        blinds = {field: self._blind(stream, cmd, field) for field in values}
        signed = dict(action)
        if decision:
            hashes = {field: choice_hash(stream, place.seat, field, blinds[field], values[field]) for field in values}
            signed = {"type": decision, **hashes}
        text = move_text(
            SignedMove(stream=stream, position=head.position, head_hash=head.head_hash, cmd=cmd, action=signed)
        )
        return {
            "position": head.position,
            "head_hash": head.head_hash,
            "signature": self._key.sign(text).hex(),
            "blinds": [{"field": field, "blind": blind} for field, blind in blinds.items()],
        }

    def _blind(self, stream: str, cmd: str, field: str) -> str:
        """Return 32 bytes, in hex, that only the owner of the key can compute; a repeated action has the same bytes."""
        text = f"{stream}\n{cmd}\n{field}\n".encode()
        return hmac.digest(self._key.private_bytes_raw(), text, "sha256").hex()
