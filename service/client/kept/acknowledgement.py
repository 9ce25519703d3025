"""The response to a command, which acknowledges the command by a receipt."""

# DECISIONS 119

from threading import Lock
from typing import Final

from msgspec import Raw, Struct

from service.secrets.receipts import Receipt

_MOST: Final = 10_000


class EventOfResponse(Struct, frozen=True):
    """An event that the command put into the log."""

    leaf: Raw


class Acknowledgement(Struct, frozen=True):
    """The response to a command: the *receipt* is for the last of its *events*, at *position*."""

    position: int
    receipt: Receipt
    events: tuple[EventOfResponse, ...]
    table: str = ""


class KnownCommands:
    """The Idempotency-Keys of this program's newest commands, by the receipts of these commands. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._keys: dict[tuple[str, str], str] = {}

    def is_of(self, receipt: Receipt, idempotency_key: str) -> bool:
        """Return whether *receipt* is of the command with *idempotency_key*, and not of another known command."""
        with self._lock:
            known = self._keys.setdefault((receipt.stream, receipt.cmd), idempotency_key)
            if len(self._keys) > _MOST:
                del self._keys[next(iter(self._keys))]
        return known == idempotency_key
