"""Leaves read in one pass: each type of event has a class of leaf, found by the bytes that its leaves end with."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from service.canonical import INTEGER_LIMIT
from service.event_store.leaf import Commitment

_TYPE: Final = b',"type":"'


class UpcastLeaf(Struct, frozen=True, kw_only=True):
    """What a leaf says whose event was of an older version, with the *event* as it is now."""

    at: str
    by: str
    cmd: str
    position: int
    prev: str
    priv: dict[str, Commitment]
    stream: str
    type: str
    event: Any


COMMON: Final = ("at", "by", "cmd", "position", "prev", "priv", "stream", "type")
"""What a leaf says of every event, and `UpcastLeaf` with it."""

Read = Callable[[bytes], Any]
"""Reads a leaf of one type, and refuses every other with an error of msgspec's.

What it returns is written in canonical JSON as it was read, if it was canonical.
"""


class LeafDecoder(NamedTuple):
    """Reads the leaves of one *type*."""

    type: str
    read: Read


def leaf_decoders(types: Mapping[str, type[Struct]], versions: Mapping[str, int]) -> dict[bytes, LeafDecoder]:
    """Return what reads leaves of *types* in these *versions*, by the ending that they have."""
    return {
        b'"type":"%s","v":1,"version":%d}' % (name.encode(), versions[name]): LeafDecoder(
            name, _reader(name, cls, versions[name])
        )
        for name, cls in types.items()
    }


def ending(data: bytes) -> bytes:
    """Return what the leaf *data* ends with, from its type on; no text in a leaf can look like that."""
    return data[data.rfind(_TYPE) + 1 :]


def _reader(name: str, cls: type[Struct], version: int) -> Read:
    """Make the reader of one type; it takes nothing that `leaf.decode` and a reader of the event would not take."""
    position: Any = Annotated[int, Meta(ge=1, lt=INTEGER_LIMIT)]
    fields: Any = (
        ("at", str),
        ("by", str),
        ("position", position),
        ("prev", str),
        ("event", cls, msgspec.field(name="pub")),
        ("stream", str),
        ("type", Literal[name]),
        ("v", Literal[1]),
        ("version", Literal[version]),
        ("cmd", str, ""),
        ("priv", dict[str, Commitment], {}),
    )
    made = msgspec.defstruct(
        f"Leaf_{name}", fields, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False
    )
    return msgspec.json.Decoder(made).decode
