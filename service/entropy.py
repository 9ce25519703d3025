"""The service's only source of randomness: secrets that nobody can guess (DECISIONS 83)."""

import os

from service.clock import Clock

SECRET_BYTES = 32
NONCE_BYTES = 12


class Entropy(Clock):
    """The clock, and a source of random secrets; a test replaces both with its own."""

    def secret(self) -> bytes:
        """Return 32 bytes that nobody can guess: a seed, a salt, a key."""
        return os.urandom(SECRET_BYTES)

    def nonce(self) -> bytes:
        """Return 12 random bytes: the nonce of one encryption with AES-GCM."""
        return os.urandom(NONCE_BYTES)
