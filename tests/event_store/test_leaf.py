import enum
import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given, strategies as st
from msgspec import Raw, Struct

from service.canonical import INTEGER_LIMIT, NotCanonical, canonical
from service.event_store.leaf import (
    MOST_BYTES,
    NO_HASH,
    Commitment,
    Leaf,
    Malformed,
    Until,
    check_form,
    decode,
    encode,
    leaf_hash,
)
from service.secrets.commitments import command_id, field_commitment

VECTORS = json.loads((Path(__file__).parents[2] / "api_spec/vectors.json").read_text(encoding="utf-8"))

every_event = pytest.mark.parametrize("vector", VECTORS["events"], ids=lambda vector: f"event {vector['index']}")

ASCII_NAMES = st.text(st.characters(max_codepoint=127))
SMALL_INTEGERS = st.integers(1 - INTEGER_LIMIT, INTEGER_LIMIT - 1)
TEXTS = st.text() | st.text(st.sampled_from('\\"/\b\t\n\f\r\0\x1f\x7f\x80\u2028\ufeff\uffff😀aé'), max_size=80)
VALUES = st.recursive(
    st.none() | st.booleans() | SMALL_INTEGERS | TEXTS,
    lambda parts: st.lists(parts) | st.dictionaries(ASCII_NAMES, parts),
)


class Suit(enum.StrEnum):
    SPADES = "s"


class Point(Struct, array_like=True):
    across: int
    up: int = 1


class Sample(Struct, omit_defaults=True):
    zone: str
    at: Point
    suit: Suit = Suit.SPADES
    marks: tuple[int, ...] = ()


def leaf(**changes: Any) -> Leaf:  # noqa: ANN401 -- the member may have any type
    plain = Leaf(
        at="2026-01-01T00:00:00.000Z",
        by="service",
        position=1,
        prev=NO_HASH,
        pub=Raw(b"{}"),
        stream="table/t1",
        type="sample_made",
        v=1,
        version=1,
    )
    return msgspec.structs.replace(plain, **changes)


@every_event
def test_a_leaf_has_exactly_this_hash(vector: Mapping[str, Any]) -> None:
    assert leaf_hash(vector["leaf_data"].encode()).hex() == vector["leaf_hash"]


@every_event
def test_a_leaf_that_was_read_is_written_unchanged(vector: Mapping[str, Any]) -> None:
    data = vector["leaf_data"].encode()
    check_form(decode(data))
    assert encode(decode(data)) == data


def test_a_chain_links_each_leaf_to_the_one_before() -> None:
    leaves = [decode(vector["leaf_data"].encode()) for vector in VECTORS["events"]]
    hashes = [leaf_hash(encode(each)).hex() for each in leaves]
    assert [each.prev for each in leaves] == [NO_HASH, *hashes[:-1]]
    assert [each.position for each in leaves] == list(range(1, len(leaves) + 1))


def test_a_sealed_field_has_exactly_this_commitment() -> None:
    vector = VECTORS["field"]
    salt = bytes.fromhex(vector["salt"])
    commitment = field_commitment(vector["stream"], vector["position"], vector["field"], salt, vector["value"])
    assert canonical(vector["value"]).hex() == vector["value_canonical_hex"]
    assert commitment == vector["commitment"]
    assert decode(VECTORS["events"][9]["leaf_data"].encode()).priv["bid"].c == commitment


def test_a_command_is_known_by_the_askers_secret_and_the_idempotency_key() -> None:
    expected = hmac.new(b"\1" * 32, b"chiptrail/cmd/v1\nkey-1\n", "sha256").hexdigest()
    assert command_id(b"\1" * 32, "key-1") == expected
    assert len({command_id(b"\1" * 32, "key-2"), command_id(b"\2" * 32, "key-1"), expected}) == 3


@pytest.mark.parametrize("place", [("a\n1", 1, "f"), ("a", 1, "f\n"), ("é", 1, "f")])
def test_no_line_of_a_hashed_text_can_be_read_as_two_lines(place: tuple[str, int, str]) -> None:
    with pytest.raises(ValueError, match=r"line feed|ascii"):
        field_commitment(*place, bytes(32), 1)
    with pytest.raises(ValueError, match=r"line feed|ascii"):
        command_id(bytes(32), place[0] + place[2])


@given(VALUES)
def test_canonical_json_equals_the_output_of_another_implementation(value: Any) -> None:  # noqa: ANN401 -- the value may be any JSON
    assert canonical(value) == rfc8785.dumps(value)


def test_another_implementation_writes_every_character_alike() -> None:
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert canonical("".join(characters)) == rfc8785.dumps("".join(characters))


@pytest.mark.parametrize("offset", range(20))
def test_an_escape_is_written_anywhere_in_a_text(offset: int) -> None:
    for code in (*range(0x20), 0x22, 0x5C, 0x7F, 0x80):
        text = "x" * offset + chr(code) + "x" * (20 - offset)
        assert canonical([text]) == rfc8785.dumps([text])


@given(st.text(), SMALL_INTEGERS, st.integers(0, 10), st.lists(SMALL_INTEGERS))
def test_a_struct_is_written_like_a_mapping_with_its_members(zone: str, across: int, up: int, marks: list[int]) -> None:
    given_members: dict[str, Any] = {"zone": zone, "at": [across, up]}
    if marks:
        given_members["marks"] = marks
    assert canonical(Sample(zone, Point(across, up), marks=tuple(marks))) == rfc8785.dumps(given_members)


@pytest.mark.parametrize("number", [INTEGER_LIMIT - 1, 1 - INTEGER_LIMIT, 0])
def test_integers_below_the_limit_are_written(number: int) -> None:
    assert canonical(number) == b"%d" % number


class Odd(enum.Enum):
    FLOAT = 1.5


class Foreign(Struct):
    value: int = msgspec.field(name="größe", default=1)


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        float("nan"),
        INTEGER_LIMIT,
        -INTEGER_LIMIT,
        10**30,
        "\ud800",
        "a\udfffb",
        b"bytes",
        {1, 2},
        1j,
        {1: "a"},
        {"é": 1},
        {"\ud800": 1},
        {Suit.SPADES: 1},
        {"a": {"b": [1, {"c": 0.5}]}},
        (1, (2, (3.5,))),
        Odd.FLOAT,
        Sample("a", Point(1, 2**60)),
        Foreign(),
        Text("a"),
        pytest.param(object(), id="an object"),
    ],
    ids=repr,
)
def test_a_value_without_a_canonical_form_is_refused(value: Any) -> None:  # noqa: ANN401 -- the value may be anything
    with pytest.raises(NotCanonical):
        canonical(value)


def test_members_at_their_defaults_are_left_out_of_a_leaf_and_no_others() -> None:
    assert encode(leaf()) == (
        b'{"at":"2026-01-01T00:00:00.000Z","by":"service","position":1,"prev":"' + b"0" * 64 + b'",'
        b'"pub":{},"stream":"table/t1","type":"sample_made","v":1,"version":1}'
    )
    sealed = Commitment(c="c" * 64, to=(2,), until=Until(never=(), open=("all_shown",)))
    assert encode(leaf(cmd="d" * 64, priv={"slip": sealed})) == (
        b'{"at":"2026-01-01T00:00:00.000Z","by":"service","cmd":"' + b"d" * 64 + b'","position":1,'
        b'"prev":"' + b"0" * 64 + b'","priv":{"slip":{"c":"' + b"c" * 64 + b'","to":[2],'
        b'"until":{"never":[],"open":["all_shown"]}}},"pub":{},"stream":"table/t1","type":"sample_made",'
        b'"v":1,"version":1}'
    )


def test_a_leaf_has_at_most_65535_bytes() -> None:
    room = MOST_BYTES - len(encode(leaf(pub=Raw(b'""'))))
    assert len(encode(leaf(pub=Raw(b'"' + b"x" * room + b'"')))) == 65_535
    with pytest.raises(NotCanonical, match="65536"):
        encode(leaf(pub=Raw(b'"' + b"x" * (room + 1) + b'"')))


@pytest.mark.parametrize(
    "changes",
    [
        {"position": INTEGER_LIMIT},
        {"by": "\ud800"},
        {"priv": {"é": Commitment(c="", to=(), until=Until(never=(), open=()))}},
        {"priv": {"slip": Commitment(c="", to=(2**53,), until=Until(never=(), open=()))}},
        {"priv": {"slip": Commitment(c="", to=(), until=Until(never=(), open=(), shown={"é": ()}))}},
        {"priv": {"slip": Commitment(c="", to=(), until=Until(never=(), open=(), shown={"done": (2**53,)}))}},
    ],
    ids=str,
)
def test_no_leaf_is_written_that_is_not_canonical(changes: Mapping[str, Any]) -> None:
    with pytest.raises(NotCanonical):
        encode(leaf(**changes))


def altered(**changes: object) -> bytes:
    members = json.loads(encode(leaf())) | changes
    return json.dumps({name: value for name, value in members.items() if value is not None}).encode()


NO_LEAVES = {
    "nothing": b"",
    "null": b"null",
    "an empty object": b"{}",
    "no JSON": b"not json",
    "cut short": encode(leaf())[:-1],
    "a brace too many": encode(leaf()) + b"}",
    "no UTF-8": encode(leaf()).replace(b"service", b"\xff"),
    "without an end": encode(leaf()).replace(b'"pub":{}', b'"pub":' + b"[" * 60_000),
    "another v": altered(v=2),
    "v as a text": altered(v="1"),
    "no v": altered(v=None),
    "position 0": altered(position=0),
    "position 1.0": altered(position=1.0),
    "position as a text": altered(position="1"),
    "position 2**53": altered(position=INTEGER_LIMIT),
    "version 0": altered(version=0),
    "by a number": altered(by=7),
    "no pub": altered(pub=None),
    "an unknown member": altered(extra=1),
    "a value in priv": altered(priv={"slip": {"c": "", "to": [], "until": {"open": [], "never": []}, "value": 1}}),
    "a seat as a text": altered(priv={"slip": {"c": "", "to": ["1"], "until": {"open": [], "never": []}}}),
    "shown to all": altered(priv={"slip": {"c": "", "to": [], "until": {"open": [], "never": [], "shown": ["done"]}}}),
    "shown to a text": altered(
        priv={"slip": {"c": "", "to": [], "until": {"open": [], "never": [], "shown": {"done": ["1"]}}}}
    ),
    "no never": altered(priv={"slip": {"c": "", "to": [1], "until": {"open": []}}}),
}


@pytest.mark.parametrize("data", NO_LEAVES.values(), ids=NO_LEAVES.keys())
def test_bytes_that_are_no_leaf_are_not_read(data: bytes) -> None:
    with pytest.raises(Malformed):
        decode(data)


@pytest.mark.parametrize(
    "changes",
    [
        {"at": "2026-01-01T00:00:00Z"},
        {"at": "2026-01-01T00:00:00.000+00:00"},
        {"at": "2026-01-01T00:00:00.000Z\n"},
        {"by": "seat:0"},
        {"by": "seat:01"},
        {"by": "guest"},
        {"cmd": "C" * 64},
        {"cmd": "c" * 63},
        {"prev": "0" * 65},
        {"stream": "table"},
        {"stream": "table/a b"},
        {"priv": {"slip": Commitment(c="", to=(), until=Until(never=(), open=()))}},
    ],
    ids=str,
)
def test_the_texts_of_a_leaf_have_their_forms(changes: Mapping[str, Any]) -> None:
    check_form(leaf())
    check_form(leaf(by="seat:17", cmd="c" * 64))
    with pytest.raises(Malformed, match=next(iter(changes)).replace("priv", "c")):
        check_form(leaf(**changes))
