"""A real server gets, over its socket, raw requests that Chiptrail's own clients never send."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any, Final

import pytest

from tests.cli.commands import Served

JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"
OPENING: Final = b'{"game":"bankrupt"}'


@pytest.fixture
def server(running: dict[str, Served]) -> Served:
    """Return the shared server on SQLite, since the database does not matter here."""
    return running["sqlite"]


class Answer:
    """A response with its whole body."""

    def __init__(self, answer: HTTPResponse) -> None:
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        self.body = answer.read()

    @property
    def told(self) -> Any:
        return json.loads(self.body)


def _asked(server: Served, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=30)
    connection.putrequest(method, path, skip_accept_encoding=True)
    is_chunked = body is not None and not isinstance(body, bytes)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if is_chunked:
        named["Transfer-Encoding"] = "chunked"
    elif body is not None:
        named["Content-Length"] = str(len(body))
    for name, value in named.items():
        connection.putheader(name, value)
    connection.endheaders(body, encode_chunked=is_chunked)
    answer = Answer(connection.getresponse())
    connection.close()
    return answer


def _opened(server: Served, key: str, body: Any, **headers: str) -> Answer:
    bearer = f"Bearer {server.instance.first_key}"
    return _asked(
        server, "POST", "/v1/tables", body, Authorization=bearer, Idempotency_Key=key, Content_Type=JSON, **headers
    )


@contextmanager
def _sent(server: Served, key: str, length: int) -> Iterator[socket.socket]:
    """Send the head of a request that opens a table, for a body of *length* bytes; yield the socket."""
    host, port = server.url.removeprefix("http://").split(":")
    head = (
        f"POST /v1/tables HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {server.instance.first_key}\r\n"
        f"Idempotency-Key: {key}\r\nContent-Type: {JSON}\r\nContent-Length: {length}\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=30) as wire:
        wire.sendall(head.encode())
        yield wire


@pytest.mark.parametrize("path", ["/v1/games", "/v1/tables", "/healthz", "/openapi.json", "/problems", "/v1/nothing"])
def test_head_is_get_without_a_body(server: Served, path: str) -> None:
    got, head = (_asked(server, method, path) for method in ("GET", "HEAD"))
    assert (head.status, head.body) == (got.status, b"")
    varying = {"x-request-id", "date"}
    assert {name: head.headers.get(name) for name in got.headers.keys() - varying} == {
        name: value for name, value in got.headers.items() if name not in varying
    }


def test_options_and_405_name_the_methods(server: Served) -> None:
    allowed = {"GET", "HEAD", "OPTIONS", "POST"}
    assert set(_asked(server, "OPTIONS", "/v1/tables").headers["allow"].split(", ")) == allowed
    refused = _asked(server, "PUT", "/v1/tables")
    assert (refused.status, refused.told["code"]) == (405, "method_must_be_allowed")
    assert set(refused.headers["allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "path", ["/v1/tables/", "/v1//tables", "/%00", "/%ff", "/%", "/v1/tables%00", "/" + "x" * 4000]
)
def test_a_path_that_leads_nowhere_is_a_problem(server: Served, path: str) -> None:
    answer = _asked(server, "GET", path)
    assert (answer.status, answer.headers["content-type"]) == (404, PROBLEM)
    assert answer.told["code"] == "resource_must_exist"


def test_a_body_may_come_in_chunks(server: Served) -> None:
    opened = _opened(server, "chunks", iter([OPENING[:5], OPENING[5:]]))
    assert (opened.status, opened.told["events"][0]["leaf"]["type"]) == (201, "table_opened")
    cut = _opened(server, "cut", iter([OPENING[:5], OPENING[5:-1]]))
    assert (cut.status, cut.told["code"]) == (400, "body_must_be_json")


def test_a_body_of_a_known_length_may_come_in_pieces(server: Served) -> None:
    body = OPENING.rjust(60_000)
    with _sent(server, "pieces", len(body)) as wire:
        for begin in range(0, len(body), 5_000):
            wire.sendall(body[begin : begin + 5_000])
        assert wire.recv(12) == b"HTTP/1.1 201"


def test_a_body_that_breaks_off_is_refused(server: Served) -> None:
    with _sent(server, "broken", len(OPENING) + 1) as wire:
        wire.sendall(OPENING)
        wire.shutdown(socket.SHUT_WR)
        assert wire.recv(12) in {b"", b"HTTP/1.1 400"}
    assert "idempotent-replayed" not in _opened(server, "broken", OPENING).headers


def test_a_body_in_chunks_that_is_too_large_is_refused(server: Served) -> None:
    large = _opened(server, "large", iter([b" " * 40_000, b" " * 40_000]))
    assert (large.status, large.told["code"]) == (413, "body_must_be_small")


def test_a_request_that_expects_100_continue_is_answered(server: Served) -> None:
    assert _opened(server, "expect", OPENING, Expect="100-continue").status == 201


def test_a_body_that_no_route_reads_does_no_harm(server: Served) -> None:
    assert _asked(server, "GET", "/v1/whoami", b"{").status == 200


def test_the_answer_is_json_for_any_accept_header(server: Served) -> None:
    assert _asked(server, "GET", "/v1/games", Accept="image/png").headers["content-type"] == JSON


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"GET /v1/tables/\x00 HTTP/1.1", id="NUL"),
        pytest.param(b"GET  HTTP/1.1", id="no path"),
        pytest.param(b"nonsense", id="nonsense"),
        pytest.param(b"GET /v1/tables HTTP/9.9", id="a version to come"),
        pytest.param(b"GET /v1/tables HTTP/1.1\r\nContent-Length: -1", id="less than nothing"),
        pytest.param(b"POST /v1/tables HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz", id="no chunk"),
    ],
)
def test_a_malformed_request_breaks_nothing(server: Served, line: bytes) -> None:
    host, _, port = server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(line + b"\r\nHost: x\r\nConnection: close\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert not answer.startswith((b"HTTP/1.1 2", b"HTTP/1.1 50"))
    assert _asked(server, "GET", "/healthz").status == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        pytest.param(b"nonsense\r\n\r\n", 400, id="no request line"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nNo header: 1\r\n\r\n", 400, id="no header"),
        pytest.param(b"GET /\xff HTTP/1.1\r\n\r\n", 400, id="no path"),
        pytest.param(
            b"POST /v1/keys HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400, id="two lengths"
        ),
        pytest.param(b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 414, id="a long path"),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 200 + b"\r\n", 431, id="many headers"),
    ],
)
def test_malformed_http_is_answered_by_the_server_itself_without_a_body(
    server: Served, sent: bytes, status: int
) -> None:
    """Granian's HTTP library answers these requests before the service's code runs, and is not configurable."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(sent)
        answer = HTTPResponse(connection)
        answer.begin()
        assert (answer.status, answer.getheader("Connection"), answer.read()) == (status, "close", b"")
