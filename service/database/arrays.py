"""Arrays for PostgreSQL: one parameter, in binary format, has the values of one column for many rows (DECISIONS 46)."""

from collections.abc import Callable, Sequence
from struct import Struct as Form
from typing import Any, Final, NamedTuple

_NO_DIMENSION: Final = Form("!iiI")
_ONE_DIMENSION: Final = Form("!iiIii")
_LENGTH: Final = Form("!i")
_NULL: Final = _LENGTH.pack(-1)


class Array:
    """The *values* of one column, None for NULL. Each column type has its own subclass.

    Written for speed: psycopg can send lists, too, but infers the item type of each list from its items. In three
    measurements, arrays raised the number of commands/s from 996 to 1,045, from 1,040 to 1,085 and from 1,084 to 1,218
    (service/bench/README.md).
    """

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Any]) -> None:
        self.values: Final = values


class Bytes(Array):
    """Values of a BYTEA column."""


class Texts(Array):
    """Values of a TEXT column."""


class Smalls(Array):
    """Values of a SMALLINT column."""


class Integers(Array):
    """Values of an INTEGER column."""


class Bigs(Array):
    """Values of a BIGINT column."""


class _Kind(NamedTuple):
    array_oid: int
    """The array type's oid (PostgreSQL's number of a type); a built-in type has the same oid in every database."""
    item_oid: int
    encode: Callable[[Any], bytes]


OF_TYPE: Final[dict[str, type[Array]]] = {
    "BYTEA": Bytes,
    "TEXT": Texts,
    "SMALLINT": Smalls,
    "INTEGER": Integers,
    "BIGINT": Bigs,
}
"""The class of array for each column type of SQL."""

_KINDS: Final[dict[type[Array], _Kind]] = {
    Bytes: _Kind(1001, 17, bytes),
    Texts: _Kind(1009, 25, str.encode),
    Smalls: _Kind(1005, 21, Form("!h").pack),
    Integers: _Kind(1007, 23, Form("!i").pack),
    Bigs: _Kind(1016, 20, Form("!q").pack),
}


def register() -> None:
    """Make psycopg send each `Array` in binary format, on every connection that is opened after this call."""
    import psycopg  # noqa: PLC0415 -- psycopg need not be installed if only SQLite is used
    from psycopg.adapt import Dumper  # noqa: PLC0415
    from psycopg.pq import Format  # noqa: PLC0415

    for cls, kind in _KINDS.items():

        def dump(_: Dumper, array: Array, kind: _Kind = kind) -> bytes:
            return _encoded(array.values, kind)

        members = {"format": Format.BINARY, "oid": kind.array_oid, "dump": dump}
        psycopg.adapters.register_dumper(cls, type(f"{cls.__name__}Dumper", (Dumper,), members))


def _encoded(values: Sequence[Any], kind: _Kind) -> bytes:
    """Return an array in the format that PostgreSQL's array_recv reads: a header, then each item's length and bytes."""
    if not values:
        return _NO_DIMENSION.pack(0, 0, kind.item_oid)
    parts = [_ONE_DIMENSION.pack(1, None in values, kind.item_oid, len(values), 1)]
    for value in values:
        if value is None:
            parts.append(_NULL)
        else:
            data = kind.encode(value)
            parts += (_LENGTH.pack(len(data)), data)
    return b"".join(parts)
