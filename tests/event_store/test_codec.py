import enum
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, ClassVar

import msgspec
import pytest
import rfc8785
from hypothesis import given, strategies as st
from msgspec import Meta, Struct, defstruct

from service.canonical import INTEGER_LIMIT, NotCanonical
from service.event_store.codec import Codec, Header, RecordedEvent
from service.event_store.leaf import NO_HASH, Commitment, Malformed, Until


class Colour(enum.StrEnum):
    RED = "red"
    BLACK = "black"


class Move(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    source: str
    target: str
    amount: int


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    moves: tuple[Move, ...] = ()


class PotWon(Event, frozen=True, kw_only=True):
    seat: int
    colour: Colour = Colour.RED
    loud: bool = False
    note: str = ""
    pairs: tuple[tuple[int, int], ...] = ()


class OptionsSet(Event, frozen=True, kw_only=True):
    options: dict[str, bool | int | str]


class TableNamed(Event, frozen=True, kw_only=True):
    """The members by version: 1: `called`; 2: `name`; 3: `name` and `letters`."""

    VERSION: ClassVar[int] = 3
    name: str
    letters: int


TYPES: Mapping[str, type[Struct]] = {"pot_won": PotWon, "options_set": OptionsSet, "table_named": TableNamed}
UPCASTERS = {
    ("table_named", 1): lambda members: {"name": members["called"]},
    ("table_named", 2): lambda members: members | {"letters": len(members["name"])},
}
CODEC = Codec(TYPES, UPCASTERS)
HEADER = Header(stream="table/t1", position=1, prev=NO_HASH, by="seat:2", at="2026-01-01T00:00:00.000Z")
SLIP = Commitment(c="c" * 64, to=(2,), until=Until(never=("hand_cancelled",), open=("slips_shown",)))

INTEGERS = st.integers(1 - INTEGER_LIMIT, INTEGER_LIMIT - 1)
POTS = st.builds(
    PotWon,
    seat=INTEGERS,
    colour=st.sampled_from(Colour),
    loud=st.booleans(),
    note=st.text() | st.just("1234567890123456"),
    pairs=st.lists(st.tuples(INTEGERS, INTEGERS)).map(tuple),
    moves=st.lists(st.builds(Move, st.text(), st.text(), INTEGERS)).map(tuple),
)


def members_of(pot: PotWon) -> dict[str, Any]:
    everything = {
        "seat": pot.seat,
        "colour": pot.colour.value,
        "loud": pot.loud,
        "note": pot.note,
        "pairs": [list(pair) for pair in pot.pairs],
        "moves": [[move.source, move.target, move.amount] for move in pot.moves],
    }
    defaults = {"colour": "red", "loud": False, "note": "", "pairs": [], "moves": []}
    return {name: value for name, value in everything.items() if defaults.get(name) != value or name == "seat"}


def leaf_data(pub: object, *, name: str = "pot_won", version: object = 1, **members: object) -> bytes:
    plain = {
        "at": "2026-01-01T00:00:00.000Z",
        "by": "seat:2",
        "position": 1,
        "prev": NO_HASH,
        "pub": pub,
        "stream": "table/t1",
        "type": name,
        "v": 1,
        "version": version,
    }
    return json.dumps(plain | members, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


PRIV: Mapping[str, Any] = {"c": "0" * 64, "to": [1], "until": {"never": [], "open": []}}


def sealed_to(*seats: int) -> bytes:
    """Return a leaf with a sealed field that *seats* may read."""
    return leaf_data({"seat": 1}, priv={"slip": {**PRIV, "to": seats}})


@given(POTS)
def test_an_event_is_kept_as_canonical_json_and_is_read_again_unchanged(pot: PotWon) -> None:
    data = CODEC.encode(pot, HEADER)
    assert data == rfc8785.dumps(json.loads(leaf_data(members_of(pot))))
    assert CODEC.decode(data).event == pot
    CODEC.check_canonical(data)


@given(st.dictionaries(st.text(st.characters(max_codepoint=127)), st.booleans() | INTEGERS | st.text()))
def test_a_mapping_in_an_event_is_also_kept_as_canonical_json(options: dict[str, bool | int | str]) -> None:
    data = CODEC.encode(OptionsSet(options=options), HEADER)
    assert data == rfc8785.dumps(json.loads(leaf_data({"options": options}, name="options_set")))
    assert CODEC.decode(data).event == OptionsSet(options=options)
    CODEC.check_canonical(data)


def test_a_recorded_event_carries_its_bytes_their_hash_and_everything_around_it() -> None:
    header = Header(
        stream="table/t1",
        position=7,
        prev="ab" * 32,
        by="seat:2",
        at="2026-01-01T00:00:00.000Z",
        cmd="cd" * 32,
        priv={"slip": SLIP},
    )
    data = CODEC.encode(PotWon(seat=2), header)
    assert CODEC.decode(data) == RecordedEvent(
        position=7,
        leaf=data,
        hash=sha256(b"\0" + data).digest(),
        event=PotWon(seat=2),
        type="pot_won",
        by="seat:2",
        at="2026-01-01T00:00:00.000Z",
        cmd="cd" * 32,
        prev="ab" * 32,
        priv={"slip": SLIP},
    )
    assert CODEC.type_name(PotWon(seat=2)) == "pot_won"
    CODEC.check_canonical(data)


def test_a_consequence_has_no_cmd_and_an_open_event_nothing_sealed() -> None:
    recorded = CODEC.decode(CODEC.encode(PotWon(seat=2), HEADER))
    assert (recorded.cmd, recorded.priv) == ("", {})


@pytest.mark.parametrize(
    ("pub", "version"),
    [
        pytest.param({"called": "Bo"}, 1, id="lifted twice"),
        pytest.param({"name": "Bo"}, 2, id="lifted once"),
        pytest.param({"name": "Bo", "letters": 2}, 3, id="as it is"),
    ],
)
def test_every_version_there_ever_was_is_read(pub: object, version: int) -> None:
    data = leaf_data(pub, name="table_named", version=version)
    recorded = CODEC.decode(data)
    assert recorded.event == TableNamed(name="Bo", letters=2)
    assert recorded.leaf == data
    assert recorded.hash == sha256(b"\0" + data).digest()
    CODEC.check_canonical(data)


def test_the_newest_version_is_written() -> None:
    data = CODEC.encode(TableNamed(name="Bo", letters=2), HEADER)
    assert data == leaf_data({"name": "Bo", "letters": 2}, name="table_named", version=3)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(leaf_data({"seat": 1}).replace(b'"seat:2"', b"2"), id="a number for who"),
        pytest.param(leaf_data({"seat": 1}, colour="red"), id="a member too many"),
        pytest.param(leaf_data({"seat": 1}, position=0), id="position 0"),
        pytest.param(leaf_data({"seat": 1}, priv={"slip": 1}), id="a number for a commitment"),
        pytest.param(leaf_data({"seat": 1}, v=2), id="another format"),
        pytest.param(leaf_data({"seat": 1}) + b'"type":"pot_won","v":1,"version":1}', id="two endings"),
        pytest.param(b'"type":"pot_won","v":1,"version":1}', id="an ending alone"),
    ],
)
def test_bytes_that_only_end_like_a_leaf_are_not_read(data: bytes) -> None:
    with pytest.raises(Malformed, match="no leaf of log/v1"):
        CODEC.decode(data)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_version_is_read(version: int) -> None:
    members: Mapping[int, object] = {1: {"called": "Bo"}, 2: {"name": "Bo"}, 3: {"name": "Bo", "letters": 2}}
    old = leaf_data(members[version], name="table_named", version=version, priv={"slip": msgspec.to_builtins(SLIP)})
    fact = CODEC.decode(old)
    assert fact.event == TableNamed(name="Bo", letters=2)
    assert (fact.position, fact.type, fact.priv) == (1, "table_named", {"slip": SLIP})


def test_a_text_that_looks_like_another_ending_changes_nothing() -> None:
    data = CODEC.encode(PotWon(seat=1, note=',"type":"options_set","v":1,"version":1}'), HEADER)
    assert CODEC.decode(data).type == "pot_won"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"{}", "no leaf of log/v1", id="no leaf"),
        pytest.param(leaf_data({"seat": 1}, name="pot_lost"), "not know 'pot_lost' of version 1", id="unknown type"),
        pytest.param(leaf_data({"seat": 1}, version=2), "not know 'pot_won' of version 2", id="newer version"),
        pytest.param(
            leaf_data({"name": "Bo"}, name="table_named", version=4), "of version 4", id="newer than the newest"
        ),
        pytest.param(leaf_data({}), "required field `seat`", id="member missing"),
        pytest.param(leaf_data([]), "Expected `object`", id="an array"),
        pytest.param(leaf_data(None), "Expected `object`", id="null"),
        pytest.param(leaf_data({"seat": "1"}), "Expected `int`, got `str`", id="text for integer"),
        pytest.param(leaf_data({"seat": 1.0}), "Expected `int`, got `float`", id="float for integer"),
        pytest.param(leaf_data({"seat": True}), "Expected `int`, got `bool`", id="boolean for integer"),
        pytest.param(leaf_data({"seat": None}), "Expected `int`, got `null`", id="null for integer"),
        pytest.param(leaf_data({"seat": 1, "suit": "s"}), "unknown field `suit`", id="unknown member"),
        pytest.param(leaf_data({"seat": 1, "colour": "green"}), "Invalid enum value", id="unknown enum value"),
        pytest.param(leaf_data({"seat": 1, "moves": [["a", "b"]]}), "length 3", id="array too short"),
        pytest.param(leaf_data({"seat": 1, "moves": [["a", "b", 1, "c"]]}), "length 3", id="array too long"),
        pytest.param(leaf_data({"seat": 1}).replace(b'"seat"', b'"\xff"'), "utf-8", id="no UTF-8"),
        pytest.param(leaf_data("?").replace(b'"?"', b"[" * 500 + b"]" * 500), "Expected `object`", id="deep array"),
        pytest.param(
            leaf_data("?", name="table_named", version=2).replace(b'"?"', b'{"name":' + b"[" * 20_000),
            "recursion",
            id="old, without an end",
        ),
        pytest.param(leaf_data([], name="table_named", version=2), "Expected `object`", id="old, an array"),
        pytest.param(
            leaf_data({"label": "Bo"}, name="table_named", version=2),
            "can't be upcast: KeyError",
            id="old, member missing",
        ),
        pytest.param(
            leaf_data({"name": 3}, name="table_named", version=2), "can't be upcast: TypeError", id="old, wrong kind"
        ),
        pytest.param(
            leaf_data({"name": "Bo", "by": 1}, name="table_named", version=2),
            "unknown field `by`",
            id="old, unknown member",
        ),
    ],
)
def test_an_unknown_event_is_not_read(data: bytes, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        CODEC.decode(data)


PLAIN = leaf_data({"seat": 1})


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(PLAIN.replace(b":1,", b": 1,"), id="a space"),
        pytest.param(PLAIN + b"\n", id="a line feed after it"),
        pytest.param(json.dumps(dict(reversed(json.loads(PLAIN).items()))).encode(), id="another order"),
        pytest.param(PLAIN.replace(b"seat:2", b"\\u0073eat:2"), id="a needless escape"),
        pytest.param(leaf_data({"note": "a/b", "seat": 1}).replace(b"/b", b"\\/b"), id="an escaped slash"),
        pytest.param(PLAIN.replace(b'{"seat":1}', b'{"seat":2,"seat":1}'), id="a member twice"),
        pytest.param(PLAIN.replace(b'{"seat":1}', b'{"seat":-0}'), id="minus zero"),
        pytest.param(leaf_data({"note": "", "seat": 1}), id="an empty text that is the default"),
        pytest.param(leaf_data({"colour": "red", "seat": 1}), id="an enum's member that is the default"),
        pytest.param(leaf_data({"moves": [], "seat": 1}), id="an empty array that is the default"),
        pytest.param(leaf_data({"loud": False, "seat": 1}), id="a boolean that is the default"),
        pytest.param(leaf_data({"seat": 1}, cmd=""), id="an empty cmd"),
        pytest.param(leaf_data({"seat": 1}, priv={}), id="an empty priv"),
        pytest.param(leaf_data({"seat": INTEGER_LIMIT}), id="an integer too large"),
        pytest.param(leaf_data({"moves": [["a", "b", -INTEGER_LIMIT]], "seat": 1}), id="a negative one in an array"),
        pytest.param(leaf_data({"options": {"é": 1}}, name="options_set"), id="a name that is not ASCII"),
        pytest.param(sealed_to(1, INTEGER_LIMIT), id="a seat too large"),
        pytest.param(leaf_data({"seat": 1}, priv={"é": PRIV}), id="a sealed field whose name is not ASCII"),
        pytest.param(leaf_data({"note": "é" * 40_000, "seat": 1}), id="a leaf too long"),
        pytest.param(leaf_data({"note": "e" * 70_000, "seat": 1}), id="a plain leaf too long"),
        pytest.param(leaf_data({"called": "Bo"}, name="table_named") + b" ", id="an old version and a space"),
        pytest.param(
            leaf_data({"called": "Bo"}, name="table_named").replace(b'"Bo"', b'"","called":"Bo"'),
            id="a member of an old version twice",
        ),
    ],
)
def test_other_bytes_for_the_same_event_are_found(data: bytes) -> None:
    CODEC.decode(data)
    with pytest.raises(NotCanonical):
        CODEC.check_canonical(data)


def test_long_numbers_in_texts_are_no_large_integers() -> None:
    CODEC.check_canonical(leaf_data({"note": f":{INTEGER_LIMIT},[-{INTEGER_LIMIT}", "seat": 1}))


def test_the_type_of_a_leaf_of_the_newest_version_is_known_without_reading_it() -> None:
    assert CODEC.type_of(leaf_data({"seat": 1})) == "pot_won"
    assert CODEC.type_of(leaf_data({"called": "Bo"}, name="table_named")) == ""
    assert CODEC.type_of(leaf_data({"seat": 1}).replace(b"{", b'{"v":1,', 1)) == "pot_won"
    assert CODEC.type_of(leaf_data({"seat": 1}).replace(b',"v":1', b"")) == ""


def test_a_malformed_text_is_found() -> None:
    data = leaf_data({"seat": 1}, by="somebody")
    CODEC.decode(data)
    with pytest.raises(Malformed, match="'by'"):
        CODEC.check_canonical(data)


NOT_A_NUMBER = float("nan")


UNWRITABLE = {
    "2**53": PotWon(seat=INTEGER_LIMIT),
    "-2**53": PotWon(seat=-INTEGER_LIMIT),
    "10**30, deep": PotWon(seat=1, pairs=((1, 10**30),)),
    "half a surrogate": PotWon(seat=1, note="\ud800"),
    "1.5": PotWon(seat=1.5),  # type: ignore[arg-type]
    "1.0": PotWon(seat=1.0),  # type: ignore[arg-type]
    "not a number": PotWon(seat=NOT_A_NUMBER),  # type: ignore[arg-type]
    "None": PotWon(seat=None),  # type: ignore[arg-type]
    "a boolean for an integer": PotWon(seat=True),
    "an integer for a text": PotWon(seat=1, note=1),  # type: ignore[arg-type]
    "a float in an array": PotWon(seat=1, moves=(Move("a", "b", 0.5),)),  # type: ignore[arg-type]
    "an object": PotWon(seat=1, pairs=(object(),)),  # type: ignore[arg-type]
    "a name that is not ASCII": OptionsSet(options={"é": 1}),
    "2**53 in a mapping": OptionsSet(options={"a": INTEGER_LIMIT}),
    "a float in a mapping": OptionsSet(options={"a": 0.5}),  # type: ignore[dict-item]
    "None in a mapping": OptionsSet(options={"a": None}),  # type: ignore[dict-item]
    "an integer as a name": OptionsSet(options={1: 1}),  # type: ignore[dict-item]
    "too long": PotWon(seat=1, note="x" * 65_535),
}


@pytest.mark.parametrize("event", UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_no_event_is_written_that_would_not_be_canonical_or_not_be_read_again(event: Struct) -> None:
    with pytest.raises(NotCanonical):
        CODEC.encode(event, HEADER)


def test_an_event_of_another_codec_is_not_written() -> None:
    with pytest.raises(KeyError):
        CODEC.encode(Event(), HEADER)


class Loose(Struct, frozen=True):
    value: int


class Ratio(enum.Enum):
    HALF = 0.5


GOOD = {"frozen": True, "omit_defaults": True, "forbid_unknown_fields": True}


def odd(*fields: Any, **changes: Any) -> type[Struct]:  # noqa: ANN401 -- msgspec accepts any of these
    return defstruct("Odd", fields, **(GOOD | changes))


@pytest.mark.parametrize(
    "cls",
    [
        pytest.param(odd(frozen=False), id="not frozen"),
        pytest.param(odd(omit_defaults=False), id="writes defaults"),
        pytest.param(odd(forbid_unknown_fields=False), id="passes over unknown members"),
        pytest.param(odd(tag=True), id="tagged"),
        pytest.param(odd(array_like=True), id="an array"),
        pytest.param(odd(("part", Loose)), id="a part that passes over unknown members"),
        pytest.param(odd(("parts", tuple[tuple[Loose, int], ...])), id="the same, deeper"),
        pytest.param(odd(("by_name", dict[str, Loose])), id="the same, in a mapping"),
        pytest.param(odd(("value", float)), id="a float"),
        pytest.param(odd(("value", int | float)), id="perhaps a float"),
        pytest.param(odd(("value", Annotated[float, Meta(ge=0, description="?")])), id="a described float"),
        pytest.param(odd(("value", int | None)), id="None"),
        pytest.param(odd(("value", bytes)), id="bytes"),
        pytest.param(odd(("value", Any)), id="anything"),
        pytest.param(odd(("values", list[int])), id="a list"),
        pytest.param(odd(("values", frozenset[int])), id="a set"),
        pytest.param(odd(("values", dict[int, int])), id="a mapping from integers"),
        pytest.param(odd(("value", Ratio)), id="an enum of floats"),
        pytest.param(odd(("größe", int)), id="a name that is not ASCII"),
        pytest.param(odd(("value", str, "none")), id="a text as default, of which there can be two"),
        pytest.param(odd(("value", int, 1000)), id="a large default, of which there can be two"),
        pytest.param(odd(("value", tuple[int, ...], (1,))), id="a filled tuple as default"),
    ],
)
def test_a_class_that_could_write_one_event_in_two_ways_is_refused(cls: type[Struct]) -> None:
    Codec({"even": odd(("value", int, 1), ("text", str, ""))})
    with pytest.raises(TypeError, match=r"Odd|Ratio"):
        Codec({"odd": cls})


@pytest.mark.parametrize("default", [True, -5, 0, 256, "", (), Colour.BLACK], ids=repr)
def test_a_member_with_its_default_value_is_left_out_in_every_case(default: object) -> None:
    cls = odd(("value", bool | int | str | tuple[int, ...] if default != Colour.BLACK else Colour, default))
    codec = Codec({"odd": cls})
    written = codec.encode(cls(), HEADER)
    assert b'"pub":{}' in written
    read = codec.decode(leaf_data({"value": default}, name="odd")).event
    assert read == cls()
    assert codec.encode(read, HEADER) == written


@pytest.mark.parametrize(
    "upcasters",
    [
        pytest.param({}, id="both missing"),
        pytest.param({("table_named", 1): dict}, id="one missing"),
        pytest.param(UPCASTERS | {("table_named", 3): dict}, id="from the newest"),
        pytest.param(UPCASTERS | {("pot_lost", 1): dict}, id="of an unknown type"),
    ],
)
def test_every_older_version_has_one_upcaster_and_no_other_version_has_any(upcasters: dict[Any, Any]) -> None:
    with pytest.raises(ValueError, match="upcaster"):
        Codec(TYPES, upcasters)
