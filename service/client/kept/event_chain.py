"""The hashes of a table's events as the server shows them now: one unbroken chain of leaves."""

from typing import Final

import msgspec
from msgspec import Raw, Struct

from service import merkle
from service.client.client import Client

_PAGE: Final = 1000


class HistoryDiffers(Exception):
    """The server does not show an event, or shows another event, or one that does not continue the event before it."""


class _Item(Struct, frozen=True):
    leaf: Raw


class _Page(Struct, frozen=True):
    items: tuple[_Item, ...]


class _Leaf(Struct, frozen=True):
    stream: str
    position: int
    prev: str


def leaf_hashes(client: Client, table: str, first: int, last: int) -> dict[int, str]:
    """Return the hashes (hex) of the leaves at the positions *first* to *last* of a table.

    Raises:
        HistoryDiffers: an event is missing, is another event, or does not continue the event before it.
        Problem, ServerGone: the server refused a request, or did not answer.
    """
    found: dict[int, str] = {}
    while (position := first + len(found)) <= last:
        limit = min(_PAGE, last - position + 1)
        page = client.get(f"/v1/tables/{table}/events", _Page, after=position - 1, limit=limit)
        if not page.items:
            raise HistoryDiffers(f"The server has acknowledged an event of {table} at position {last}, but shows none.")
        for item in page.items[:limit]:
            number = first + len(found)
            found[number] = checked_hash(bytes(item.leaf), table, number, found.get(number - 1, ""))
    return found


def checked_hash(data: bytes, table: str, position: int, before: str) -> str:
    """Return the hash (hex) of a leaf, which must be the leaf at *position* of a table.

    *before* is the hash of the event before it ("": unknown).

    Raises:
        HistoryDiffers: the leaf is malformed, is of another stream or position, or does not continue the event before
            it.
    """
    leaf = _leaf(data, f"of {table} at position {position}")
    if (leaf.stream, leaf.position) != (f"table/{table}", position):
        raise HistoryDiffers(f"The server shows another event than that of {table} at position {position}.")
    if before and leaf.prev != before:
        raise HistoryDiffers(f"The event of {table} at position {position} does not continue the one before.")
    return merkle.leaf_hash(data).hex()


def checked_leaf(data: bytes, stream: str, *, after: int) -> tuple[int, str]:
    """Return the position and the hash (hex) of a leaf, which must be of *stream* and later than the position *after*.

    Raises:
        HistoryDiffers: the leaf is malformed, is of another stream, or is not later than *after*.
    """
    leaf = _leaf(data, f"of {stream}")
    if leaf.stream != stream or leaf.position <= after:
        why = f"The server shows position {leaf.position} of {leaf.stream} after position {after} of {stream}."
        raise HistoryDiffers(why)
    return leaf.position, merkle.leaf_hash(data).hex()


def _leaf(data: bytes, place: str) -> _Leaf:
    try:
        return msgspec.json.decode(data, type=_Leaf)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HistoryDiffers(f"The event {place} is no leaf: {error}.") from error
