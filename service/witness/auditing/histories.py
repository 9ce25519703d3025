"""Follows the history of each stream through the entries of a log, and finds a stream with two histories."""

from typing import Final

import msgspec
from msgspec import Struct

from service.canonical import NotCanonical, canonical
from service.event_store.entries import EMPTY, Head
from service.event_store.leaf import leaf_hash
from service.games import EVENTS
from service.games.common_events import TableOpened

_OPENING: Final = next(name for name, kind in EVENTS.items() if kind is TableOpened)
_MOST_SHOWN: Final = 100


class Forked(Exception):
    """A stream has two histories or a gap, or the place of an entry is unclear; the message says where."""


class Place(Struct, frozen=True):
    """The members of an entry that fix its place; the entry may have other members, even those of a later release."""

    stream: str
    position: int
    prev: str
    type: str


def place_of(leaf: bytes, index: int) -> Place:
    """Return the place of the entry *leaf* at *index*.

    Raises:
        Forked: the entry has no place, or is not canonical, so two readers could see two places.
    """
    try:
        value = msgspec.json.decode(leaf)
        place = msgspec.convert(value, Place)
        is_canonical = canonical(value) == leaf
    except (ValueError, NotCanonical, RecursionError):
        is_canonical = False
    if not is_canonical:
        raise Forked(f"The entry {index} is not the canonical JSON of an event, so its place in a stream is unclear.")
    return place


def continued(head: Head, place: Place, leaf: bytes, index: int) -> Head:
    """Return the head of a stream after the entry *leaf* at *index*; *head* is the head before *leaf* (`EMPTY`: none).

    Raises:
        Forked: the entry does not continue the stream.
    """
    where = f"{_shown(place.stream)} at position {place.position} (entry {index})"
    if place.type == _OPENING and head != EMPTY:
        raise Forked(f"Two tables have one id: {where} opens the table again.")
    if place.position <= head.position:
        raise Forked(f"Two histories: {where}, but the log has an earlier entry at this position.")
    if place.position != head.position + 1:
        raise Forked(f"A gap: {where} does not follow position {head.position}, the last one before it.")
    if place.prev != head.hash.hex():
        raise Forked(f"Two histories: {where} does not name the hash of the stream's last event in the log.")
    return Head(place.position, leaf_hash(leaf))


def _shown(stream: str) -> str:
    """Return the name of a *stream*, which somebody else wrote, as printable ASCII of a bounded length."""
    return ascii(stream[:_MOST_SHOWN])[1:-1]
