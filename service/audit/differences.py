"""Finds the first member in which an expected and a recorded event differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from service.canonical import encode_unchecked
from service.event_store.codec import RecordedEvent
from service.games.game import Event, type_name

NOTHING = "nothing"


class Difference(Struct, frozen=True, kw_only=True):
    """A difference in a *member* of the event at *position*: the *expected* value and the value *found*.

    *member* is a path into the event, such as ``claims[0].taken``, or a member of the leaf, such as ``type``, ``by``,
    ``cmd`` or ``priv.cards``. *member* is ``event`` if an event is missing, surplus or impossible, ``decision`` if the
    rules do not allow the decision, and ``sealed_seed`` if the seed of an unrevealed deck is missing or altered. Each
    value is JSON, or a text such as the type of an event, a hash, "nothing", or a description.
    """

    position: int
    member: str
    expected: str
    found: str


def between(expected: Sequence[Event], recorded: Sequence[RecordedEvent]) -> Difference | None:
    """Return the first difference between the *expected* and the *recorded* events, or None if the events are equal."""
    for event, found in zip(expected, recorded, strict=False):
        if event != found.event:
            return _inside(event, found)
    if len(expected) == len(recorded):
        return None
    position = recorded[0].position + min(len(expected), len(recorded))
    missing = type_name(type(expected[len(recorded)])) if len(expected) > len(recorded) else NOTHING
    surplus = recorded[len(expected)].type if len(recorded) > len(expected) else NOTHING
    return Difference(position=position, member="event", expected=missing, found=surplus)


def first(expected: object, found: object, member: str = "") -> tuple[str, str, str]:
    """Return the path of the first member in which two unequal values differ, and both values of the member as JSON."""
    match expected, found:
        case Struct(), Struct() if type(expected) is type(found):
            pairs: Any = [(f".{name}", getattr(expected, name), getattr(found, name)) for name in _fields(expected)]
        case tuple(), tuple() if len(expected) == len(found):
            pairs = [(f"[{place}]", *pair) for place, pair in enumerate(zip(expected, found, strict=True))]
        case Mapping(), Mapping() if expected.keys() == found.keys():
            pairs = [(f".{name}", expected[name], found[name]) for name in expected]
        case _:
            return member.removeprefix("."), in_words(expected), in_words(found)
    name, ours, theirs = next(pair for pair in pairs if pair[1] != pair[2])
    return first(ours, theirs, member + name)


def in_words(value: object) -> str:
    """Return *value* as JSON."""
    return encode_unchecked(value).decode()


def _inside(expected: Event, recorded: RecordedEvent) -> Difference:
    wanted = type_name(type(expected))
    if wanted != recorded.type:
        return Difference(position=recorded.position, member="type", expected=wanted, found=recorded.type)
    member, ours, theirs = first(expected, recorded.event)
    return Difference(position=recorded.position, member=member, expected=ours, found=theirs)


def _fields(struct: Struct) -> tuple[str, ...]:
    return struct.__struct_fields__
