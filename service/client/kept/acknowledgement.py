"""The response to a command, which acknowledges the command by a receipt."""

# DECISIONS 119

from hashlib import sha256
from threading import Lock
from typing import Final

from msgspec import Raw, Struct

from service.secrets.receipts import Receipt

TABLES: Final = "/v1/tables"
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


def recorded_in(path: str, answer: Acknowledgement) -> tuple[str, str]:
    """Return the name of the stream in which a command to *path* is recorded, and the id of the table.

    If the command opens a table, *path* has no id of the table, and *answer* has it.
    """
    _, table, resource = [*path.removeprefix(TABLES).split("/"), "", ""][:3]
    table = table or answer.table
    return (disputes_of(table) if resource == "disputes" else f"table/{table}"), table


def disputes_of(table: str) -> str:
    """Return the name of the stream of a table's disputes (log/v1)."""
    digest = sha256(f"chiptrail/disputes/v1\ntable/{table}\n".encode()).hexdigest()
    return f"dispute/dsp_{'ff' * 6}{digest[:20]}"


class KnownCommands:
    """The Idempotency-Keys of this program's newest commands, by the stream and the command id in their receipts.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._keys: dict[tuple[str, str], str] = {}

    def is_of(self, receipt: Receipt, idempotency_key: str) -> bool:
        """Return False if *receipt* is of a known command with another key than *idempotency_key*; otherwise True.

        A receipt of a command that is not known yet is remembered with *idempotency_key*.
        """
        with self._lock:
            known = self._keys.setdefault((receipt.stream, receipt.cmd), idempotency_key)
            if len(self._keys) > _MOST:
                del self._keys[next(iter(self._keys))]
        return known == idempotency_key
