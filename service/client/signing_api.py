"""The endpoints for a player who signs: registers a signing key, and signs each action at the table (G.13)."""

# DECISIONS 102

import hmac
from collections.abc import Callable, Mapping
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from service.client.client import Client
from service.client.client_errors import Problem
from service.client.endpoints import Api
from service.client.table_answers import Action, Actions, CommandResult, DryRun, SignFrom
from service.secrets.commitments import command_id
from service.secrets.move_signatures import SignedMove, choice_hash, move_text

Seals = Callable[[Action, Mapping[str, Any]], tuple[str, Mapping[str, Any]]]
"""A function that returns what an action of one game seals at a table with the given options.

It returns the type of the decision, and the sealed values by field; ("", {}) if the action seals nothing.
"""

_NEVER: Final = frozenset({"end_signing_key"})
"""The actions that a seat with a key sends without a signature."""
_HEAD_HAS_MOVED: Final = "head_must_be_of_the_turn"
_MOST_ATTEMPTS: Final = 20
_NO_SEALS: Final[Mapping[str, Seals]] = {}


class SealsOther(Exception):
    """The service would seal other values than those of the action, so the client does not sign the action."""


class _Place(Struct, frozen=True):
    """The caller's *seat* at a table, the caller's command *secret* there, and the table's *game* and *options*."""

    seat: int
    secret: bytes
    game: str
    options: dict[str, Any]


class SigningApi(Api):
    """Calls the endpoints, and signs the caller's actions at the tables where `register` was called, all with one key.

    The signed text names the event `sign_from` of the newest list of actions. So the caller must list the actions
    before each action.
    """

    def __init__(self, client: Client, draw: Callable[[], bytes], seals: Mapping[str, Seals] = _NO_SEALS) -> None:
        """Take *draw*, which returns the 32 bytes of the private key, and is called once, at the first registration.

        *seals* maps the name of a game to a function of the type `Seals`. For the other games a dry run of each action
        returns what the action seals.
        """
        super().__init__(client)
        self._draw = draw
        self._seals = seals
        self._drawn: Ed25519PrivateKey | None = None
        self._places: dict[str, _Place] = {}
        self._sign_from: dict[str, SignFrom] = {}

    @property
    def _key(self) -> Ed25519PrivateKey:
        if self._drawn is None:
            self._drawn = Ed25519PrivateKey.from_private_bytes(self._draw())
        return self._drawn

    def register(self, table: str) -> None:
        """Register the key for the caller's seat at *table*, unless it is registered; then `act` signs at *table*.

        The signed text of a registration names the last event of the table. If another event is recorded first, the
        client signs a text that names this event.
        """
        me, shown = self.me(table), self.table(table)
        self._places[table] = _Place(me.seat, bytes.fromhex(me.command_secret), shown.game, shown.options)
        public_key = self._key.public_key().public_bytes_raw().hex()
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            signing = self.actions(table, wait_seconds=0).signing
            if signing and signing.public_key == public_key:
                return  # The program was stopped after it had registered the key.
            try:
                self.act(table, {"type": "register_signing_key", "public_key": public_key})
            except Problem as problem:
                if problem.code != _HEAD_HAS_MOVED or attempt == _MOST_ATTEMPTS:
                    raise
            else:
                return

    def actions(self, table: str, *, wait_seconds: int) -> Actions:
        """Return the caller's legal actions, as `Api.actions` does; remember which event the next signature names."""
        listed = super().actions(table, wait_seconds=wait_seconds)
        if listed.signing:
            self._sign_from[table] = listed.signing.sign_from
        return listed

    def act(self, table: str, action: Action, *, idempotency_key: str = "") -> CommandResult:
        """Take *action* at a table, as `Api.act` does. Sign the action if `register` was called for the table.

        The action that ends the signing key is not signed.

        Raises:
            SealsOther: the service would seal other values than those of *action*; the action was not sent.
        """
        place = self._places.get(table)
        if place is None or action["type"] in _NEVER:
            return super().act(table, action, idempotency_key=idempotency_key)
        key = idempotency_key or self.client.new_key()
        return super().act(table, {**action, "sig": self._signature(table, place, action, key)}, idempotency_key=key)

    def _signature(self, table: str, place: _Place, action: Action, key: str) -> dict[str, Any]:
        """Return the member `sig` of *action*, which is sent under the Idempotency-Key *key*."""
        stream, head, cmd = f"table/{table}", self._sign_from[table], command_id(place.secret, key)
        decision, values = self._sealed(table, place, action)
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

    def _sealed(self, table: str, place: _Place, action: Action) -> tuple[str, Mapping[str, Any]]:
        """Return the type of the decision that *action* makes, and the values that it seals; ("", {}): none."""
        if known := self._seals.get(place.game):
            return known(action, place.options)
        seals = self.client.post(f"/v1/tables/{table}/actions?dry_run=true", DryRun, action).seals
        if seals is None:
            return "", {}
        values = {one.field: one.value for one in seals.fields}
        _must_be_of(action, seals.decision, values)
        return seals.decision, values

    def _blind(self, stream: str, cmd: str, field: str) -> str:
        """Return 32 bytes (hex) that only the signing key's owner can compute; a repeated action has the same bytes."""
        text = f"{stream}\n{cmd}\n{field}\n".encode()
        return hmac.digest(self._key.private_bytes_raw(), text, "sha256").hex()


def _must_be_of(action: Action, decision: str, values: Mapping[str, Any]) -> None:
    """Check that *values* has each member of *action* besides its type, with the same value.

    All other values must be empty. A *decision* that seals nothing would be a public action, perhaps another action
    than *action*.

    Raises:
        SealsOther: the player has not chosen exactly these values, or *values* is empty.
    """
    parts = [value if isinstance(value, dict) else {field: value} for field, value in values.items()]
    members = [member for part in parts for member in part.items()]
    flat = dict(members)
    chosen = {name: value for name, value in action.items() if name != "type"}
    is_chosen = {name: value for name, value in flat.items() if value or name in chosen} == chosen
    if not values or len(flat) < len(members) or not is_chosen:
        raise SealsOther(f"The service would seal {values} as {decision} for the action {dict(action)}.")
