"""What follows from the derivation secret: secrets that name commands, and the ids of tables, keys and owners."""

from typing import Final

from service.secrets import commitments
from service.secrets.keyring import ServiceKey

_ID_BYTES: Final = 16


class Derivation:
    """Derives what must come out the same for ever, and what nobody without the service key may work out."""

    def __init__(self, service_key: ServiceKey) -> None:
        self._secret = service_key.derivation_secret

    def command_secret(self, caller: str, stream: str) -> bytes:
        """Return the 32 bytes by which *caller* and nobody else can work out the ids of its commands in *stream*."""
        own = commitments.mac(self._secret, "chiptrail/asker/v1", caller)
        return commitments.mac(own, stream)

    def command_id(self, caller: str, stream: str, idempotency_key: str) -> str:
        """Return the hex by which a command of *caller* is known in *stream*."""
        return commitments.command_id(self.command_secret(caller, stream), idempotency_key)

    def derived_id(self, kind: str, caller: str, idempotency_key: str) -> bytes:
        """Return the 16 bytes of what *caller* makes under *idempotency_key*: a repeat makes the same one."""
        return commitments.mac(self._secret, "chiptrail/id/v1", kind, caller, idempotency_key)[:_ID_BYTES]
