"""The only door through which chance, time and fresh ids come in."""

import os
import time
from datetime import UTC, datetime

import uuid_utils

SECRET_BYTES = 32
NONCE_BYTES = 12


class Entropy:
    """What a process asks the world for, handed to whoever needs it, so that a test can answer instead."""

    def secret(self) -> bytes:
        """Return 32 bytes that nobody can guess: a seed, a salt, a key."""
        return os.urandom(SECRET_BYTES)

    def nonce(self) -> bytes:
        """Return 12 bytes for one sealing with AES-GCM."""
        return os.urandom(NONCE_BYTES)

    def now(self) -> str:
        """Return the time of day in UTC, as in ``2026-01-01T00:00:00.000Z``. Nothing may be ordered by it."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"

    def new_id(self, prefix: str) -> str:
        """Return a fresh id: *prefix*, an underscore and the 32 hex digits of a UUIDv7."""
        return f"{prefix}_{uuid_utils.uuid7().hex}"

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back; only differences mean anything."""
        return time.monotonic()
