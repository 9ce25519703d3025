"""Openings: what lets a reader check that a value is the one that a leaf commits to (log/v1)."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from service.canonical import canonical
from service.secrets import commitments

_LENGTH: Final = 256  # bytes, and its multiples


class FieldOpening(Struct, frozen=True):
    """What lets a reader check the commitment to a sealed *field*; *salt* in hex."""

    stream: str
    position: int
    field: str
    salt: str
    value: Any


class _Sealed(Struct, frozen=True):
    """What is sealed of an opening."""

    salt: str
    value: Any


class OpeningMustMatch(Exception):
    """What the sealed store holds is not what the leaf commits to."""


def padded_plaintext(opening: FieldOpening) -> bytes:
    """Return the bytes that are sealed of *opening*: the rest of it says where they lie.

    Spaces make them as long as those of other values, or how long they are would tell a choice from another.
    """
    data = canonical({"salt": opening.salt, "value": opening.value})
    return data.ljust(-(-len(data) // _LENGTH) * _LENGTH)


def check_opening(opening: FieldOpening, commitment: str) -> None:
    """Pass an opening of what a leaf commits to so (hex).

    Raises:
        OpeningMustMatch: it is another value, or salt.
    """
    try:
        salt = bytes.fromhex(opening.salt)
        found = commitments.field_commitment(opening.stream, opening.position, opening.field, salt, opening.value)
    except ValueError:
        found = ""
    if found != commitment:
        raise OpeningMustMatch(f"{opening.field} at position {opening.position} of {opening.stream}")


def open_field(stream: str, position: int, field: str, plaintext: bytes, commitment: str) -> FieldOpening:
    """Return the opening that was sealed as *plaintext*, of what a leaf commits to so (hex).

    Raises:
        OpeningMustMatch: it is another value, or salt.
    """
    try:
        kept = msgspec.json.decode(plaintext, type=_Sealed)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OpeningMustMatch(f"{field} at position {position} of {stream}") from error
    opening = FieldOpening(stream, position, field, kept.salt, kept.value)
    check_opening(opening, commitment)
    return opening
