"""The leaf: an event as canonical bytes, and the hash of these bytes (log/v1) (DECISIONS 33 and 60)."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from service.canonical import INTEGER_LIMIT, NotCanonical, check, encode_unchecked

MOST_BYTES: Final = 65_535
NO_HASH: Final = "0" * 64
"""`prev` of the leaf at position 1, which has no leaf before it."""


class Malformed(ValueError):
    """The bytes are not a leaf, or this release does not know the leaf's type or version."""


class Until(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The types of event that decide who may read a sealed field later.

    From the first event of a type in *open* on, everybody may read the field. After an event of a type in *never*, no
    seat gains the right to read the field. *shown* has, for each of its types, the seats that may read the field from
    the first event of this type on.
    """

    never: tuple[str, ...]
    open: tuple[str, ...]
    shown: dict[str, tuple[int, ...]] = {}


class Commitment(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A sealed field in its leaf: *c* is the commitment (hex), and *to* has the seats that may read the field at once.

    *until* decides who may read the field later. *choice* (hex) is the hash that the signed action has instead of the
    value; empty: the decision is not signed.
    """

    c: str
    to: tuple[int, ...]
    until: Until
    choice: str = ""


class MoveSignature(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The member `sig` of a decision's leaf: the *signature* (hex) by the signing key of the decision's seat.

    When deciding, the player had seen the stream up to the event at *position*, whose hash is *head_hash* (hex).
    If the decision registers another key, *previous* is the signature of the same data by the seat's previous key.
    """

    head_hash: str
    position: Annotated[int, Meta(ge=1, lt=INTEGER_LIMIT)]
    signature: str
    previous: str = ""


class Leaf(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A leaf. *pub* has the public members of the event, already as canonical JSON."""

    at: str
    by: str
    cmd: str = ""
    position: Annotated[int, Meta(ge=1, lt=INTEGER_LIMIT)]
    prev: str
    priv: dict[str, Commitment] = {}
    pub: Raw
    sig: MoveSignature | None = None
    stream: str
    type: str
    v: Literal[1]
    version: Annotated[int, Meta(ge=1, lt=INTEGER_LIMIT)]


def encode(leaf: Leaf) -> bytes:
    """Return the canonical bytes of *leaf*.

    Raises:
        NotCanonical: the leaf has a value that log/v1 forbids, or has more than 65,535 bytes.
    """
    check(leaf.position)
    if leaf.priv:
        check(leaf.priv)
    data = encode_unchecked(leaf)
    if len(data) > MOST_BYTES:
        raise NotCanonical(f"A leaf may have at most {MOST_BYTES} bytes; this one has {len(data)}.")
    return data


def decode(data: bytes) -> Leaf:
    """Return the leaf in *data*, with its public members as bytes.

    Raises:
        Malformed: *data* is not a leaf of log/v1.
    """
    try:
        return _LEAF_DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(f"These bytes are no leaf of log/v1: {error}") from error


def check_form(leaf: Any) -> None:  # noqa: ANN401 -- each type of event has its own leaf class
    """Check that the strings of *leaf* have the forms that log/v1 prescribes.

    Raises:
        Malformed: a string has another form, or `at` is not a point in time.
    """
    for name, has_form in _FORMS:
        if not has_form(text := getattr(leaf, name)):
            raise Malformed(f"{name!r} at position {leaf.position} does not have the form of log/v1: {text!r}.")
    for sealed in leaf.priv.values():
        if not _HASH.fullmatch(sealed.c):
            raise Malformed(f"'c' at position {leaf.position} does not have the form of log/v1: {sealed.c!r}.")
        if not _HASH_OR_NONE.fullmatch(sealed.choice):
            raise Malformed(f"'choice' at position {leaf.position} does not have the form of log/v1.")
    if leaf.sig and not _is_well_formed(leaf.sig):
        raise Malformed(f"'sig' at position {leaf.position} does not have the form of log/v1.")
    if not _is_a_time(leaf.at):
        raise Malformed(f"'at' at position {leaf.position} is no point in time: {leaf.at!r}.")


def leaf_hash(data: bytes) -> bytes:
    """Return the hash (32 bytes) of the leaf *data*."""
    return sha256(b"\0" + data).digest()


_LEAF_DECODER: Final = msgspec.json.Decoder(Leaf)
_HASH: Final = re.compile("[0-9a-f]{64}")
_HASH_OR_NONE: Final = re.compile(f"(?:{_HASH.pattern})?")
_SIGNATURE: Final = re.compile("[0-9a-f]{128}")
_CACHED: Final = lru_cache(maxsize=256)  # The same few strings are checked very often.
_FORMS: Final[tuple[tuple[str, Callable[[str], object]], ...]] = (
    ("at", _CACHED(re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII).fullmatch)),
    ("by", _CACHED(re.compile("seat:[1-9][0-9]*|service|host|player|auditor|approver").fullmatch)),
    ("cmd", _HASH_OR_NONE.fullmatch),
    ("prev", _HASH.fullmatch),
    ("stream", _CACHED(re.compile("[a-z]+/[!-~]+").fullmatch)),
)


@_CACHED
def _is_a_time(at: str) -> bool:
    try:
        datetime.fromisoformat(at)
    except ValueError:
        return False
    return True


def _is_well_formed(sig: MoveSignature) -> bool:
    signatures = (sig.signature, sig.previous) if sig.previous else (sig.signature,)
    return _HASH.fullmatch(sig.head_hash) is not None and all(map(_SIGNATURE.fullmatch, signatures))
