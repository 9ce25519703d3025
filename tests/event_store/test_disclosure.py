"""Disclosure: which seats may read a sealed field, and from which event on (log/v1)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from hypothesis import given, strategies as st
from msgspec import Struct

from service.event_store import disclosure
from service.event_store.codec import Codec, Header, RecordedEvent
from service.event_store.disclosure import Disclosure, DisclosureState
from service.event_store.leaf import NO_HASH, Commitment, Until

KINDS = ("done", "ended", "revealed", "told")
FIELDS = ("number", "word")
SEATS = (1, 2, 3)


class Done(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    seat: int = 0


class Ended(Done, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Another type of event."""


class Revealed(Done, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Another type of event."""


class Told(Done, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Another type of event."""


TYPES: Mapping[str, type[Done]] = {"done": Done, "ended": Ended, "revealed": Revealed, "told": Told}
CODEC = Codec(TYPES)

Priv = Mapping[str, Commitment]


def sealed(
    *to: int,
    open: Sequence[str] = (),  # noqa: A002 -- log/v1 has this name
    never: Sequence[str] = (),
    **shown: tuple[int, ...],
) -> Commitment:
    return Commitment(c="0" * 64, to=to, until=Until(tuple(never), tuple(open), shown))


def stream(*events: tuple[str, int, Priv]) -> list[RecordedEvent]:
    """Return recorded events with these types, seats and sealed fields, at positions 1, 2, 3 …."""
    made: list[RecordedEvent] = []
    for position, (kind, seat, priv) in enumerate(events, start=1):
        header = Header(
            stream="table/t1",
            position=position,
            prev=made[-1].hash.hex() if made else NO_HASH,
            by="service",
            at="2026-01-01T00:00:00.000Z",
            cmd="",
            priv=dict(priv),
        )
        made.append(CODEC.decode(CODEC.encode(TYPES[kind](seat), header)))
    return made


def event(kind: str, seat: int = 0, **priv: Commitment) -> tuple[str, int, Priv]:
    return kind, seat, priv


def after(events: Sequence[RecordedEvent]) -> DisclosureState:
    state: DisclosureState = disclosure.NOTHING_SEALED
    for one in events:
        state = disclosure.evolve(state, one)
    return state


def heard(events: Sequence[RecordedEvent]) -> list[list[Disclosure]]:
    """Return the disclosures of each of *events*."""
    return [[*disclosure.disclosures(after(events[:place]), one)] for place, one in enumerate(events)]


def readers(events: Sequence[RecordedEvent], seat: int = 1, field: str = "number") -> frozenset[int]:
    """Return the seats (0: a viewer without a seat) that may read the last *field* that *seat* sealed."""
    sealed_field = disclosure.last_sealed(after(events), seat, field)
    assert sealed_field is not None
    return frozenset(one for one in (0, *SEATS) if sealed_field.is_open_to(one))


def test_only_the_seats_to_which_a_value_is_sealed_read_the_value_at_once() -> None:
    assert readers(stream(event("done", 1, number=sealed(1, 3, open=["told"])))) == {1, 3}
    assert readers(stream(event("done", 1, number=sealed(open=["told"])))) == set()


def test_everybody_reads_a_value_from_the_first_event_of_a_type_in_open_on() -> None:
    events = stream(event("done", 1, number=sealed(1, open=["told", "revealed"])), event("done"), event("told"))
    assert readers(events[:2]) == {1}
    assert readers(events) == {0, 1, 2, 3}
    assert [[one.to for one in found] for found in heard(events)] == [[{1}], [], [None]]


def test_an_event_does_not_open_its_own_value_but_the_next_event_of_its_type_does() -> None:
    events = stream(event("told", 1, number=sealed(1, open=["told"])), event("told", 2))
    assert readers(events[:1]) == {1}
    assert readers(events) == {0, 1, 2, 3}


def test_after_an_event_of_a_type_in_never_nobody_else_ever_reads_the_value() -> None:
    number = sealed(1, open=["told"], never=["ended"], revealed=(2,))
    events = stream(event("done", 1, number=number), event("ended"), event("told"), event("revealed"))
    for upto in range(1, 5):
        assert readers(events[:upto]) == {1}
    assert heard(events)[1:] == [[], [], []]


def test_an_open_field_stays_open() -> None:
    number = sealed(1, open=["told"], never=["ended"])
    assert readers(stream(event("done", 1, number=number), event("told"), event("ended"))) == {0, 1, 2, 3}


def test_a_shown_value_is_readable_from_then_on_by_the_seats_to_which_it_is_shown() -> None:
    number = sealed(1, open=["told"], revealed=(2,), ended=(1, 2, 3))
    events = stream(
        event("done", 1, number=number), event("revealed"), event("revealed"), event("ended"), event("told")
    )
    assert [readers(events[:upto]) for upto in range(1, 6)] == [{1}, {1, 2}, {1, 2}, {1, 2, 3}, {0, 1, 2, 3}]
    assert [[one.to for one in found] for found in heard(events)] == [[{1}], [{2}], [], [{3}], [None]]


def test_an_event_that_ends_a_field_for_good_shows_the_field_to_nobody() -> None:
    number = sealed(1, never=["ended"], ended=(2,))
    events = stream(event("done", 1, number=number), event("ended"))
    assert readers(events) == {1}
    assert heard(events)[1] == []


def test_each_field_and_each_seat_is_followed_by_itself() -> None:
    events = stream(
        event("done", 1, number=sealed(1, open=["told"]), word=sealed(1, open=["revealed"])),
        event("done", 2, number=sealed(2, open=["ended"])),
        event("told"),
    )
    assert readers(events) == {0, 1, 2, 3}
    assert readers(events, 1, "word") == {1}
    assert readers(events, 2) == {2}
    assert disclosure.last_sealed(after(events), 3, "number") is None


def test_a_field_sealed_again_replaces_a_field_that_has_ended() -> None:
    number = sealed(1, open=["told"])
    events = stream(event("done", 1, number=number), event("told"), event("done", 1, number=number))
    assert readers(events) == {1}
    assert list(after(events)) == [(3, "number")]


def test_a_field_that_has_not_ended_stays_even_if_it_is_sealed_again() -> None:
    number = sealed(1, open=["told"])
    events = stream(event("done", 1, number=number), event("done", 1, number=number), event("told"))
    assert list(after(events[:2])) == [(1, "number"), (2, "number")]
    assert [one.sealed_field.position for one in heard(events)[2]] == [1, 2]


def test_a_stream_in_which_nothing_is_sealed_keeps_nothing() -> None:
    assert after(stream(event("done"), event("told"))) is disclosure.NOTHING_SEALED


def of_kinds(most: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(KINDS), max_size=most, unique=True).map(tuple)


SOME_SEATS = st.lists(st.sampled_from(SEATS), max_size=2, unique=True).map(tuple)
COMMITMENTS = st.builds(
    lambda to, open_, never, shown: Commitment(c="0" * 64, to=to, until=Until(never, open_, shown)),
    SOME_SEATS,
    of_kinds(2),
    of_kinds(1),
    st.dictionaries(st.sampled_from(KINDS), SOME_SEATS, max_size=2),
)
STREAMS = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.sampled_from(SEATS),
        st.dictionaries(st.sampled_from(FIELDS), COMMITMENTS, max_size=2),
    ),
    max_size=12,
).map(lambda events: stream(*events))


def reads(commitment: Commitment, later: Sequence[str], seat: int) -> bool:
    """Return whether *seat* may read a field after events of the types *later*: log/v1's rules, implemented again."""
    until = commitment.until
    if seat in commitment.to:
        return True
    for kind in later:
        if kind in until.open:
            return True
        if kind in until.never:
            return False
        if seat in until.shown.get(kind, ()):
            return True
    return False


@given(STREAMS)
def test_the_readers_of_a_field_are_the_readers_that_its_leaf_names(events: Sequence[RecordedEvent]) -> None:
    state = after(events)
    for (position, field), one in state.items():
        later = [each.type for each in events[position:]]
        commitment = events[position - 1].priv[field]
        assert [one.is_open_to(seat) for seat in (0, *SEATS)] == [
            reads(commitment, later, seat) for seat in (0, *SEATS)
        ]
    for seat in SEATS:
        for field in FIELDS:
            places = [each.position for each in events if field in each.priv and seat == getattr(each.event, "seat", 0)]
            found = disclosure.last_sealed(state, seat, field)
            assert (found.position if found else 0) == max(places, default=0)


@given(STREAMS)
def test_every_reader_gets_every_field_at_the_first_event_at_which_the_reader_may_read_the_field(
    events: Sequence[RecordedEvent],
) -> None:
    told: dict[tuple[int, str, int], int] = {}
    for recorded, found in zip(events, heard(events), strict=True):
        for one in found:
            for seat in (0, *SEATS) if one.to is None else one.to:
                told.setdefault((one.sealed_field.position, one.sealed_field.field, seat), recorded.position)
    first: dict[tuple[int, str, int], int] = {}
    for recorded in events:
        for field, commitment in recorded.priv.items():
            for seat in (0, *SEATS):
                for upto in range(recorded.position, len(events) + 1):
                    if reads(commitment, [one.type for one in events[recorded.position : upto]], seat):
                        first.setdefault((recorded.position, field, seat), upto)
    assert told == first


@given(STREAMS)
def test_the_state_has_all_fields_that_have_not_ended_and_the_last_field_of_each_seat(
    events: Sequence[RecordedEvent],
) -> None:
    state = after(events)
    for recorded in events:
        for field, commitment in recorded.priv.items():
            ended = ended_by(commitment, [one.type for one in events[recorded.position :]])
            place = (recorded.position, field)
            if place in state:
                assert state[place].ended == ended
            else:
                assert ended


def ended_by(commitment: Commitment, later: Sequence[str]) -> Literal["", "open", "never"]:
    for kind in later:
        if kind in commitment.until.open:
            return "open"
        if kind in commitment.until.never:
            return "never"
    return ""
