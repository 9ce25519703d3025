"""Bad input: the service answers with a clear problem, writes nothing, and continues to work."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final

import pytest

from tests.http.service import Service, Table, accepted, refused

JSON: Final = "application/json"


@pytest.fixture(scope="module")
def dealt(shared_service: Service) -> Table:
    """Return a table with a dealt hand, at which no test records anything more."""
    return Table(shared_service).dealt()


@pytest.fixture
def table(dealt: Table) -> Iterator[Table]:
    """Yield the table of `dealt`, and check afterwards that the test has changed nothing."""
    before, at = dealt.service.events(), dealt.position
    yield dealt
    assert (dealt.service.events(), dealt.position) == (before, at)
    accepted(dealt.host.get("/healthz"))
    accepted(dealt.due.post(f"{dealt.path}/actions?dry_run=true", {"type": "hold_cards"}))


_CUT: Final = "The body, or an escape sequence in it, is incomplete."
_TOO_LARGE: Final = "A number in the body is too large."

NOT_CHIPS: Final = [
    pytest.param(b'"3"', "value_must_be_a_whole_number", id="text"),
    pytest.param(b"3.5", "value_must_be_a_whole_number", id="a fraction"),
    pytest.param(b"true", "value_must_be_a_whole_number", id="true"),
    pytest.param(b"null", "member_must_not_be_null", id="null"),
    pytest.param(b"[3]", "value_must_be_a_whole_number", id="an array"),
    pytest.param(b"{}", "value_must_be_a_whole_number", id="an object"),
    pytest.param(b"-1", "value_must_be_within_its_range", id="below zero"),
    pytest.param(b"0", "value_must_be_within_its_range", id="nothing"),
    pytest.param(b"7", "value_must_be_within_its_range", id="more than six"),
    pytest.param(b"100000000000000000000", "value_must_be_within_its_range", id="ten to the twentieth"),
    pytest.param(b"1e20", "value_must_be_within_its_range", id="the same as a double"),
]


@pytest.mark.parametrize(("chips", "code"), NOT_CHIPS)
def test_chips_are_whole_numbers_within_their_range(table: Table, chips: bytes, code: str) -> None:
    details = refused(
        _raw(table, b'{"type":"offer_upping","chips":' + chips + b"}"), 422, "request_must_have_its_shape"
    )
    (error,) = details["errors"]
    assert (error["pointer"], error["code"]) == ("/chips", code)


def test_a_double_without_a_fraction_is_a_whole_number(table: Table) -> None:
    refused(_raw(table, b'{"type":"offer_upping","chips":3.0}'), 409, "ante_must_be_being_upped")


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        pytest.param({"type": "hold_cards", "by": "seat:1"}, "/by", "member_must_be_known", id="who one is"),
        pytest.param({"type": "hold_cards", "a/b~c": 1}, "/a~1b~0c", "member_must_be_known", id="escaped"),
        pytest.param({"type": "exchange_card"}, "/card", "member_must_be_given", id="missing"),
        pytest.param({"type": "win"}, "/type", "value_must_be_one_of_those_known", id="type unknown"),
        pytest.param({"type": ["hold_cards"]}, "/type", "value_must_be_one_of_those_known", id="type no text"),
        pytest.param({}, "/type", "member_must_be_given", id="type missing"),
        pytest.param([], "", "value_must_be_an_object", id="an array"),
        pytest.param(None, "", "value_must_be_an_object", id="null"),
    ],
)
def test_an_action_has_its_members_and_no_others(table: Table, body: Any, pointer: str, code: str) -> None:
    details = refused(table.due.post(f"{table.path}/actions", body), 422, "request_must_have_its_shape")
    assert [(error["pointer"], error["code"]) for error in details["errors"]] == [(pointer, code)]


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        pytest.param(b"", "The body is empty.", id="nothing"),
        pytest.param(b" ", "The body is empty.", id="a space"),
        pytest.param(b'{"type":', _CUT, id="cut off"),
        pytest.param(b"{'type': 'hold_cards'}", "The body is malformed at byte 1, counted from 0.", id="wrong quotes"),
        pytest.param(
            b'{"type":"hold_cards"} x', "The body is malformed at byte 23, counted from 0.", id="something after it"
        ),
        pytest.param(b'{"type":NaN}', "The body is malformed at byte 8, counted from 0.", id="NaN"),
        pytest.param(b'{"type":"offer_upping","chips":1e400}', _TOO_LARGE, id="a number that no double holds"),
        pytest.param(b'{"type":' + b"9" * 5000 + b"}", _TOO_LARGE, id="a number of many digits"),
        pytest.param(b'{"type":"\xff"}', "The body is not UTF-8 at byte 9, counted from 0.", id="not UTF-8"),
        pytest.param(b'{"type":"\\ud800"}', _CUT, id="half a sign"),
        pytest.param(b"[" * 5000 + b"]" * 5000, "The body is nested too deeply.", id="nested by the thousand"),
    ],
)
def test_a_body_that_is_not_json_is_malformed(table: Table, body: bytes, detail: str) -> None:
    assert refused(_raw(table, body), 400, "body_must_be_json")["detail"] == detail


@pytest.mark.parametrize(("encoding", "is_read"), [("gzip", False), ("gzip, identity", False), ("Identity", True)])
def test_a_compressed_body_is_not_read(table: Table, encoding: str, is_read: bool) -> None:  # noqa: FBT001
    path = f"{table.path}/actions?dry_run=true"
    answer = table.due.post(path, {"type": "hold_cards"}, Content_Encoding=encoding)
    if is_read:
        accepted(answer)
    else:
        refused(answer, 415, "content_type_must_be_json")
        assert answer.headers["Accept-Encoding"] == "identity"


def test_an_unknown_name_is_not_quoted_as_a_whole(table: Table) -> None:
    name = "~" * 10_000
    in_body = table.due.post(f"{table.path}/actions", {"type": "hold_cards", name: 1})
    in_query = (table.host.get(f"{path}?{name}=1") for path in ("/v1/games", "/v1/tables"))
    twice = table.host.get(f"/v1/tables?{name}=1&{name}=1")
    for answer in (in_body, *in_query, twice):
        refused(answer, 422, "request_must_have_its_shape")
        assert len(answer.data) < 1_000


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data", ""]
)
def test_a_body_of_another_content_type_is_not_read(table: Table, content_type: str) -> None:
    refused(_raw(table, b'{"type":"hold_cards"}', content_type=content_type), 415, "content_type_must_be_json")


def test_json_may_name_its_character_set(table: Table) -> None:
    refused(_raw(table, b'{"type":"pass_upping"}', content_type="application/json; charset=utf-8"), 409, _UPPED)


@pytest.mark.parametrize("charset", ["UTF-8", '"utf-8"'])
def test_the_character_set_of_json_may_be_written_in_any_form(table: Table, charset: str) -> None:
    content_type = f"application/json; charset={charset}"
    refused(_raw(table, b'{"type":"pass_upping"}', content_type=content_type), 409, _UPPED)


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "utf8mb4"])
def test_json_in_another_character_set_is_not_read(table: Table, charset: str) -> None:
    answer = _raw(table, b'{"type":"hold_cards"}', content_type=f"{JSON}; charset={charset}")
    refused(answer, 415, "content_type_must_be_json")


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        pytest.param(b'{"type":"pass_upping","type":"hold_cards"}', ["/type"], id="the type"),
        pytest.param(b'{"type":"hold_cards","x":1,"\\u0078":1}', ["/x"], id="escaped"),
        pytest.param(b'{"a":1,"type":"x","a":1,"b":2,"b":2,"a":1}', ["/a", "/b"], id="several"),
        pytest.param(b'{"type":"x","a/b":[0,{"c~":1,"c~":2}]}', ["/a~1b/1/c~0"], id="far inside"),
        pytest.param(b'[{"a":{"b":1,"b":1}}]', ["/0/a/b"], id="in an array"),
    ],
)
def test_a_member_may_occur_once_in_its_object(table: Table, body: bytes, pointers: list[str]) -> None:
    details = refused(_raw(table, body), 422, "request_must_have_its_shape")
    assert [error["pointer"] for error in details["errors"]] == pointers
    assert {error["code"] for error in details["errors"]} == {"member_must_be_given_once"}


def test_a_body_of_a_megabyte_is_too_large(table: Table) -> None:
    refused(_raw(table, b'{"type":"hold_cards","x":"' + b"x" * 2**20 + b'"}'), 413, "body_must_be_small")


@pytest.mark.parametrize("size", [65_537, 65_538, 2**20])
def test_a_body_in_chunks_without_a_length_is_also_refused_if_it_is_too_large(table: Table, size: int) -> None:
    body = b'{"type":"hold_cards","x":"'
    body += b"x" * (size - len(body) - 2) + b'"}'
    answer = table.due.send(
        "POST",
        f"{table.path}/actions",
        headers={"Idempotency-Key": "chunked"},
        input_stream=BytesIO(body),
        content_type=JSON,
        environ_overrides={"wsgi.input_terminated": True},
    )
    refused(answer, 413, "body_must_be_small")
    refused(_raw(table, body), 413, "body_must_be_small")


def test_a_body_of_64_kibibytes_is_not_too_large(table: Table) -> None:
    body = b'{"type":"hold_cards","x":"'
    body += b"x" * (65_536 - len(body) - 2) + b'"}'
    refused(_raw(table, body), 422, "request_must_have_its_shape")


def test_in_another_players_turn_a_refusal_lists_the_callers_actions(table: Table) -> None:
    details = refused(table.others[0].do(table.path, "hold_cards"), 409, "turn_must_be_yours")
    assert (details["type"], details["rule"], details["ruling"]) == ("/problems/refused_by_the_rules", "11", "B11.1")
    assert (details["position"], details["actions"]) == (table.position, [])


def test_in_another_phase_a_refusal_lists_the_callers_actions(table: Table) -> None:
    details = refused(table.due.do(table.path, "pass_upping"), 409, _UPPED)
    allowed = [item["action"]["type"] for item in details["actions"]]
    assert allowed == ["hold_cards", "exchange_card", "throw_in"]
    assert details["rule"] == "12"


def test_a_caller_without_a_seat_decides_nothing(table: Table) -> None:
    stranger = table.service.person("play")
    refused(stranger.do(table.path, "hold_cards"), 403, "asker_must_be_a_player")
    refused(stranger.do(table.path, "call_time"), 403, "scope_must_be_granted")
    refused(table.service.person("host").do(table.path, "call_time"), 403, "asker_must_be_the_host")


def test_a_taken_seat_and_a_missing_seat_are_refused(shared_service: Service) -> None:
    table = Table(shared_service, 2)
    first, second = table.players.values()
    accepted(first.post(f"{table.path}/seats", {"chips": 12, "seat": 1}), 201)
    refused(second.post(f"{table.path}/seats", {"chips": 12, "seat": 1}), 409, "seat_must_be_free")
    refused(second.post(f"{table.path}/seats", {"chips": 12, "seat": 3}), 409, "seat_must_be_free")
    refused(second.post(f"{table.path}/seats", {"chips": 11, "seat": 2}), 409, "buy_in_must_be_the_tables")
    assert table.position == 3


@pytest.mark.parametrize(
    "token",
    [
        "ctk_" + "0" * 32 + "_" + "0" * 64,
        "ctk_00_00",
        "ctk_" + "x" * 32 + "_00",
        "nonsense",
        "",
        "ctk_" + "0" * 32 + "_ü",
    ],
)
def test_an_unknown_key_is_refused_and_not_treated_as_a_missing_key(table: Table, token: str) -> None:
    for answer in (
        table.host.get(table.path, Authorization=f"Bearer {token}"),
        table.host.post(f"{table.path}/actions", {"type": "call_time"}, Authorization=f"Bearer {token}"),
    ):
        refused(answer, 401, "key_must_be_valid")
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="chiptrail", error="invalid_token"'


def test_a_key_with_another_keys_secret_or_scheme_is_not_valid(table: Table) -> None:
    one, other = table.players[1].token, table.players[2].token
    mixed = f"{one.rpartition('_')[0]}_{other.rpartition('_')[2]}"
    refused(table.host.get(table.path, Authorization=f"Bearer {mixed}"), 401, "key_must_be_valid")
    refused(table.host.get(table.path, Authorization=f"Basic {one}"), 401, "key_must_be_valid")
    accepted(table.host.get(table.path, Authorization=f"bearer  {one}"))


def test_without_a_key_nothing_can_be_done(table: Table) -> None:
    spectator = table.service.spectator
    for answer in (
        spectator.do(table.path, "hold_cards"),
        spectator.post(f"{table.path}/seats", {"chips": 12}),
        spectator.post("/v1/tables", {"game": "bankrupt"}),
        spectator.post("/v1/keys", {}),
        spectator.get("/v1/keys"),
    ):
        refused(answer, 401, "key_must_be_given")
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="chiptrail"'


@pytest.mark.parametrize("table_id", ["tbl_" + "0" * 32, "tbl_00", "tbl_" + "g" * 32, "1", "tbl_" + "0" * 33])
def test_a_missing_table_is_not_found(table: Table, table_id: str) -> None:
    path = f"/v1/tables/{table_id}"
    for sub in ("", "/actions", "/events", "/balances", "/hands", "/hands/1", "/accounts/centre/postings"):
        refused(table.due.get(path + sub), 404, "table_must_exist")
    refused(table.due.do(path, "hold_cards"), 404, "table_must_exist")
    refused(table.due.post(f"{path}/seats", {"chips": 12}), 404, "table_must_exist")
    refused(table.due.get(f"{path}/hands/1/adjudication"), 404, "table_must_exist")


@pytest.mark.parametrize("path", ["/v1", "/v1/tables/", "/v2/tables", "/v1/hands", "/v1/tables/x/hands/0x1"])
def test_an_unknown_path_is_also_answered_with_a_problem(table: Table, path: str) -> None:
    refused(table.host.get(path), 404, "resource_must_exist")


def test_a_hand_with_an_absurd_number_is_not_found(table: Table) -> None:
    refused(table.host.get(f"{table.path}/hands/{10**30}"), 404, "resource_must_exist")
    refused(table.host.get(f"{table.path}/hands/2147483647"), 404, "hand_must_exist")
    refused(table.host.get(f"{table.path}/hands/0"), 404, "hand_must_exist")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/tables", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("DELETE", "{table}", {"GET", "HEAD", "OPTIONS"}),
        ("PATCH", "{table}/actions", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("GET", "{table}/seats", {"OPTIONS", "POST"}),
    ],
)
def test_another_method_gets_the_list_of_methods(table: Table, method: str, path: str, allowed: set[str]) -> None:
    answer = table.host.send(method, path.format(table=table.path), headers={})
    refused(answer, 405, "method_must_be_allowed")
    assert set(answer.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "ü", "a\tb"])
def test_a_command_needs_a_key_that_can_be_repeated(table: Table, key: str) -> None:
    headers = {"Idempotency-Key": key} if key else {}
    answer = table.due.send(
        "POST", f"{table.path}/actions", headers=headers, data=b'{"type":"hold_cards"}', content_type=JSON
    )
    refused(answer, 400, "idempotency_key_must_be_given")


@pytest.mark.parametrize("position", ['W/"3"', "3", '"x"', '"3", "4"', '""', '"03"', '"99999999999"'])
def test_if_match_names_one_position(table: Table, position: str) -> None:
    answer = table.due.post(f"{table.path}/actions", {"type": "hold_cards"}, If_Match=position)
    refused(answer, 400, "position_must_be_well_formed")


@pytest.mark.parametrize(
    ("query", "parameter", "code"),
    [
        ("limit=0", "limit", "value_must_be_within_its_range"),
        ("limit=1001", "limit", "value_must_be_within_its_range"),
        ("limit=ten", "limit", "value_must_be_a_whole_number"),
        ("limit=1_0", "limit", "value_must_be_a_whole_number"),
        ("limit=+1", "limit", "value_must_be_a_whole_number"),
        ("limit=1&limit=2", "limit", "member_must_be_given_once"),
        ("after=-1", "after", "value_must_be_within_its_range"),
        ("after=99999999999999999999", "after", "value_must_be_a_whole_number"),
        ("wait=31", "wait", "value_must_be_within_its_range"),
        ("before=1", "before", "member_must_be_known"),
    ],
)
def test_a_query_is_as_strict_as_a_body(table: Table, query: str, parameter: str, code: str) -> None:
    details = refused(table.host.get(f"{table.path}/events?{query}"), 422, "request_must_have_its_shape")
    assert [(error["parameter"], error["code"]) for error in details["errors"]] == [(parameter, code)]


def test_a_query_on_a_path_without_parameters_is_refused(table: Table) -> None:
    for answer in (
        table.host.get("/v1/whoami?x=1"),
        table.host.post("/v1/tables?dry_run=true", {"game": "bankrupt"}),
        table.due.post(f"{table.path}/seats?x=1", {"chips": 12}),
        table.host.get("/healthz?x"),
    ):
        details = refused(answer, 422, "request_must_have_its_shape")
        assert details["errors"][0]["code"] == "member_must_be_known"


@pytest.mark.parametrize("value", ["1", "yes", "True", ""])
def test_a_dry_run_is_true_or_false(table: Table, value: str) -> None:
    answer = table.due.post(f"{table.path}/actions?dry_run={value}", {"type": "hold_cards"})
    assert refused(answer, 422, "request_must_have_its_shape")["errors"][0]["code"] == "value_must_be_true_or_false"


@pytest.mark.parametrize(
    ("member", "value", "pointer", "code"),
    [
        ("game", "poker", "/game", "value_must_be_one_of_those_known"),
        ("game", 7, "/game", "value_must_be_text"),
        ("seats", 18, "/seats", "value_must_be_within_its_range"),
        ("seats", 1, "/seats", "value_must_be_within_its_range"),
        ("seats", "4", "/seats", "value_must_be_a_whole_number"),
        ("visibility", "secret", "/visibility", "value_must_be_one_of_those_known"),
        ("worth", {"currency": "EURO", "minor": 10}, "/worth/currency", "value_must_have_its_form"),
        ("worth", {"currency": "EUR"}, "/worth/minor", "member_must_be_given"),
        ("worth", {"currency": "EUR", "minor": 0}, "/worth/minor", "value_must_be_within_its_range"),
        ("worth", 10, "/worth", "value_must_be_an_object"),
        ("time_limit_seconds", -1, "/time_limit_seconds", "value_must_be_within_its_range"),
        ("options", [], "/options", "value_must_be_an_object"),
        ("options", {"buy_in": 0}, "/options/buy_in", "value_must_be_within_its_range"),
        ("options", {"show_one_card": 1}, "/options/show_one_card", "value_must_be_true_or_false"),
        ("options", {"wild": 1}, "/options/wild", "member_must_be_known"),
        ("stakes", 1, "/stakes", "member_must_be_known"),
    ],
)
def test_a_table_is_opened_as_its_game_allows(
    shared_service: Service, member: str, value: Any, pointer: str, code: str
) -> None:
    before = shared_service.events()
    answer = shared_service.person("host").post("/v1/tables", {"game": "bankrupt", member: value})
    details = refused(answer, 422, "request_must_have_its_shape")
    assert [(error["pointer"], error["code"]) for error in details["errors"]] == [(pointer, code)]
    assert shared_service.events() == before


def test_all_errors_are_reported_at_once(shared_service: Service) -> None:
    body = {"game": "", "seats": 99, "visibility": 3, "extra": None}
    details = refused(shared_service.person("host").post("/v1/tables", body), 422, "request_must_have_its_shape")
    assert {error["pointer"] for error in details["errors"]} == {"/game", "/seats", "/visibility", "/extra"}


def _raw(table: Table, data: bytes, content_type: str = JSON) -> Any:
    return table.due.send(
        "POST", f"{table.path}/actions", headers={"Idempotency-Key": "raw"}, data=data, content_type=content_type
    )


_UPPED: Final = "ante_must_be_being_upped"
