"""Errors of a request: however many there are, the response is short, and the service finds them at little cost."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Iterator
from typing import Any, Final

import pytest
from msgspec import Struct
from werkzeug.test import TestResponse

from service.http.problems.catalogue import MOST_ERRORS
from service.http.request import fields, parsing
from service.http.request.schemas import schema_of
from tests.http.service import Person, Service, Table, accepted, refused

_MOST_BYTES: Final = 10_000
_IN_ONE: Final = "{" + ",".join(f'"{one}":0,"{one}":0,"{one}":0' for one in range(2_000)) + "}"
_IN_MANY: Final = "[" + ",".join(['{"a":0,"a":0}'] * 4_000) + "]"
_MANY: Final = b"[" + b",".join([b"0"] * 30_000) + b"]"


class Checks(list[Any]):
    """The values that were checked as texts."""


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Checks]:
    """Record each value that is checked as a text."""
    found = Checks()
    check = fields.Text._deserialize

    def noted(self: fields.Text, value: Any, *rest: Any, **more: Any) -> str:
        found.append(value)
        return check(self, value, *rest, **more)

    monkeypatch.setattr(fields.Text, "_deserialize", noted)
    return iter([found])


def _send(who: Person, path: str, data: bytes) -> TestResponse:
    return who.send("POST", path, headers={"Idempotency-Key": "many"}, data=data, content_type="application/json")


def _shape(answer: TestResponse) -> Any:
    assert len(answer.data) < _MOST_BYTES
    return refused(answer, 422, "request_must_have_its_shape")


def test_of_too_many_scopes_none_is_checked(quick_service: Service, checks: Iterator[Checks]) -> None:
    found = next(checks)
    details = _shape(_send(quick_service.person("admin"), "/v1/keys", b'{"scopes":' + _MANY + b"}"))
    assert [(error["pointer"], error["code"]) for error in details["errors"]] == [
        ("/scopes", "value_must_have_its_length")
    ]
    assert 0 not in found
    _shape(_send(quick_service.person("admin"), "/v1/keys", b'{"scopes":[0]}'))
    assert 0 in found, "Checks are noted."


def test_of_too_many_cards_none_is_checked(quick_service: Service, checks: Iterator[Checks]) -> None:
    found = next(checks)
    table = Table(quick_service, 4, game="insurance_hearts").seated()
    details = _shape(_send(table.players[1], f"{table.path}/actions", b'{"type":"pass_cards","cards":' + _MANY + b"}"))
    assert [(error["pointer"], error["code"]) for error in details["errors"]] == [
        ("/cards", "value_must_have_its_length")
    ]
    assert 0 not in found


def test_an_array_of_a_request_has_a_greatest_length() -> None:
    class Endless(Struct):
        cards: tuple[str, ...]

    with pytest.raises(TypeError, match="maximum length"):
        schema_of(Endless)


@pytest.mark.parametrize("place", ["/v1/keys", "/v1/tables"])
def test_of_too_many_members_none_is_looked_up(quick_service: Service, place: str) -> None:
    many = {str(number): 0 for number in range(5_000)}
    body = many if place == "/v1/keys" else {"game": "bankrupt", "options": many}
    details = _shape(quick_service.person("host").post(place, body))
    pointer = "" if place == "/v1/keys" else "/options"
    assert [(error["pointer"], error["code"]) for error in details["errors"]] == [
        (pointer, "value_must_have_its_length")
    ]


@pytest.mark.parametrize("many", [MOST_ERRORS, MOST_ERRORS + 1, 90])
def test_no_answer_lists_more_errors_than_twenty_and_the_others_are_counted(quick_service: Service, many: int) -> None:
    host = quick_service.person("host")
    in_body = host.post("/v1/tables", {"game": "bankrupt", **{f"m{number}": 0 for number in range(many)}})
    query = "&".join(f"m{number}=0" for number in range(many))
    for answer in (in_body, host.get(f"/v1/tables?{query}"), host.get(f"/v1/whoami?{query}")):
        details = _shape(answer)
        assert len(details["errors"]) == MOST_ERRORS
        assert details.get("more_errors", 0) == many - MOST_ERRORS
    twice = _shape(host.get(f"/v1/tables?{query}&{query}"))
    assert (len(twice["errors"]), twice.get("more_errors", 0)) == (MOST_ERRORS, many - MOST_ERRORS)


def test_a_query_of_too_many_members_has_one_error(quick_service: Service) -> None:
    query = "&".join(f"m{number}=0" for number in range(1_000))
    (error,) = _shape(quick_service.spectator.get(f"/v1/tables?{query}"))["errors"]
    assert error["code"] == "value_must_have_its_length"
    assert not error.keys() & {"pointer", "parameter"}


@pytest.mark.parametrize(
    ("body", "many"),
    [
        pytest.param(_IN_ONE, 2_000, id="in one"),
        pytest.param(_IN_MANY, 4_000, id="each in its own"),
        pytest.param('{"a":0,"a":0}', 1, id="one alone"),
    ],
)
def test_members_given_twice_are_counted_and_the_first_are_named(quick_service: Service, body: str, many: int) -> None:
    details = _shape(_send(quick_service.person("host"), "/v1/keys", body.encode()))
    assert len(details["errors"]) + details.get("more_errors", 0) == many
    assert len(details["errors"]) == min(many, MOST_ERRORS)
    assert {error["code"] for error in details["errors"]} == {"member_must_be_given_once"}


def test_a_place_deep_inside_is_named_by_its_beginning(quick_service: Service) -> None:
    name = "x" * 100
    body = f'{{"{name}":0,"{name}":' * 200 + "0" + "}" * 200
    details = _shape(_send(quick_service.person("host"), "/v1/keys", body.encode()))
    assert len(details["errors"]) + details["more_errors"] == 200
    assert all(len(error["pointer"]) <= 301 for error in details["errors"])


def test_a_key_without_the_scope_is_denied_before_its_body_is_read(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(_now: object) -> bytes:
        raise AssertionError("The body was read.")

    monkeypatch.setattr(parsing, "_read", read)
    path = f"/v1/tables/tbl_{'0' * 32}"
    player, auditor = quick_service.person("play"), quick_service.person("audit")
    for who, places in ((player, ("/v1/keys", "/v1/tables")), (auditor, (f"{path}/seats", f"{path}/actions"))):
        for place in places:
            refused(_send(who, place, b"no JSON"), 403, "scope_must_be_granted")


def test_a_key_without_the_scope_of_an_action_is_denied_before_its_shape_is_checked(quick_service: Service) -> None:
    table = Table(quick_service, 2).seated()
    player, host = table.players[1], table.host
    refused(player.do(table.path, "start_game", nonsense=1), 403, "scope_must_be_granted")
    refused(host.do(table.path, "offer_upping", chips="many"), 403, "scope_must_be_granted")
    refused(host.do(table.path, "start_game", nonsense=1), 422, "request_must_have_its_shape")
    refused(player.do(table.path, "offer_upping", chips="many"), 422, "request_must_have_its_shape")


def test_an_array_within_its_length_is_still_checked_item_by_item(quick_service: Service) -> None:
    details = _shape(quick_service.person("admin").post("/v1/keys", {"scopes": ["play", 0, "fly"]}))
    assert [(error["pointer"], error["code"]) for error in details["errors"]] == [
        ("/scopes/1", "value_must_be_text"),
        ("/scopes/2", "value_must_be_one_of_those_known"),
    ]
    accepted(quick_service.person("admin").post("/v1/keys", {"scopes": ["play", "host"]}), 201)
