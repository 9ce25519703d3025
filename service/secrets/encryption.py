"""Sealing: what the log must not show yet, encrypted under the service key."""

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from service.canonical import canonical
from service.entropy import Entropy
from service.secrets.keyring import ServiceKey

_PREFIX: Final = "svk_"


class WrongKey(Exception):
    """Something was sealed under another service key than the one this process has."""


class Tampered(Exception):
    """What is sealed was altered, or was put where it does not belong."""


class Sealed(Struct, frozen=True):
    """A sealed value as it is stored: the 16 bytes of its key's id, the 12 of its nonce, and the ciphertext."""

    key_id: bytes
    nonce: bytes
    ciphertext: bytes


class Sealer:
    """Seals and opens under one service key; what is sealed opens only in the place it was sealed for."""

    def __init__(self, key: ServiceKey) -> None:
        self.key_id: Final = bytes.fromhex(key.key_id.removeprefix(_PREFIX))
        self._cipher = AESGCM(key.sealing_key)

    def seal(self, stream: str, position: int, field: str, plaintext: bytes, nonce: bytes) -> bytes:
        """Return the ciphertext of *plaintext* for one place; *nonce* is 12 bytes, used once only."""
        return self._cipher.encrypt(nonce, plaintext, _place(stream, position, field))

    def open(self, stream: str, position: int, field: str, sealed: Sealed) -> bytes:
        """Return what *sealed* holds for this place.

        Raises:
            WrongKey: it was sealed under another service key.
            Tampered: it is not what was sealed for this place.
        """
        where = f"{field!r} at position {position} of {stream}"
        if sealed.key_id != self.key_id:
            ids = f"{_PREFIX}{sealed.key_id.hex()}, and this process has {_PREFIX}{self.key_id.hex()}"
            raise WrongKey(f"{where} is sealed under {ids}.")
        try:
            return self._cipher.decrypt(sealed.nonce, sealed.ciphertext, _place(stream, position, field))
        except (InvalidTag, ValueError) as error:
            raise Tampered(f"{where} is not what was sealed there.") from error


class SnapshotSealer:
    """Seals what is kept beside the log, where nobody else must be able to write."""

    def __init__(self, sealer: Sealer, entropy: Entropy) -> None:
        self._sealer = sealer
        self._entropy = entropy

    def seal(self, stream: str, position: int, field: str, plaintext: bytes) -> Sealed:
        """Return *plaintext* as it is stored."""
        nonce = self._entropy.nonce()
        return Sealed(self._sealer.key_id, nonce, self._sealer.seal(stream, position, field, plaintext, nonce))

    def open(self, stream: str, position: int, field: str, sealed: Sealed) -> bytes:
        """Return what is stored.

        Raises:
            WrongKey, Tampered: as `Sealer.open`.
        """
        return self._sealer.open(stream, position, field, sealed)


def _place(stream: str, position: int, field: str) -> bytes:
    return canonical((stream, position, field))
