"""The service's only source of secrets that nobody can guess, and of nonces (DECISIONS 83)."""

import os

from service.clock import Clock

SECRET_BYTES = 32
NONCE_BYTES = 12


class Entropy(Clock):
    """The clock and the source of secrets and nonces; a test uses its own entropy instead."""

    def secret(self) -> bytes:
        """Return 32 random bytes that nobody can guess, for a seed, a salt or a key."""
        return os.urandom(SECRET_BYTES)

    def nonce(self) -> bytes:
        """Return 12 random bytes, the nonce for one encryption with AES-GCM."""
        return os.urandom(NONCE_BYTES)
