"""The only door through which chance enters: secrets that nobody can guess (DECISIONS 83)."""

import os

from service.clock import Clock

SECRET_BYTES = 32
NONCE_BYTES = 12


class Entropy(Clock):
    """The clock, and fresh secrets. A test passes an entropy of its own."""

    def secret(self) -> bytes:
        """Return 32 bytes that nobody can guess: a seed, a salt, a key."""
        return os.urandom(SECRET_BYTES)

    def nonce(self) -> bytes:
        """Return 12 bytes for one encryption with AES-GCM."""
        return os.urandom(NONCE_BYTES)
