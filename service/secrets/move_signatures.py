"""Signatures of moves: the texts that players sign, and the check of a signature (DECISIONS 102)."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from service.canonical import canonical

_MOVE: Final = b"chiptrail/move/v1\n"
_KEY: Final = re.compile("[0-9a-f]{64}")
_PRIME: Final = 2**255 - 19
_ORDER_EIGHT: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_WEAK: Final = frozenset({0, 1, _PRIME - 1, _ORDER_EIGHT, _PRIME - _ORDER_EIGHT})
"""The y-coordinates of the points of small order: under such a public key a forged signature can be valid."""


class SignedMove(Struct, frozen=True, kw_only=True):
    """The values that the text of a signed move has, besides the line that names the format.

    *position* and *head_hash* (hex) name the last event of the stream that the player had seen before the decision.
    *cmd* is the command's id. *action* is the action as `Moves.signed_action` makes it.
    """

    stream: str
    position: int
    head_hash: str
    cmd: str
    action: Mapping[str, Any]


def move_text(move: SignedMove) -> bytes:
    """Return the bytes that the player signs.

    Raises:
        NotCanonical: the action has a value that log/v1 does not allow.
    """
    return _MOVE + canonical(move)


def choice_hash(stream: str, seat: int, field: str, blind: str, value: Any) -> str:  # noqa: ANN401 -- it is JSON
    """Return the hash (hex) that a signed action has instead of the *value* of a sealed field.

    *blind* has 32 random bytes that the player chose, in hex: without *blind* anybody could find the value by computing
    the hash of each possible value.

    Raises:
        NotCanonical: log/v1 does not allow *value*.
    """
    lines = ("chiptrail/choice/v1", stream, f"seat:{seat}", field, blind)
    return sha256("".join(f"{line}\n" for line in lines).encode("ascii") + canonical(value)).hexdigest()


def is_sound_key(public_key: str) -> bool:
    """Return whether *public_key* has 64 hex digits, and its y-coordinate is canonical and not in `_WEAK`."""
    if not _KEY.fullmatch(public_key):
        return False
    y = int.from_bytes(bytes.fromhex(public_key), "little") & (2**255 - 1)
    return y < _PRIME and y not in _WEAK


def is_signed(public_key: str, signature: str, text: bytes) -> bool:
    """Return whether *signature* (hex) of *text* is valid under *public_key* (hex)."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True
