"""A player who signs moves as `log_format.md` defines them, without the service's code."""

# ruff: noqa: ANN401 -- JSON may be any value

import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from werkzeug.test import TestResponse

from tests.http.service import Person, accepted


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def choice(stream: str, seat: int, field: str, blind: str, value: Any) -> str:
    lines = "".join(f"{line}\n" for line in ("chiptrail/choice/v1", stream, f"seat:{seat}", field, blind))
    return sha256(lines.encode() + canonical(value)).hexdigest()


def key_of(name: str) -> Ed25519PrivateKey:
    """Return the private key that *name* determines."""
    return Ed25519PrivateKey.from_private_bytes(sha256(name.encode()).digest())


def public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


class Signer:
    """Signs the actions of *person* at the table with the URL path *path*, with the private *key*."""

    def __init__(self, person: Person, path: str, key: Ed25519PrivateKey) -> None:
        self.person = person
        self.path = path
        self.key = key
        self.stream = f"table/{path.rpartition('/')[2]}"

    @property
    def sign_from(self) -> dict[str, Any]:
        """The event that the list of actions names: its position and hash."""
        found: dict[str, Any] = accepted(self.person.get(f"{self.path}/actions")).json["signing"]["sign_from"]
        return found

    def cmd(self, idempotency_key: str) -> str:
        secret = accepted(self.person.get(f"{self.path}/me")).json["command_secret"]
        text = f"chiptrail/cmd/v1\n{idempotency_key}\n".encode()
        return hmac.new(bytes.fromhex(secret), text, "sha256").hexdigest()

    def text(self, action: Any, idempotency_key: str, head: Mapping[str, Any]) -> bytes:
        move = {"stream": self.stream, **head, "cmd": self.cmd(idempotency_key), "action": action}
        return b"chiptrail/move/v1\n" + canonical(move)

    def sig(
        self, action: Any, idempotency_key: str, head: Mapping[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        """Return the member `sig` for *action*, signed on *head* (default: `sign_from`)."""
        head = head or self.sign_from
        signature = self.key.sign(self.text(action, idempotency_key, head)).hex()
        return {**head, "signature": signature, **more}

    def register(self, key: str = "register", previous: "Signer | None" = None, **more: Any) -> TestResponse:
        """Register the key; *previous*, if given, signs the registration with the seat's present key, too."""
        action = {"type": "register_signing_key", "public_key": public(self.key)}
        head = self.sign_from
        if previous:
            more["previous"] = previous.sig(action, key, head)["signature"]
        return self.person.post(f"{self.path}/actions", {**action, "sig": self.sig(action, key, head, **more)}, key=key)

    def do(self, type_: str, key: str, head: Mapping[str, Any] | None = None, **members: Any) -> TestResponse:
        """Post an action that seals nothing, with its signature."""
        action = {"type": type_, **members}
        return self.person.post(f"{self.path}/actions", {**action, "sig": self.sig(action, key, head)}, key=key)

    def do_sealed(
        self, action: Mapping[str, Any], decision: str, values: Mapping[str, Any], blinds: Mapping[str, str], key: str
    ) -> TestResponse:
        """Post *action*, whose event of the type *decision* seals *values*, with its signature and the *blinds*."""
        seat = accepted(self.person.get(f"{self.path}/me")).json["seat"]
        hashes = {field: choice(self.stream, seat, field, blinds[field], value) for field, value in values.items()}
        sig = self.sig({"type": decision, **hashes}, key)
        sig["blinds"] = [{"field": field, "blind": blind} for field, blind in blinds.items()]
        return self.person.post(f"{self.path}/actions", {**action, "sig": sig}, key=key)
