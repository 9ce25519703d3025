"""Encryption at rest: encrypts sealed values and snapshots, with AES-GCM and a key derived from the service key."""

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from service.canonical import canonical
from service.entropy import Entropy
from service.secrets.keyring import ServiceKey

_PREFIX: Final = "svk_"


class WrongKey(Exception):
    """The value was sealed under a service key that this process does not have."""


class Tampered(Exception):
    """The sealed value was altered, or moved to another place."""


class Sealed(Struct, frozen=True):
    """A sealed value as the database has it: *key_id* has 16 bytes, *nonce* 12."""

    key_id: bytes
    nonce: bytes
    ciphertext: bytes


class Sealer:
    """Seals values under one service key, and opens values that were sealed under any key of the same key file.

    The place of a value is its stream, position and field. A value can be opened only for the place for which it was
    sealed.
    """

    def __init__(self, key: ServiceKey) -> None:
        self.key_id: Final = bytes.fromhex(key.key_id.removeprefix(_PREFIX))
        self._cipher = AESGCM(key.sealing_key)
        self._others = {bytes.fromhex(one.key_id.removeprefix(_PREFIX)): AESGCM(one.key) for one in key.others}

    def seal(self, stream: str, position: int, field: str, plaintext: bytes, nonce: bytes) -> bytes:
        """Return the ciphertext of *plaintext* for one place. *nonce* has 12 bytes and must be used only once."""
        return self._cipher.encrypt(nonce, plaintext, _place(stream, position, field))

    def open(self, stream: str, position: int, field: str, sealed: Sealed) -> bytes:
        """Return the plaintext of *sealed*, which was sealed for this place.

        Raises:
            WrongKey: the value was sealed under a service key that this process does not have.
            Tampered: the value was altered, or sealed for another place.
        """
        where = f"{field!r} at position {position} of {stream}"
        cipher = self._cipher if sealed.key_id == self.key_id else self._others.get(sealed.key_id)
        if cipher is None:
            keys = f"{_PREFIX}{sealed.key_id.hex()}, and this process has {_PREFIX}{self.key_id.hex()}"
            raise WrongKey(f"{where} is sealed under {keys}.")
        try:
            return cipher.decrypt(sealed.nonce, sealed.ciphertext, _place(stream, position, field))
        except (InvalidTag, ValueError) as error:
            raise Tampered(f"{where} was altered, or sealed for another place.") from error


class SnapshotSealer:
    """Seals snapshots, so that this service accepts no snapshot that another program wrote."""

    def __init__(self, sealer: Sealer, entropy: Entropy) -> None:
        self._sealer = sealer
        self._entropy = entropy

    def seal(self, stream: str, position: int, field: str, plaintext: bytes) -> Sealed:
        """Return *plaintext* sealed for one place."""
        nonce = self._entropy.nonce()
        return Sealed(self._sealer.key_id, nonce, self._sealer.seal(stream, position, field, plaintext, nonce))

    def open(self, stream: str, position: int, field: str, sealed: Sealed) -> bytes:
        """Return the plaintext of *sealed*, which was sealed for this place.

        Raises:
            WrongKey, Tampered: as for `Sealer.open`.
        """
        return self._sealer.open(stream, position, field, sealed)


def _place(stream: str, position: int, field: str) -> bytes:
    return canonical((stream, position, field))
