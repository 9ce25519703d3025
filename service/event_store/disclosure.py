"""Disclosure: which seats may read a sealed field, and from which event on (log/v1) (DECISIONS 33 and 82)."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from service.event_store.codec import RecordedEvent
from service.event_store.leaf import Commitment, Until
from service.secrets.openings import Committed

# Written for speed: `evolve` returns the same state if an event changes nothing, so the game with the most sealed
# fields is folded 1.3 times as fast. An event whose type is not in `types` changes no earlier field, so no field is
# looked at. Commitments share equal parts, so a table of that game takes 11,900 bytes instead of 21,000
# (service/bench/README.md).

FieldPlace: TypeAlias = tuple[int, str]
"""The place of a sealed field: the position of its event, and the name of the field."""


class SealedField(Struct, frozen=True, kw_only=True):
    """A *field* that was sealed by the event at *position*, a decision of *seat*.

    *readers* are the seats that may read the field so far. *ended* is "open" once everybody may read the field, and
    "never" once no seat can gain the right to read the field any more.
    """

    position: int
    field: str
    seat: int
    commitment: Commitment
    readers: frozenset[int]
    ended: Literal["", "open", "never"] = ""

    @property
    def committed(self) -> Committed:
        """The commitments to the value."""
        return Committed(self.commitment.c, self.commitment.choice, self.seat)

    def is_open_to(self, seat: int) -> bool:
        """Return whether the viewer in *seat* (0: a viewer without a seat) may read the field."""
        return self.ended == "open" or seat in self.readers


class DisclosureState(dict[FieldPlace, SealedField]):
    """The sealed fields of a stream by place, in the order of sealing; a state never changes after it was made.

    The state has all fields that a later event may disclose, and the last field that each seat sealed under each name.
    `types` has every type of event that can change one of these fields.
    """

    __slots__ = ("types",)

    def __init__(self, fields: Mapping[FieldPlace, SealedField], types: frozenset[str]) -> None:
        super().__init__(fields)
        self.types = types


NOTHING_SEALED: Final = DisclosureState({}, frozenset())


class Disclosure(Struct, frozen=True):
    """From one event on, the seats in *to* (None: everybody) may read *sealed_field*."""

    sealed_field: SealedField
    to: frozenset[int] | None


def state_of(fields: Iterable[SealedField]) -> DisclosureState:
    """Return the state with *fields*, which must be in the order in which they were sealed."""
    by_place = {(one.position, one.field): one for one in fields}
    return DisclosureState(by_place, frozenset[str]().union(*(_types(one) for one in by_place.values())))


def evolve(state: DisclosureState, recorded: RecordedEvent) -> DisclosureState:
    """Return the state after the event *recorded*."""
    kind = recorded.type
    if kind not in state.types and not recorded.priv:
        return state
    changed = {
        place: new
        for place, sealed_field in state.items()
        if not sealed_field.ended and (new := _after(sealed_field, kind)) is not sealed_field
    }
    if not changed and not recorded.priv:
        return state
    after, types = {**state, **changed}, state.types
    for field, commitment in recorded.priv.items():
        sealed = _sealed(recorded, field, commitment)
        over = [place for place, old in after.items() if old.ended and (old.seat, old.field) == (sealed.seat, field)]
        for place in over:
            del after[place]
        after[recorded.position, field] = sealed
        types |= _types(sealed)
    return DisclosureState(after, types)


def disclosures(state: DisclosureState, recorded: RecordedEvent) -> Iterator[Disclosure]:
    """Yield the disclosures that the event *recorded* makes; *state* is the state before the event."""
    for sealed_field in state.values():
        until = sealed_field.commitment.until
        if sealed_field.ended:
            continue
        if recorded.type in until.open:
            yield Disclosure(sealed_field, None)
        elif recorded.type not in until.never and (to := _shown(sealed_field, recorded.type) - sealed_field.readers):
            yield Disclosure(sealed_field, to)
    for field, commitment in recorded.priv.items():
        yield Disclosure(_sealed(recorded, field, commitment), frozenset(commitment.to))


def sealed_fields(recorded: RecordedEvent) -> tuple[SealedField, ...]:
    """Return the fields that the event *recorded* seals."""
    return tuple(_sealed(recorded, field, commitment) for field, commitment in recorded.priv.items())


def last_sealed(state: DisclosureState, seat: int, field: str) -> SealedField | None:
    """Return the last field named *field* that *seat* sealed, or None if *seat* sealed no such field."""
    found = None
    for sealed_field in state.values():
        if sealed_field.seat == seat and sealed_field.field == field:
            found = sealed_field
    return found


def committed(recorded: RecordedEvent) -> dict[str, Committed]:
    """Return the commitments to the values that *recorded* sealed, by field."""
    return {field: _sealed(recorded, field, commitment).committed for field, commitment in recorded.priv.items()}


def _sealed(recorded: RecordedEvent, field: str, commitment: Commitment) -> SealedField:
    until = commitment.until
    shared = _until(until.never, until.open, tuple(until.shown.items()))
    return SealedField(
        position=recorded.position,
        field=field,
        seat=getattr(recorded.event, "seat", 0),
        commitment=Commitment(c=commitment.c, to=commitment.to, until=shared, choice=commitment.choice),
        readers=_seats(commitment.to),
    )


@lru_cache(maxsize=1024)
def _until(never: tuple[str, ...], opens: tuple[str, ...], shown: tuple[tuple[str, tuple[int, ...]], ...]) -> Until:
    return Until(never=never, open=opens, shown=dict(shown))


def _types(sealed_field: SealedField) -> frozenset[str]:
    """Return the types of event that can change *sealed_field*."""
    until = sealed_field.commitment.until
    return frozenset((*until.never, *until.open, *until.shown))


@lru_cache(maxsize=1024)
def _seats(seats: tuple[int, ...]) -> frozenset[int]:
    return frozenset(seats)


def _after(sealed_field: SealedField, kind: str) -> SealedField:
    """Return *sealed_field* after an event of type *kind*."""
    until = sealed_field.commitment.until
    if kind in until.open:
        return replace(sealed_field, ended="open")
    if kind in until.never:
        return replace(sealed_field, ended="never")
    if kind not in until.shown or (shown := _shown(sealed_field, kind)) <= sealed_field.readers:
        return sealed_field
    return replace(sealed_field, readers=_seats(tuple(sorted(sealed_field.readers | shown))))


def _shown(sealed_field: SealedField, kind: str) -> frozenset[int]:
    """Return the seats that may read *sealed_field* from the first event of type *kind* on."""
    return frozenset(sealed_field.commitment.until.shown.get(kind, ()))
