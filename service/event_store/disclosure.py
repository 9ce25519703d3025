"""Who may read a sealed field from which event on: what its leaf says, followed through the stream (log/v1)."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from service.event_store.codec import RecordedEvent
from service.event_store.leaf import Commitment, Until

Place: TypeAlias = tuple[int, str]
"""Where a sealed field is: its event's position, and its name."""


class Kept(Struct, frozen=True, kw_only=True):
    """A sealed *field* of the event at *position*, in which *seat* decided something.

    *leaf_decoders* are the seats that may read it so far; *ended* says whether it is open to all, or will never be.
    """

    position: int
    field: str
    seat: int
    commitment: Commitment
    leaf_decoders: frozenset[int]
    ended: Literal["", "open", "never"] = ""

    def is_open_to(self, seat: int) -> bool:
        """Tell whether the viewer in *seat* (0: without one) may read it."""
        return self.ended == "open" or seat in self.leaf_decoders


Silence: TypeAlias = Mapping[Place, Kept]
"""The fields that were sealed, in their order: all that are not open yet, and the last of each seat under each name."""

UNBROKEN: Silence = {}


class Heard(Struct, frozen=True):
    """That an event lets the seats *to* (None: everybody) read what was *kept*."""

    kept: Kept
    to: frozenset[int] | None


def follow(silence: Silence, recorded: RecordedEvent) -> Silence:
    """Return what is kept after the event *recorded*, too."""
    if not silence and not recorded.priv:
        return silence
    kind = recorded.type
    changed = {
        place: new for place, kept in silence.items() if not kept.ended and (new := _after(kept, kind)) is not kept
    }
    if not changed and not recorded.priv:
        return silence
    after = {**silence, **changed}
    for field, commitment in recorded.priv.items():
        sealed = _sealed(recorded, field, commitment)
        over = [place for place, old in after.items() if old.ended and (old.seat, old.field) == (sealed.seat, field)]
        for place in over:
            del after[place]
        after[recorded.position, field] = sealed
    return after


def heard(silence: Silence, recorded: RecordedEvent) -> Iterator[Heard]:
    """Yield what the event *recorded*, coming after *silence*, lets somebody read."""
    for kept in silence.values():
        until = kept.commitment.until
        if kept.ended:
            continue
        if recorded.type in until.open:
            yield Heard(kept, None)
        elif recorded.type not in until.never and (to := _shown(kept, recorded.type) - kept.leaf_decoders):
            yield Heard(kept, to)
    for field, commitment in recorded.priv.items():
        yield Heard(_sealed(recorded, field, commitment), frozenset(commitment.to))


def sealed_with(recorded: RecordedEvent) -> tuple[Kept, ...]:
    """Return the fields that the event *recorded* seals, as they are kept right after it."""
    return tuple(_sealed(recorded, field, commitment) for field, commitment in recorded.priv.items())


def last(silence: Silence, seat: int, field: str) -> Kept | None:
    """Return what *seat* sealed last under *field*; None: nothing."""
    found = None
    for kept in silence.values():
        if kept.seat == seat and kept.field == field:
            found = kept
    return found


def _sealed(recorded: RecordedEvent, field: str, commitment: Commitment) -> Kept:
    until = commitment.until
    shared = _until(until.never, until.open, tuple(until.shown.items()))
    return Kept(
        position=recorded.position,
        field=field,
        seat=getattr(recorded.event, "seat", 0),
        commitment=Commitment(c=commitment.c, to=commitment.to, until=shared),
        leaf_decoders=_seats(commitment.to),
    )


# What many fields have alike is kept once: of a table's memory that is most of what is sealed at it.
@lru_cache(maxsize=1024)
def _until(never: tuple[str, ...], opens: tuple[str, ...], shown: tuple[tuple[str, tuple[int, ...]], ...]) -> Until:
    return Until(never=never, open=opens, shown=dict(shown))


@lru_cache(maxsize=1024)
def _seats(seats: tuple[int, ...]) -> frozenset[int]:
    return frozenset(seats)


def _after(kept: Kept, kind: str) -> Kept:
    until = kept.commitment.until
    if kind in until.open:
        return replace(kept, ended="open")
    if kind in until.never:
        return replace(kept, ended="never")
    if kind not in until.shown or (shown := _shown(kept, kind)) <= kept.leaf_decoders:
        return kept
    return replace(kept, leaf_decoders=_seats(tuple(sorted(kept.leaf_decoders | shown))))


def _shown(kept: Kept, kind: str) -> frozenset[int]:
    """Return the seats that may read what was *kept* from an event of a *kind* on."""
    return frozenset(kept.commitment.until.shown.get(kind, ()))
