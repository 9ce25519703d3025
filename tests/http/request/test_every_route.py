"""Every route: other methods, HEAD, OPTIONS, and requests that no usual client would send."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
import re
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any, Final

import pytest

from tests.http.service import Service, Table, accepted, refused

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "NONSENSE")
_VARYING: Final = {"X-Request-Id"}


@pytest.fixture(scope="module")
def table(shared_service: Service) -> Table:
    made = Table(shared_service).dealt()
    accepted(made.host.post(f"{made.path}/disputes", {"hand": 1, "ground": "time"}), 201)
    accepted(made.host.post("/v1/keys", {}), 201)  # The new key opens the service's own stream.
    shared_service.keep_log()
    return made


def _routes(service: Service, table: Table) -> Iterator[tuple[str, set[str]]]:
    """Return every route as a path to an existing resource, with the methods of the route."""
    parts = {
        "table": table.id,
        "hand": "1",
        "position": "1",
        "dispute": "1",
        "account": "stack:1",
        "game": "bankrupt",
        "key": f"key_{table.host.token.split('_')[1]}",
        "code": "table_must_exist",
        "name": "swagger-ui.css",
        "level": "0",
        "tile": "000.p/1",
        "old": "1",
        "new": accepted(service.spectator.get("/v1/log/checkpoint")).get_data(as_text=True).split("\n")[1],
    }
    found: dict[str, set[str]] = {}
    for rule in service.app.url_map.iter_rules():
        path = re.sub("<(?:[^:>]+:)?([^>]+)>", lambda part: parts[part[1]], rule.rule)
        found.setdefault(path, set()).update(rule.methods or ())
    return iter(sorted(found.items()))


def test_every_route_refuses_other_methods_and_names_its_own(shared_service: Service, table: Table) -> None:
    for path, own in _routes(shared_service, table):
        for method in set(METHODS) - own:
            answer = table.host.send(method, path, headers={}, data=b"{", content_type="application/json")
            refused(answer, 405, "method_must_be_allowed")
            assert set(answer.headers["Allow"].split(", ")) == own, path


def test_every_route_lists_its_methods_by_options(shared_service: Service, table: Table) -> None:
    for path, own in _routes(shared_service, table):
        answer = table.host.send("OPTIONS", path, headers={})
        assert answer.status_code in {200, 204}
        assert answer.headers["Allow"] == ", ".join(sorted(own))
        assert not answer.data


def test_every_route_that_is_read_answers_head_as_get_without_a_body(shared_service: Service, table: Table) -> None:
    for path, own in _routes(shared_service, table):
        assert ("GET" in own) == ("HEAD" in own)
        if "GET" not in own:
            continue
        if path == "/metrics":
            caller = shared_service.person("metrics")
        elif "/entries/" in path or path.startswith(("/v1/log/events", "/v1/audit/", "/v1/disputes")):
            caller = shared_service.person("audit")
        elif path == "/v1/log/tree":
            caller = shared_service.person("admin")
        else:
            caller = table.players[1] if path.endswith("/me") else table.host  # `/me` needs the scope play.
        got, head = (caller.send(method, path, headers={}) for method in ("GET", "HEAD"))
        assert got.status_code == head.status_code == 200, path
        assert not head.data
        if "metrics" not in path:  # the metrics count these two requests, too
            assert _headers(got) == _headers(head), path


def test_head_of_a_problem_has_no_body_either(shared_service: Service) -> None:
    for path in ("/v1/tables/tbl_0", "/nowhere", "/v1/keys", "/v1/tables?limit=0"):
        got, head = (shared_service.spectator.send(method, path, headers={}) for method in ("GET", "HEAD"))
        assert got.status_code == head.status_code >= 400
        assert (got.content_type, head.data) == ("application/problem+json", b"")
        assert _headers(got) == _headers(head)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/tables/",
        "/v1/tables/{table}/",
        "/healthz/",
        "/v1//tables",
        "/v1/tables//{table}",
        "/V1/tables",
        "/v1/../v1/tables",
        "/v1/./tables",
        "/v1/tables;x=1",
        "/v1/tables/{table}/nothing",
        "/v1/tables%00",
        "/%00",
        "/%",
        "/%zz",
        "/%ff%fe",
        "/%c0%ae%c0%ae/",
        "/v1/tables/{table}/hands/1.0",
        "/v1/tables/{table}/hands/-1",
        "/v1/tables/{table}/hands/%31%00",
        "/v1/tables/{table}/hands/%d9%a1",
        "/v1/tables/{table}/hands/01",
        "/" + "x" * 20_000,
        "/v1/tables/" + "/".join("x" * 1000),
    ],
)
def test_a_path_that_leads_nowhere_is_a_problem(shared_service: Service, table: Table, path: str) -> None:
    refused(table.host.get(path.format(table=table.id)), 404, "resource_must_exist")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/v1/tables/{table}%00", "table_must_exist"),
        ("/v1/tables/%00", "table_must_exist"),
        ("/v1/tables/%ff", "table_must_exist"),
        ("/v1/tables/" + "x" * 20_000, "table_must_exist"),
        ("/v1/tables/{table}/accounts/stack:1%00/postings", "account_must_exist"),
        ("/v1/tables/{table}/accounts/%ff/postings", "account_must_exist"),
        ("/v1/tables/{table}/accounts/%F0%9F%82%A1/postings", "account_must_exist"),
        ("/v1/games/bankrupt%00", "game_must_exist"),
        ("/v1/games/%25%2e", "game_must_exist"),
        ("/problems/%00", "resource_must_exist"),
    ],
)
def test_odd_characters_in_a_path_give_404(shared_service: Service, table: Table, path: str, code: str) -> None:
    refused(table.host.get(path.format(table=table.id)), 404, code)


def test_characters_in_a_path_may_be_escaped_without_need(table: Table) -> None:
    assert table.host.get("/v1/t%61bles").json == table.host.get("/v1/tables").json
    accepted(table.host.get(f"{table.path}/accounts/stack%3A1/postings"))
    accepted(table.host.get(f"{table.path}%2Factions"))


@pytest.mark.parametrize(
    "query",
    [
        "x" * 10_000,
        "&".join(f"a{n}=1" for n in range(2000)),
        "%00=%00",
        "%ff=%fe",
        "=",
        "=1",
        "limit[]=1",
        "limit=%00",
        "a=b=c",
    ],
)
def test_an_absurd_query_has_the_wrong_shape(table: Table, query: str) -> None:
    for path in ("/v1/tables", "/v1/whoami", f"{table.path}/events"):
        details = refused(table.host.get(f"{path}?{query}"), 422, "request_must_have_its_shape")
        assert details["errors"]


def test_an_empty_query_is_accepted_everywhere(table: Table) -> None:
    accepted(table.host.get("/v1/tables?"))
    accepted(table.host.get("/v1/whoami?"))
    accepted(table.host.get("/v1/whoami?&&"))


@pytest.mark.parametrize(
    "accept", ["text/html", "image/png;q=1, application/json;q=0", "nonsense", ";;;", "", "*/*;q=0"]
)
def test_the_answer_is_json_for_any_accept_header(table: Table, accept: str) -> None:
    """Only lists of events and the feed have further formats; a client that accepts none of them still gets JSON."""
    for path in ("/v1/tables", table.path, f"{table.path}/events", "/v1/whoami", "/healthz"):
        assert accepted(table.host.get(path, Accept=accept)).content_type == "application/json"
    refused(table.host.get("/v1/tables/tbl_0", Accept=accept), 404, "table_must_exist")


# Tests over a real connection:


def test_a_body_may_come_in_chunks(shared_service: Service, shared_url: str) -> None:
    service, url = shared_service, shared_url
    host = service.person("host")
    status, body = _sent(url, host.token, iter([b'{"game":', b'"bankrupt"', b"}"]))
    assert (status, body["position"]) == (201, 2)
    status, body = _sent(url, host.token, iter([b'{"game":', b'"bankrupt"']))
    assert (status, body["code"]) == (400, "body_must_be_json")
    status, body = _sent(url, host.token, iter([b" " * 60_000, b" " * 60_000]))
    assert (status, body["code"]) == (413, "body_must_be_small")


def test_a_request_that_expects_100_continue_is_answered(shared_service: Service, shared_url: str) -> None:
    service, url = shared_service, shared_url
    host = service.person("host")
    status, body = _sent(url, host.token, b'{"game":"bankrupt"}', Expect="100-continue")
    assert (status, body["position"]) == (201, 2)


def test_a_body_that_no_route_reads_does_no_harm(shared_service: Service, shared_url: str) -> None:
    service, url = shared_service, shared_url
    connection = HTTPConnection(url.removeprefix("http://"), timeout=20)
    connection.request("GET", "/v1/whoami", body=b"{")
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (200, service.spectator.get("/v1/whoami").data)
    connection.close()


@pytest.mark.parametrize(
    "line", ["GET /v1/tables/\x01 HTTP/1.1", "GET  HTTP/1.1", "nonsense", "GET /v1/tables HTTP/9.9"]
)
def test_a_malformed_request_breaks_nothing(shared_url: str, line: str) -> None:
    url = shared_url
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(f"{line}\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert not re.match(rb"HTTP/1.1 5(?!05)", answer)
    connection_after = HTTPConnection(url.removeprefix("http://"), timeout=20)
    connection_after.request("GET", "/healthz")
    assert connection_after.getresponse().status == 200
    connection_after.close()


def _sent(url: str, token: str, body: Any, **headers: str) -> tuple[int, Any]:
    """Send the request to open a table, over a new connection; return the status and the body."""
    connection = HTTPConnection(url.removeprefix("http://"), timeout=20)
    named = {"Authorization": f"Bearer {token}", "Idempotency-Key": "k", "Content-Type": "application/json", **headers}
    connection.request("POST", "/v1/tables", body=body, headers=named)
    answer = connection.getresponse()
    told = json.loads(answer.read())
    connection.close()
    return answer.status, told


def _headers(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in _VARYING}


def test_a_path_that_is_requested_again_has_its_own_values(table: Table, shared_service: Service) -> None:
    path, values = f"{table.path}/hands/1", {"table": table.id, "hand": 1}
    for _ in range(2):
        with shared_service.app.test_request_context(path) as context:
            assert context.request.view_args == values
            context.request.view_args.clear()


def test_the_routes_of_long_paths_are_not_kept(shared_service: Service) -> None:
    app: Any = shared_service.app
    looked_up = app._route.cache_info().misses
    with app.test_request_context(f"/v1/tables/tbl_{'1' * 60_000}") as context:
        assert context.request.url_rule.rule == "/v1/tables/<table>"
    assert app._route.cache_info().misses == looked_up
