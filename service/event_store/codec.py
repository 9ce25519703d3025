"""From an event to the bytes that are kept, and back, for ever."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final

import msgspec
from msgspec import NODEFAULT, Struct, inspect, structs

from service.canonical import INTEGER_LIMIT, NotCanonical, canonical, check, encode_unchecked
from service.event_store import leaf, typed_decoder
from service.event_store.leaf import Commitment

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
"""Lifts the public members of an event by one version."""

_NO_UPCASTERS: Final[Mapping[tuple[str, int], Upcaster]] = {}
_ROUGHLY: Final = bytes.maketrans(b"123456789,[", b"000000000::")  # digits alike, and what a number may come after
_SMALLEST_KEPT: Final = -5  # Python keeps one object for each integer from here
_LARGEST_KEPT: Final = 256  # up to here
_LARGE: Final = b":" + b"0" * len(str(INTEGER_LIMIT))


class Header(Struct, frozen=True, kw_only=True):
    """What stands on a leaf beside the event itself: whose it is, where and when."""

    stream: str
    position: int
    prev: str
    by: str
    at: str
    cmd: str = ""
    priv: dict[str, Commitment] = {}


class RecordedEvent(Struct, frozen=True, gc=False):
    """An event as the log holds it, its bytes with it. *cmd* is empty on a consequence."""

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


class Codec:
    """Knows the events of some games by their types' names, and reads every version there ever was."""

    def __init__(
        self,
        types: Mapping[str, type[Struct]],
        upcasters: Mapping[tuple[str, int], Upcaster] = _NO_UPCASTERS,
    ) -> None:
        """Learn the class of each type, and what lifts the members of (type, version) to the next version.

        A class says by `VERSION` which version of the members it holds; without it, the first.

        Raises:
            TypeError: a class could write what is not canonical or what it would not read again.
            ValueError: an upcaster is missing, or one has nothing to lift.
        """
        self._types = dict(types)
        self._names = {cls: name for name, cls in types.items()}
        self._versions = {name: int(getattr(cls, "VERSION", 1)) for name, cls in types.items()}
        self._upcasters = dict(upcasters)
        self._decoders = {(name, self._versions[name]): msgspec.json.Decoder(cls).decode for name, cls in types.items()}
        self._readers = typed_decoder.leaf_decoders(types, self._versions)
        self._with_mappings = frozenset(cls for cls in types.values() if _checked(cls))
        lifted = {(name, older) for name, newest in self._versions.items() for older in range(1, newest)}
        if odd := lifted ^ set(upcasters):
            raise ValueError(f"Every older version needs one upcaster, and nothing else does: {sorted(odd)}.")

    def type_name(self, event: Struct) -> str:
        """Return the name of *event*'s type, as leaves have it."""
        return self._names[type(event)]

    def encode(self, event: Struct, header: Header) -> bytes:
        """Return the leaf of *event*, which `decode` reads again.

        Raises:
            NotCanonical: a value is none that log/v1 or the event's class allows, or the leaf is too long.
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
                stream=header.stream,
                type=name,
                v=1,
                version=self._versions[name],
            )
        )

    def decode(self, data: bytes) -> RecordedEvent:
        """Return the event in the leaf *data*, lifted to the version that this release knows.

        Raises:
            Malformed: *data* is no leaf, or none of a type and version known here.
        """
        return recorded(self.read_leaf(data), data)

    def type_of(self, data: bytes) -> str:
        """Return the type of the leaf *data*, without reading it; "": it must be read to know that."""
        reader = self._readers.get(typed_decoder.ending(data))
        return reader.type if reader else ""

    def check_canonical(self, data: bytes, decoded: Any = None) -> None:  # noqa: ANN401 -- what `read_leaf` returns
        """Pass a leaf *data* that holds exactly the bytes in which it would be written again.

        *decoded* is what `read_leaf` returned for it, if it was called before.

        Raises:
            Malformed: as `decode`, or a member of the leaf has not the form that log/v1 gives it.
            NotCanonical: the bytes are others.
        """
        decoded = decoded or self.read_leaf(data)
        if type(decoded) is not typed_decoder.UpcastLeaf and _is_plain(data) and encode_unchecked(decoded) == data:
            leaf.check_form(decoded)
            return  # All that is checked below holds for such bytes.
        entry = leaf.decode(data)
        leaf.check_form(entry)
        event = self._event(entry)
        if entry.version == self._versions[entry.type]:
            again = leaf.encode(structs.replace(entry, pub=msgspec.Raw(self._members(event, entry.type))))
        else:
            again = canonical(msgspec.json.decode(data))
        if again != data:
            raise NotCanonical(f"At position {entry.position} the bytes are not as log/v1 writes them.")

    def _members(self, event: Struct, name: str) -> bytes:
        data = encode_unchecked(event)
        if type(event) in self._with_mappings or _has_large_numbers(data):
            check(event)
        try:
            self._decoders[name, self._versions[name]](data)
        except (msgspec.ValidationError, UnicodeDecodeError) as error:
            raise NotCanonical(f"{name} would not be read again: {error}") from error
        return data

    def read_leaf(self, data: bytes) -> Any:  # noqa: ANN401 -- a leaf of its event's type, or whole
        """Read a leaf, in one pass where it ends as one of the newest version does.

        Raises:
            Malformed: as `decode`.
        """
        if reader := self._readers.get(typed_decoder.ending(data)):
            try:
                return reader.read(data)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass  # What is wrong is said below.
        entry = leaf.decode(data)
        members = {name: getattr(entry, name) for name in typed_decoder.COMMON}
        return typed_decoder.UpcastLeaf(event=self._event(entry), **members)

    def _event(self, entry: leaf.Leaf) -> Struct:
        decode = self._decoders.get((entry.type, entry.version))
        try:
            return decode(entry.pub) if decode else self._lifted(entry)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            where = f"{entry.type}, version {entry.version}, at position {entry.position}"
            raise leaf.Malformed(f"The members of {where} can't be read: {error}") from error

    def _lifted(self, entry: leaf.Leaf) -> Struct:
        newest = self._versions.get(entry.type, 0)
        if entry.version > newest:
            raise leaf.Malformed(f"No {entry.type!r} of version {entry.version} is known here.")
        members = msgspec.json.decode(entry.pub, type=dict[str, Any])
        try:
            for version in range(entry.version, newest):
                members = self._upcasters[entry.type, version](members)
        except (LookupError, TypeError, ValueError) as error:
            raise leaf.Malformed(f"{entry.type}, version {entry.version}, can't be lifted: {error!r}") from error
        return msgspec.convert(members, self._types[entry.type])


def recorded(decoded: Any, data: bytes) -> RecordedEvent:  # noqa: ANN401 -- what `Codec.read_leaf` returns
    """Return the event of the leaf *data*, which `Codec.read_leaf` read as *decoded*."""
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
    )


def _is_plain(data: bytes) -> bool:
    """Tell whether a leaf, if it can be written as *data*, holds nothing that log/v1 does not allow."""
    return len(data) <= leaf.MOST_BYTES and data.isascii() and not _has_large_numbers(data)


def _has_large_numbers(data: bytes) -> bool:
    """Tell whether there may be a number of 2**53 or more in size in *data*, JSON without spaces."""
    return _LARGE in data.translate(_ROUGHLY, b"-")


def _checked(cls: type[Struct]) -> bool:
    """Say whether there are mappings in *cls*, having checked that it reads exactly what it writes.

    Raises:
        TypeError: it would not.
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
            pass  # msgspec takes none but those of strings or integers
        case inspect.Metadata() | inspect.VarTupleType() | inspect.TupleType() | inspect.UnionType():
            pass
        case inspect.DictType(key_type=inspect.StrType()):
            pass
        case inspect.StructType(cls=part) if not part.__struct_config__.forbid_unknown_fields:
            raise TypeError(f"{part.__name__} in {cls.__name__} must be defined with forbid_unknown_fields=True.")
        case inspect.StructType(cls=part, fields=fields):
            for field in fields:
                _check_field(field, part)
        case _:
            raise TypeError(f"{cls.__name__} has a member of a kind that an event can't hold: {kind}.")


def _check_field(field: inspect.Field, cls: type[Struct]) -> None:
    if not field.encode_name.isascii():
        raise TypeError(f"{cls.__name__}.{field.name} must be written under an ASCII name.")
    if cls.__struct_config__.omit_defaults and not _is_one_object(field.default):
        # msgspec leaves a member out where it is the default itself, and writes an equal object.
        raise TypeError(f"{cls.__name__}.{field.name} must default to a small whole number, a bool, '' or ().")


def _is_one_object(default: object) -> bool:
    match default:
        case bool() | Enum() | "" | ():
            return True
        case int():
            return _SMALLEST_KEPT <= default <= _LARGEST_KEPT
        case _:
            return default is NODEFAULT
