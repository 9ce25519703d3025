"""Openings: a sealed value with its salt, with which a reader checks a commitment (log/v1) (DECISIONS 35)."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from service.canonical import canonical
from service.secrets import commitments
from service.secrets.move_signatures import choice_hash

_PADDED_LENGTH: Final = 256
"""Plaintexts are padded to a multiple of this number of bytes."""


class FieldOpening(Struct, frozen=True, omit_defaults=True):
    """The *value* and *salt* (hex) of a sealed *field*, with which a reader checks the leaf's commitment.

    *blind* (hex) is the player's own salt, with which a reader checks the value against the player's signature; empty:
    the decision is not signed.
    """

    stream: str
    position: int
    field: str
    salt: str
    value: Any
    blind: str = ""


class _Sealed(Struct, frozen=True):
    """The part of an opening that is encrypted."""

    salt: str
    value: Any
    blind: str = ""


class Committed(Struct, frozen=True):
    """The commitments to a value that *seat* sealed, in hex.

    *c* is the hash of the value and the service's salt. *choice* is the hash of the value and the player's blind;
    empty: the decision is not signed.
    """

    c: str
    choice: str
    seat: int


class OpeningMustMatch(Exception):
    """An opening's value, salt or blind does not match the commitments in the leaf."""


def padded_plaintext(opening: FieldOpening) -> bytes:
    """Return the plaintext to seal for *opening*: its salt and value, and the blind if there is one.

    The plaintext is padded with spaces, because the length of the ciphertext could otherwise reveal the value.
    """
    blind = {"blind": opening.blind} if opening.blind else {}
    data = canonical({**blind, "salt": opening.salt, "value": opening.value})
    return data.ljust(-(-len(data) // _PADDED_LENGTH) * _PADDED_LENGTH)


def check_opening(opening: FieldOpening, committed: Committed) -> None:
    """Check that the value, salt and blind of *opening* give the commitments *committed*.

    Raises:
        OpeningMustMatch: the value, salt or blind of *opening* does not match *committed*.
    """
    try:
        is_right = _computed(opening, committed) == (committed.c, committed.choice)
    except ValueError:
        is_right = False
    if not is_right:
        raise OpeningMustMatch(f"{opening.field} at position {opening.position} of {opening.stream}")


def _computed(opening: FieldOpening, committed: Committed) -> tuple[str, str]:
    stream, field, value = opening.stream, opening.field, opening.value
    c = commitments.field_commitment(stream, opening.position, field, bytes.fromhex(opening.salt), value)
    blind = opening.blind
    return c, choice_hash(stream, committed.seat, field, blind, value) if blind else ""


def open_field(stream: str, position: int, field: str, plaintext: bytes, committed: Committed) -> FieldOpening:
    """Return the opening in *plaintext*, after checking the opening against the commitments *committed*.

    Raises:
        OpeningMustMatch: *plaintext* has no opening, or the opening does not match *committed*.
    """
    try:
        sealed = msgspec.json.decode(plaintext, type=_Sealed)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OpeningMustMatch(f"{field} at position {position} of {stream}") from error
    opening = FieldOpening(stream, position, field, sealed.salt, sealed.value, sealed.blind)
    check_opening(opening, committed)
    return opening
