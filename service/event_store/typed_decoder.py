"""Decodes a leaf in one pass: each type of event has its own leaf class, chosen by the bytes at the end of the leaf."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from service.canonical import INTEGER_LIMIT
from service.event_store.leaf import Commitment, MoveSignature

# One pass instead of two doubled the speed of folding in memory, together with the other changes in the same row of
# service/bench/README.md: a process folded 85,000 to 107,000 events/s before these changes, and 189,000 to 210,000
# events/s after them.

_TYPE: Final = b',"type":"'


class UpcastLeaf(Struct, frozen=True, kw_only=True):
    """A leaf that no typed decoder decoded, most often a leaf of an older version.

    *event* is upcast to the newest version of its type.
    """

    at: str
    by: str
    cmd: str
    position: int
    prev: str
    priv: dict[str, Commitment]
    sig: MoveSignature | None
    stream: str
    type: str
    event: Any


COMMON: Final = ("at", "by", "cmd", "position", "prev", "priv", "sig", "stream", "type")
"""The members that every decoded leaf has, including `UpcastLeaf`."""

Decode = Callable[[bytes], Any]
"""Decodes a leaf of one type, and raises an error of msgspec for any other leaf.

If the leaf's bytes are canonical, encoding the result as canonical JSON gives the same bytes.
"""


class LeafDecoder(NamedTuple):
    """Decodes the leaves of one *type*."""

    type: str
    decode: Decode


def leaf_decoders(types: Mapping[str, type[Struct]], versions: Mapping[str, int]) -> dict[bytes, LeafDecoder]:
    """Return the decoder of each of *types*, by the last bytes of the type's leaves.

    *versions* has the newest version of each type.
    """
    return {
        b'"type":"%s","v":1,"version":%d}' % (name.encode(), versions[name]): LeafDecoder(
            name, _decode(name, cls, versions[name])
        )
        for name, cls in types.items()
    }


def ending(data: bytes) -> bytes:
    """Return the end of the leaf *data*, from its member `type` on.

    A string of the leaf can't contain the bytes of `_TYPE`, because JSON escapes quotation marks in strings.
    """
    return data[data.rfind(_TYPE) + 1 :]


@cache
def _decode(name: str, cls: type[Struct], version: int) -> Decode:
    """Return the decoder of one type, which accepts only leaves that `leaf.decode` and the event's decoder accept.

    Each decoder is made only once in a process, because making the decoders of all types takes 12 ms.
    """
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
        ("sig", MoveSignature | None, None),
    )
    leaf_class = msgspec.defstruct(
        f"Leaf_{name}", fields, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False
    )
    return msgspec.json.Decoder(leaf_class).decode
