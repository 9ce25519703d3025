"""Derives command secrets, the ids of tables, keys and owners, and the marks of sign-ins (DECISIONS 48)."""

from typing import Final

from service.secrets import commitments
from service.secrets.keyring import ServiceKey

_ID_BYTES: Final = 16


class Derivation:
    """Derives values that never change, and that nobody can compute without the derivation secret."""

    def __init__(self, service_key: ServiceKey) -> None:
        self._secret = service_key.derivation_secret

    def command_secret(self, caller: str, stream: str) -> bytes:
        """Return the secret (32 bytes) from which the ids of *caller*'s commands in *stream* are computed.

        The service discloses this secret to *caller* only.
        """
        own = commitments.mac(self._secret, "chiptrail/asker/v1", caller)
        return commitments.mac(own, stream)

    def command_id(self, caller: str, stream: str, idempotency_key: str) -> str:
        """Return the id (hex) of a command of *caller* in *stream*."""
        return commitments.command_id(self.command_secret(caller, stream), idempotency_key)

    def derived_id(self, kind: str, caller: str, idempotency_key: str) -> bytes:
        """Return the id (16 bytes) of an object of type *kind* that *caller* makes with *idempotency_key*.

        A repeat with the same Idempotency-Key gets the same id.
        """
        return commitments.mac(self._secret, "chiptrail/id/v1", kind, caller, idempotency_key)[:_ID_BYTES]

    def sign_in_mark(self, token: str, key_id: bytes, expires_at: str) -> bytes:
        """Return the mark (32 bytes) of a sign-in: until *expires_at*, *token* has the rights of the key *key_id*."""
        return commitments.mac(self._secret, "chiptrail/sign-in/v1", token, key_id.hex(), expires_at)
