"""Computes commitments to sealed values (SHA-256 with a salt) and ids of commands (HMAC-SHA-256), as in log/v1."""

import hmac
from hashlib import sha256
from typing import Any

from service.canonical import canonical


def command_id(command_secret: bytes, idempotency_key: str) -> str:
    """Return the id (hex) of a command. Computing the id requires the caller's command secret for the stream."""
    return mac(command_secret, "chiptrail/cmd/v1", idempotency_key).hex()


def mac(key: bytes, *lines: str) -> bytes:
    """Return the 32 bytes of HMAC-SHA-256 over *lines*.

    Raises:
        ValueError: a line has a line feed or a character outside ASCII.
    """
    # `hmac.digest` would release the interpreter lock, and the thread would wait for it again (DECISIONS 137).
    return hmac.new(key, _lines(*lines), "sha256").digest()


def field_commitment(stream: str, position: int, field: str, salt: bytes, value: Any) -> str:  # noqa: ANN401 -- it is JSON
    """Return the commitment (hex) to the *value* of a sealed field.

    Raises:
        NotCanonical: log/v1 does not allow *value*.
        ValueError: *stream* or *field* has a line feed or a character outside ASCII.
    """
    place = _lines("chiptrail/field/v1", stream, str(position), field, salt.hex())
    return sha256(place + canonical(value)).hexdigest()


def _lines(*lines: str) -> bytes:
    if any("\n" in line for line in lines):
        raise ValueError("A hashed line can't contain a line feed.")
    return ("\n".join(lines) + "\n").encode("ascii")
