"""What follows from the derivation secret: secrets that name commands, and the ids of tables, keys and owners."""

from typing import Final

from service.log import leaf
from service.log.keyring import ServiceKey

_ID_BYTES: Final = 16


class Derivation:
    """Derives what must come out the same for ever, and what nobody without the service key may work out."""

    def __init__(self, service_key: ServiceKey) -> None:
        self._secret = service_key.derivation_secret

    def command_secret(self, asker: str, stream: str) -> bytes:
        """Return the 32 bytes by which *asker* and nobody else can work out the ids of its commands in *stream*."""
        own = leaf.mac(self._secret, "chiptrail/asker/v1", asker)
        return leaf.mac(own, stream)

    def command_id(self, asker: str, stream: str, idempotency_key: str) -> str:
        """Return the hex by which a command of *asker* is known in *stream*."""
        return leaf.command_id(self.command_secret(asker, stream), idempotency_key)

    def made_id(self, kind: str, asker: str, idempotency_key: str) -> bytes:
        """Return the 16 bytes of what *asker* makes under *idempotency_key*: a repeat makes the same one."""
        return leaf.mac(self._secret, "chiptrail/id/v1", kind, asker, idempotency_key)[:_ID_BYTES]
