"""Cosignatures as C2SP tlog-cosignature defines them: a witness signs the text of a checkpoint, and a time."""

from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.transparency import signed_note
from service.transparency.signed_note import COSIGNATURE, NoteMustBeGenuine, Signature, VerifierKey

_TIME_BYTES: Final = 8
_LATEST: Final = (1 << 63) - 1


def witness_key(name: str, key: Ed25519PrivateKey) -> VerifierKey:
    """Return the public part of *key*, the key of the witness *name*.

    Raises:
        NoteMustBeGenuine: the name is empty, or has a space or a plus sign.
    """
    return VerifierKey(name, COSIGNATURE, signed_note.verifier_key(name, key).public_key)


def parse_witness_key(text: str) -> VerifierKey:
    """Return the public key of a witness in *text*.

    Raises:
        NoteMustBeGenuine: *text* is no key, or the key of a log.
    """
    key = signed_note.parse_key(text)
    if key.algorithm != COSIGNATURE:
        raise NoteMustBeGenuine(f"The key of {key.name} is no key of a witness, because its first byte is not 04.")
    return key


def cosign(text: str, name: str, key: Ed25519PrivateKey, seconds: int) -> Signature:
    """Return the cosignature of the checkpoint with this *text*, at the POSIX time *seconds*, by the witness *name*."""
    signature = seconds.to_bytes(_TIME_BYTES, "big") + key.sign(_message(text, seconds))
    return Signature(name, witness_key(name, key).key_hash, signature)


def cosigned_at(text: str, cosignature: Signature, key: VerifierKey) -> int:
    """Return the POSIX time at which the witness with *key* made *cosignature* of the checkpoint with this *text*.

    Raises:
        NoteMustBeGenuine: the cosignature is by another key, is wrong, or has a time that is not possible.
    """
    if (cosignature.name, cosignature.key_hash) != (key.name, key.key_hash) or key.algorithm != COSIGNATURE:
        raise NoteMustBeGenuine(f"The cosignature is not by {key.name}.")
    seconds = int.from_bytes(cosignature.signature[:_TIME_BYTES], "big")
    try:
        public = Ed25519PublicKey.from_public_bytes(key.public_key)
        public.verify(cosignature.signature[_TIME_BYTES:], _message(text, seconds))
    except InvalidSignature:
        raise NoteMustBeGenuine(f"The cosignature by {key.name} is wrong.") from None
    if seconds > _LATEST:
        raise NoteMustBeGenuine(f"The cosignature by {key.name} has no possible time.")
    return seconds


def _message(text: str, seconds: int) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()
