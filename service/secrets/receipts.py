"""Receipts: the service's signatures, which prove what the service has recorded (DECISIONS 3)."""

from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct, structs

from service.canonical import canonical
from service.secrets.keyring import ServiceKey

_DOMAIN: Final = b"chiptrail/receipt/v1\n"


class Receipt(Struct, frozen=True, kw_only=True):
    """The service states that the command *cmd* put the leaf with *leaf_hash* at *position* of *stream*.

    *origin* is the name of the log; *leaf_hash* and *cmd* have 64 hex digits; *signature* (Ed25519) has 128.
    """

    origin: str
    stream: str
    position: int
    leaf_hash: str
    cmd: str
    signature: str


class Signer:
    """Signs receipts for the log *origin*. Others verify the signatures with *public_key* (64 hex digits)."""

    def __init__(self, key: ServiceKey, origin: str) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(key.signing_key)
        self._origin = origin
        self.public_key: Final = public_key(key)

    def receipt(self, stream: str, position: int, leaf_hash: bytes, cmd: str) -> Receipt:
        """Return the receipt for a recorded leaf; the same arguments always give the same receipt."""
        hash_hex = leaf_hash.hex()
        unsigned = Receipt(
            origin=self._origin, stream=stream, position=position, leaf_hash=hash_hex, cmd=cmd, signature=""
        )
        return structs.replace(unsigned, signature=self._key.sign(_signed(unsigned)).hex())


def public_key(key: ServiceKey) -> str:
    """Return the public key (64 hex digits) that verifies the receipts of the service with the service key *key*."""
    return Ed25519PrivateKey.from_private_bytes(key.signing_key).public_key().public_bytes_raw().hex()


def verify(receipt: Receipt, public_key: str) -> bool:
    """Return whether the signature of *receipt* is valid under *public_key*."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(receipt.signature), _signed(receipt))
    except (InvalidSignature, ValueError):
        return False
    return True


def _signed(receipt: Receipt) -> bytes:
    members = structs.asdict(receipt)
    del members["signature"]
    return _DOMAIN + canonical(members)
