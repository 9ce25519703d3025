"""Encodes events as leaves, and decodes leaves of every version that was ever recorded (DECISIONS 2)."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import NODEFAULT, Struct, inspect, structs

from service.canonical import INTEGER_LIMIT, NotCanonical, canonical, check, encode_unchecked
from service.event_store import leaf, typed_decoder
from service.event_store.leaf import Commitment, MoveSignature

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
"""Converts the public members of an event to the next version of the event's type."""

_NO_UPCASTERS: Final[Mapping[tuple[str, int], Upcaster]] = {}
# `check_canonical` is written for speed: it takes 4 to 5 µs a leaf instead of 20.5 (service/bench/README.md).
# `_DIGITS_AS_ZEROS` maps each digit to "0". It maps "," and "[" to ":", because a number may follow a comma, a bracket
# or a colon.
_DIGITS_AS_ZEROS: Final = bytes.maketrans(b"123456789,[", b"000000000::")
_SMALLEST_CACHED: Final = -5  # CPython caches one object for each integer from -5 to 256
_LARGEST_CACHED: Final = 256
_LARGE: Final = b":" + b"0" * len(str(INTEGER_LIMIT))


class Header(Struct, frozen=True, kw_only=True):
    """The members of a leaf that do not belong to its event, such as the stream, the position and the time."""

    stream: str
    position: int
    prev: str
    by: str
    at: str
    cmd: str = ""
    priv: dict[str, Commitment] = {}
    sig: MoveSignature | None = None


class RecordedEvent(Struct, frozen=True, gc=False):
    """An event of the log, with its *leaf* and the leaf's *hash*.

    *cmd* is empty if the event is a consequence. *sig* is None if no player signed the event.
    """

    position: int
    leaf: bytes
    hash: bytes
    event: Struct
    type: str
    by: str
    at: str
    cmd: str
    prev: str
    priv: Mapping[str, Commitment]
    sig: MoveSignature | None = None


class Codec:
    """Encodes and decodes the events of the given types."""

    def __init__(
        self,
        types: Mapping[str, type[Struct]],
        upcasters: Mapping[tuple[str, int], Upcaster] = _NO_UPCASTERS,
    ) -> None:
        """Take the class of each of *types*, and an upcaster from each older (type, version) to the next version.

        The attribute `VERSION` of a class is the version of its members. A class without `VERSION` has version 1.

        Raises:
            TypeError: a class could write JSON that is not canonical, or that the class can't decode.
            ValueError: an older version has no upcaster, or an upcaster does not belong to an older version.
        """
        self._types = dict(types)
        self._names = {cls: name for name, cls in types.items()}
        self._versions = {name: int(getattr(cls, "VERSION", 1)) for name, cls in types.items()}
        self._upcasters = dict(upcasters)
        self._decoders = {(name, self._versions[name]): msgspec.json.Decoder(cls).decode for name, cls in types.items()}
        self._leaf_decoders = typed_decoder.leaf_decoders(types, self._versions)
        self._with_mappings = frozenset(cls for cls in types.values() if _has_mappings(cls))
        older_versions = {(name, older) for name, newest in self._versions.items() for older in range(1, newest)}
        if odd := older_versions ^ set(upcasters):
            raise ValueError(f"Each older version needs exactly one upcaster; these do not match: {sorted(odd)}.")

    def type_name(self, event: Struct) -> str:
        """Return the name of *event*'s type, as leaves have it."""
        return self._names[type(event)]

    def encode(self, event: Struct, header: Header) -> bytes:
        """Return the leaf of *event*; `decode` can read this leaf.

        Raises:
            NotCanonical: log/v1 or the event's class forbids a value, or the leaf has more than 65,535 bytes.
        """
        name = self._names[type(event)]
        return leaf.encode(
            leaf.Leaf(
                at=header.at,
                by=header.by,
                cmd=header.cmd,
                position=header.position,
                prev=header.prev,
                priv=header.priv,
                pub=msgspec.Raw(self._members(event, name)),
                sig=header.sig,
                stream=header.stream,
                type=name,
                v=1,
                version=self._versions[name],
            )
        )

    def decode(self, data: bytes) -> RecordedEvent:
        """Return the event in the leaf *data*, upcast to the newest version.

        Raises:
            Malformed: *data* is not a leaf, or the leaf's type or version is unknown.
        """
        return recorded(self.read_leaf(data), data)

    def type_of(self, data: bytes) -> str:
        """Return the type of the leaf *data* without decoding the leaf, or "" if only decoding can show the type."""
        decoder = self._leaf_decoders.get(typed_decoder.ending(data))
        return decoder.type if decoder else ""

    def check_canonical(self, data: bytes, decoded: Any = None) -> None:  # noqa: ANN401 -- `read_leaf` returns *decoded*
        """Check that the bytes of the leaf *data* are the canonical encoding of the leaf's members.

        *decoded* is the result of `read_leaf` for *data*, if the caller already has that result.

        Raises:
            Malformed: as for `decode`, or a member does not have the form that log/v1 prescribes.
            NotCanonical: the canonical encoding has other bytes, or log/v1 forbids a value.
        """
        decoded = decoded or self.read_leaf(data)
        if type(decoded) is not typed_decoder.UpcastLeaf and _is_plain(data) and encode_unchecked(decoded) == data:
            leaf.check_form(decoded)
            return  # Bytes that pass these checks would pass the slower checks below, too.
        entry = leaf.decode(data)
        leaf.check_form(entry)
        event = self._event(entry)
        if entry.version == self._versions[entry.type]:
            again = leaf.encode(structs.replace(entry, pub=msgspec.Raw(self._members(event, entry.type))))
        else:
            again = canonical(msgspec.json.decode(data))
        if again != data:
            raise NotCanonical(f"At position {entry.position} the bytes are not canonical as log/v1 prescribes.")

    def _members(self, event: Struct, name: str) -> bytes:
        data = encode_unchecked(event)
        if type(event) in self._with_mappings or _has_large_numbers(data):
            check(event)
        try:
            self._decoders[name, self._versions[name]](data)
        except (msgspec.ValidationError, UnicodeDecodeError) as error:
            raise NotCanonical(f"The encoded {name} cannot be decoded: {error}") from error
        return data

    def read_leaf(self, data: bytes) -> Any:  # noqa: ANN401 -- each type of event has its own leaf class
        """Decode a leaf, in one pass if the end of the leaf names the newest version of its type.

        Raises:
            Malformed: as for `decode`.
        """
        if decoder := self._leaf_decoders.get(typed_decoder.ending(data)):
            try:
                return decoder.decode(data)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass  # The code below raises a more precise error.
        entry = leaf.decode(data)
        members = {name: getattr(entry, name) for name in typed_decoder.COMMON}
        return typed_decoder.UpcastLeaf(event=self._event(entry), **members)

    def _event(self, entry: leaf.Leaf) -> Struct:
        decode = self._decoders.get((entry.type, entry.version))
        try:
            return decode(entry.pub) if decode else self._upcast(entry)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            where = f"{entry.type}, version {entry.version}, at position {entry.position}"
            raise leaf.Malformed(f"The members of {where} can't be decoded: {error}") from error

    def _upcast(self, entry: leaf.Leaf) -> Struct:
        newest = self._versions.get(entry.type, 0)
        if entry.version > newest:
            raise leaf.Malformed(f"This release does not know {entry.type!r} of version {entry.version}.")
        members = msgspec.json.decode(entry.pub, type=dict[str, Any])
        try:
            for version in range(entry.version, newest):
                members = self._upcasters[entry.type, version](members)
        except (LookupError, TypeError, ValueError) as error:
            raise leaf.Malformed(f"{entry.type}, version {entry.version}, can't be upcast: {error!r}") from error
        return msgspec.convert(members, self._types[entry.type])


def recorded(decoded: Any, data: bytes) -> RecordedEvent:  # noqa: ANN401 -- `Codec.read_leaf` returns *decoded*
    """Return the event of the leaf *data*; *decoded* is the result of `Codec.read_leaf` for *data*."""
    digest = leaf.leaf_hash(data)
    return RecordedEvent(
        decoded.position,
        data,
        digest,
        decoded.event,
        decoded.type,
        decoded.by,
        decoded.at,
        decoded.cmd,
        decoded.prev,
        decoded.priv,
        decoded.sig,
    )


def _is_plain(data: bytes) -> bool:
    """Return whether log/v1 certainly allows every value in *data*, the encoding of a decoded leaf."""
    return len(data) <= leaf.MOST_BYTES and data.isascii() and not _has_large_numbers(data)


def _has_large_numbers(data: bytes) -> bool:
    """Return whether *data*, JSON without spaces, may contain a number whose absolute value is 2**53 or more."""
    return _LARGE in data.translate(_DIGITS_AS_ZEROS, b"-")


@cache
def _has_mappings(cls: type[Struct]) -> bool:
    """Check that *cls* decodes exactly what *cls* encodes; return whether a member of *cls* is a mapping.

    Raises:
        TypeError: *cls* might not decode what it encodes.
    """
    config = cls.__struct_config__
    if not (config.frozen and config.omit_defaults and config.tag is None and not config.array_like):
        raise TypeError(f"{cls.__name__} must be frozen=True, omit_defaults=True, an object and without a tag.")
    parts = list(_parts(inspect.type_info(cls)))
    for part in parts:
        _check_part(part, cls)
    return any(isinstance(part, inspect.DictType) for part in parts)


def _parts(kind: inspect.Type) -> Iterator[inspect.Type]:
    yield kind
    match kind:
        case inspect.Metadata(type=inner) | inspect.VarTupleType(item_type=inner):
            yield from _parts(inner)
        case inspect.DictType(key_type=key, value_type=value):
            yield from _parts(key)
            yield from _parts(value)
        case inspect.TupleType(item_types=several) | inspect.UnionType(types=several):
            for one in several:
                yield from _parts(one)
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from _parts(field.type)
        case _:
            pass


def _check_part(kind: inspect.Type, cls: type[Struct]) -> None:
    match kind:
        case inspect.StrType() | inspect.IntType() | inspect.BoolType() | inspect.LiteralType():
            pass
        case inspect.EnumType():
            pass  # msgspec allows only enums of strings or integers
        case inspect.Metadata() | inspect.VarTupleType() | inspect.TupleType() | inspect.UnionType():
            pass
        case inspect.DictType(key_type=inspect.StrType()):
            pass
        case inspect.StructType(cls=part) if not part.__struct_config__.forbid_unknown_fields:
            raise TypeError(f"{part.__name__} in {cls.__name__} must have forbid_unknown_fields=True.")
        case inspect.StructType(cls=part, fields=fields):
            for field in fields:
                _check_field(field, part)
        case _:
            raise TypeError(f"{cls.__name__} has a member of a type that no event can have: {kind}.")


def _check_field(field: inspect.Field, cls: type[Struct]) -> None:
    if not field.encode_name.isascii():
        raise TypeError(f"{cls.__name__}.{field.name} must be encoded under an ASCII name.")
    if cls.__struct_config__.omit_defaults and not _is_one_object(field.default):
        # msgspec omits a member only if its value is the same object as the default; an equal object is not omitted.
        raise TypeError(f"{cls.__name__}.{field.name} must default to a small whole number, a bool, '' or ().")


def _is_one_object(default: object) -> bool:
    match default:
        case bool() | Enum() | "" | ():
            return True
        case int():
            return _SMALLEST_CACHED <= default <= _LARGEST_CACHED
        case _:
            return default is NODEFAULT
