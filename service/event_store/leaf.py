"""log/v1: an event as canonical bytes, and their hash."""

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
"""What `prev` says at position 1, where no leaf stands before."""


class Malformed(ValueError):
    """Bytes are no leaf, or none whose type and version are known here."""


class Until(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The types of event that end the silence about a sealed field: opened to all, or never.

    *shown* names seats that may read it too from the first event of a type on.
    """

    never: tuple[str, ...]
    open: tuple[str, ...]
    shown: dict[str, tuple[int, ...]] = {}


class Commitment(Struct, frozen=True, forbid_unknown_fields=True):
    """A sealed field as its leaf shows it: commitment *c* in hex, and the seats that may read it at once."""

    c: str
    to: tuple[int, ...]
    until: Until


class Leaf(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An event as it is hashed; its public members are canonical bytes already (`Codec.members`)."""

    at: str
    by: str
    cmd: str = ""
    position: Annotated[int, Meta(ge=1, lt=INTEGER_LIMIT)]
    prev: str
    priv: dict[str, Commitment] = {}
    pub: Raw
    stream: str
    type: str
    v: Literal[1]
    version: Annotated[int, Meta(ge=1, lt=INTEGER_LIMIT)]


def encode(leaf: Leaf) -> bytes:
    """Return the canonical bytes of *leaf*.

    Raises:
        NotCanonical: a value is none that log/v1 can write, or the bytes would be more than 65,535.
    """
    check(leaf.position)
    if leaf.priv:
        check(leaf.priv)
    data = encode_unchecked(leaf)
    if len(data) > MOST_BYTES:
        raise NotCanonical(f"A leaf has at most {MOST_BYTES} bytes; this one has {len(data)}.")
    return data


def decode(data: bytes) -> Leaf:
    """Return the leaf in *data*, its public members still as bytes.

    Raises:
        Malformed: *data* is no leaf of log/v1.
    """
    try:
        return _LEAF_DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(f"These bytes are no leaf of log/v1: {error}") from error


def check_form(leaf: Any) -> None:  # noqa: ANN401 -- a Leaf, or one of its type
    """Pass a leaf whose texts have the forms that log/v1 gives them.

    Raises:
        Malformed: one has not.
    """
    for name, has_form in _FORMS:
        if not has_form(text := getattr(leaf, name)):
            raise Malformed(f"{name!r} at position {leaf.position} has not the form of log/v1: {text!r}.")
    for sealed in leaf.priv.values():
        if not _HASH.fullmatch(sealed.c):
            raise Malformed(f"'c' at position {leaf.position} has not the form of log/v1: {sealed.c!r}.")
    if not _is_a_moment(leaf.at):
        raise Malformed(f"'at' at position {leaf.position} is no moment: {leaf.at!r}.")


def leaf_hash(data: bytes) -> bytes:
    """Return the 32 bytes by which the leaf *data* is known."""
    return sha256(b"\0" + data).digest()


_LEAF_DECODER: Final = msgspec.json.Decoder(Leaf)
_HASH: Final = re.compile("[0-9a-f]{64}")
_SAME_AGAIN: Final = lru_cache(maxsize=256)  # few texts, again and again
_FORMS: Final[tuple[tuple[str, Callable[[str], object]], ...]] = (
    ("at", _SAME_AGAIN(re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII).fullmatch)),
    ("by", _SAME_AGAIN(re.compile("seat:[1-9][0-9]*|service|host|player|auditor").fullmatch)),
    ("cmd", re.compile(f"(?:{_HASH.pattern})?").fullmatch),
    ("prev", _HASH.fullmatch),
    ("stream", _SAME_AGAIN(re.compile("[a-z]+/[!-~]+").fullmatch)),
)


@_SAME_AGAIN
def _is_a_moment(at: str) -> bool:
    try:
        datetime.fromisoformat(at)
    except ValueError:
        return False
    return True
