"""`until` in a leaf: its bytes, with and without `shown`, which maps types of later events to seats."""

import json
from typing import Any

import pytest
import rfc8785
from msgspec import Raw

from service.canonical import NotCanonical, canonical
from service.event_store.leaf import NO_HASH, Commitment, Leaf, Until, decode, encode
from tests.event_store.streams import CODEC

PLAIN = Until(never=("all_lost",), open=("all_opened",))
SHOWING = Until(never=(), open=("all_opened",), shown={"z_passed": (3,), "a_passed": (2, 1)})


def leaf(until: Until) -> Leaf:
    return Leaf(
        at="2026-01-01T00:00:00.000Z",
        by="service",
        position=1,
        prev=NO_HASH,
        priv={"cards": Commitment(c="c" * 64, to=(2,), until=until)},
        pub=Raw(b'{"words":"?"}'),
        stream="table/t1",
        type="asked",
        v=1,
        version=1,
    )


def altered(until: Any) -> bytes:  # noqa: ANN401 -- the value may be any JSON
    members = json.loads(encode(leaf(PLAIN)))
    members["priv"]["cards"]["until"] = until
    return canonical(members)


@pytest.mark.parametrize("until", [PLAIN, SHOWING])
def test_a_leaf_with_until_is_read_and_written_again_unchanged(until: Until) -> None:
    data = encode(leaf(until))
    assert rfc8785.dumps(json.loads(data)) == data
    assert decode(data).priv["cards"].until == until
    assert encode(decode(data)) == data
    CODEC.check_canonical(data)


def test_the_seats_to_which_a_field_is_shown_are_listed_by_type_of_event() -> None:
    assert b'"until":{"never":[],"open":["all_opened"],"shown":{"a_passed":[2,1],"z_passed":[3]}}' in encode(
        leaf(SHOWING)
    )


def test_a_field_that_is_shown_to_nobody_lists_no_readers() -> None:
    data = encode(leaf(PLAIN))
    assert b'"until":{"never":["all_lost"],"open":["all_opened"]}}' in data
    assert decode(data).priv["cards"].until.shown == {}


def test_a_leaf_with_an_empty_list_of_readers_is_not_in_the_form_of_log_v1() -> None:
    data = altered({"never": ["all_lost"], "open": ["all_opened"], "shown": {}})
    assert decode(data).priv["cards"].until == PLAIN
    with pytest.raises(NotCanonical):
        CODEC.check_canonical(data)
