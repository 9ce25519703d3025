"""Receipts: the service's signatures, which prove what the service has recorded (DECISIONS 3)."""

from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from service.canonical import canonical
from service.secrets.keyring import ServiceKey

_DOMAIN: Final = b"chiptrail/receipt/v1\n"


class Receipt(Struct, frozen=True, kw_only=True):
    """The service states that the command *cmd* put the leaf with *leaf_hash* at *position* of *stream*.

    *leaf_hash* and *cmd* have 64 hex digits; *signature* (Ed25519) has 128.
    """

    stream: str
    position: int
    leaf_hash: str
    cmd: str
    signature: str


class Signer:
    """Signs receipts for the service. Others verify the signatures with *public_key* (64 hex digits)."""

    def __init__(self, key: ServiceKey) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(key.signing_key)
        self.public_key: Final = self._key.public_key().public_bytes_raw().hex()

    def receipt(self, stream: str, position: int, leaf_hash: bytes, cmd: str) -> Receipt:
        """Return the receipt for a recorded leaf; the same arguments always give the same receipt."""
        hash_hex = leaf_hash.hex()
        signature = self._key.sign(_signed(stream, position, hash_hex, cmd)).hex()
        return Receipt(stream=stream, position=position, leaf_hash=hash_hex, cmd=cmd, signature=signature)


def verify(receipt: Receipt, public_key: str) -> bool:
    """Return whether the holder of *public_key* signed *receipt*."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        signed = _signed(receipt.stream, receipt.position, receipt.leaf_hash, receipt.cmd)
        key.verify(bytes.fromhex(receipt.signature), signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def _signed(stream: str, position: int, leaf_hash: str, cmd: str) -> bytes:
    receipt = {"stream": stream, "position": position, "leaf_hash": leaf_hash, "cmd": cmd}
    return _DOMAIN + canonical(receipt)
