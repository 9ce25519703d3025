"""Arrays for PostgreSQL: the values of one column of many rows, sent in binary as its server reads them."""

from collections.abc import Callable, Sequence
from struct import Struct as Form
from typing import Any, Final, NamedTuple

_NO_DIMENSION: Final = Form("!iiI")
_ONE_DIMENSION: Final = Form("!iiIii")
_LENGTH: Final = Form("!i")
_NULL: Final = _LENGTH.pack(-1)


class Array:
    """*values* of one column, None for NULL; of which type, its class says.

    psycopg sends lists too, and works out anew for each of which type its items are: for a command of a batch that took
    longer than to make its rows (service/bench/README.md).
    """

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Any]) -> None:
        self.values: Final = values


class Bytes(Array):
    """Of a BYTEA column."""


class Texts(Array):
    """Of a TEXT column."""


class Smalls(Array):
    """Of a SMALLINT column."""


class Integers(Array):
    """Of an INTEGER column."""


class Bigs(Array):
    """Of a BIGINT column."""


class _Kind(NamedTuple):
    of_array: int
    """What PostgreSQL knows the array's type by; its own types have the same numbers everywhere."""
    of_item: int
    encode: Callable[[Any], bytes]


OF_TYPE: Final[dict[str, type[Array]]] = {
    "BYTEA": Bytes,
    "TEXT": Texts,
    "SMALLINT": Smalls,
    "INTEGER": Integers,
    "BIGINT": Bigs,
}
"""By the type of their column, as SQL names it."""

_KINDS: Final[dict[type[Array], _Kind]] = {
    Bytes: _Kind(1001, 17, bytes),
    Texts: _Kind(1009, 25, str.encode),
    Smalls: _Kind(1005, 21, Form("!h").pack),
    Integers: _Kind(1007, 23, Form("!i").pack),
    Bigs: _Kind(1016, 20, Form("!q").pack),
}


def register() -> None:
    """Have psycopg send arrays, on every connection of an engine that is made from now on."""
    import psycopg  # noqa: PLC0415 -- it is not there where SQLite alone is used
    from psycopg.adapt import Dumper  # noqa: PLC0415
    from psycopg.pq import Format  # noqa: PLC0415

    for cls, kind in _KINDS.items():

        def dump(_: Dumper, array: Array, kind: _Kind = kind) -> bytes:
            return _encoded(array.values, kind)

        members = {"format": Format.BINARY, "oid": kind.of_array, "dump": dump}
        psycopg.adapters.register_dumper(cls, type(f"{cls.__name__}Dumper", (Dumper,), members))


def _encoded(values: Sequence[Any], kind: _Kind) -> bytes:
    """Return an array in the form of PostgreSQL's array_recv: a head, and each item behind its length."""
    if not values:
        return _NO_DIMENSION.pack(0, 0, kind.of_item)
    parts = [_ONE_DIMENSION.pack(1, None in values, kind.of_item, len(values), 1)]
    for value in values:
        if value is None:
            parts.append(_NULL)
        else:
            data = kind.encode(value)
            parts += (_LENGTH.pack(len(data)), data)
    return b"".join(parts)
