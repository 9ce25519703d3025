"""Openings: a sealed value with its salt, with which a reader checks a commitment (log/v1) (DECISIONS 35)."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from service.canonical import canonical
from service.secrets import commitments

_PADDED_LENGTH: Final = 256
"""Plaintexts are padded to a multiple of this number of bytes."""


class FieldOpening(Struct, frozen=True):
    """The *value* and *salt* (hex) of a sealed *field*, with which a reader checks the leaf's commitment."""

    stream: str
    position: int
    field: str
    salt: str
    value: Any


class _Sealed(Struct, frozen=True):
    """The part of an opening that is encrypted."""

    salt: str
    value: Any


class OpeningMustMatch(Exception):
    """An opening's value or salt does not match the commitment in the leaf."""


def padded_plaintext(opening: FieldOpening) -> bytes:
    """Return the plaintext to seal for *opening*: its salt and value.

    The plaintext is padded with spaces, because the length of the ciphertext could otherwise reveal the value.
    """
    data = canonical({"salt": opening.salt, "value": opening.value})
    return data.ljust(-(-len(data) // _PADDED_LENGTH) * _PADDED_LENGTH)


def check_opening(opening: FieldOpening, commitment: str) -> None:
    """Check that the value and salt of *opening* give *commitment* (hex).

    Raises:
        OpeningMustMatch: the value or salt of *opening* does not match.
    """
    try:
        salt = bytes.fromhex(opening.salt)
        computed = commitments.field_commitment(opening.stream, opening.position, opening.field, salt, opening.value)
    except ValueError:
        computed = ""
    if computed != commitment:
        raise OpeningMustMatch(f"{opening.field} at position {opening.position} of {opening.stream}")


def open_field(stream: str, position: int, field: str, plaintext: bytes, commitment: str) -> FieldOpening:
    """Return the opening in *plaintext*, after checking the opening against *commitment* (hex).

    Raises:
        OpeningMustMatch: the value or salt of the opening does not match.
    """
    try:
        sealed = msgspec.json.decode(plaintext, type=_Sealed)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OpeningMustMatch(f"{field} at position {position} of {stream}") from error
    opening = FieldOpening(stream, position, field, sealed.salt, sealed.value)
    check_opening(opening, commitment)
    return opening
