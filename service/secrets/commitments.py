"""Commitments to sealed values, and the MACs that name commands (log/v1)."""

import hmac
from hashlib import sha256
from typing import Any

from service.canonical import canonical


def command_id(command_secret: bytes, idempotency_key: str) -> str:
    """Return the hex by which a command is known in its stream, to whoever has its caller's secret for the stream."""
    return mac(command_secret, "chiptrail/cmd/v1", idempotency_key).hex()


def mac(key: bytes, *lines: str) -> bytes:
    """Return the 32 bytes of HMAC-SHA-256 over *lines*."""
    return hmac.digest(key, _lines(*lines), "sha256")


def field_commitment(stream: str, position: int, field: str, salt: bytes, value: Any) -> str:  # noqa: ANN401 -- JSON
    """Return the hex that fixes the *value* of a sealed field until it is opened.

    Raises:
        NotCanonical: *value* is none that log/v1 can write.
    """
    place = _lines("chiptrail/field/v1", stream, str(position), field, salt.hex())
    return sha256(place + canonical(value)).hexdigest()


def _lines(*lines: str) -> bytes:
    if any("\n" in line for line in lines):
        raise ValueError("A line that is hashed can't hold a line feed.")
    return ("\n".join(lines) + "\n").encode("ascii")
