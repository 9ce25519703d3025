"""The security headers of every response, and CORS: which web pages may send requests."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from service.http import api
from service.http.operations import security_headers
from tests.databases import Databases
from tests.http.service import Person, Service, Table, running

ORIGIN = "https://cards.example"
DATA = "default-src 'none'; frame-ancestors 'none'"


@pytest.fixture
def open_to_pages(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield a service to which the web pages of two origins may send requests."""
    chosen = {"cors_origins": f"{ORIGIN}, http://localhost:5173", "address_requests_per_second": 1}
    with all_databases.migrated("sqlite") as url, running(tmp_path, url, **chosen) as made:
        yield made


def must_be_protected(answer: TestResponse) -> None:
    headers = answer.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"]
    assert "Server" not in headers
    assert not any(name.startswith("Access-Control-") for name in headers.keys())  # noqa: SIM118 -- the headers are not a dict
    policy = headers["Content-Security-Policy"]
    if answer.mimetype == "text/html":
        assert {"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"} <= set(policy.split("; "))
        assert "unsafe" not in policy
    else:
        assert policy == DATA


def test_every_route_has_security_headers(quick_service: Service) -> None:
    table = Table(quick_service).dealt()
    callers = (quick_service.spectator, table.host, table.players[1], Person(quick_service, "", "nonsense"))
    parts = {
        "table": table.id,
        "game": "bankrupt",
        "hand": "1",
        "dispute": "1",
        "position": "1",
        "account": "house",
        "key": "key_" + 32 * "0",
    }
    parts |= {"code": "table_must_exist", "name": "start.js", "level": "0", "tile": "000.p/1", "old": "1", "new": "2"}
    quick_service.keep_log()
    for rule in quick_service.app.url_map.iter_rules():
        path = re.sub("<(?:[^:>]+:)?([^>]+)>", lambda found: parts[found[1]], rule.rule)
        for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE", "PATCH"):
            for caller in callers:
                answer = caller.send(method, path, headers={})
                if method == "OPTIONS":
                    assert answer.headers["X-Content-Type-Options"] == "nosniff"
                else:
                    must_be_protected(answer)
    must_be_protected(quick_service.spectator.get("/nothing"))


def test_a_seats_view_and_every_problem_are_stored_in_no_cache(quick_service: Service) -> None:
    table = Table(quick_service).dealt()
    player = table.due
    paths = ["", "/actions", "/events", "/hands", "/balances", "/hands/1", "/nothing", "?at=9999", "?stray=1"]
    for path in paths:
        assert player.get(f"{table.path}{path}").headers["Cache-Control"] == "no-store", path
    held = player.do(table.path, "hold_cards")
    assert (held.status_code, held.headers["Cache-Control"]) == (200, "no-store")
    assert player.do(table.path, "hold_cards").headers["Cache-Control"] == "no-store"
    known = quick_service.spectator.get(table.path)
    assert known.headers["Cache-Control"] == "no-cache"
    again = player.get(table.path, If_None_Match=known.headers["ETag"])
    assert (again.status_code, again.headers["Cache-Control"]) == (304, "no-store")


def test_no_page_may_ask_unless_its_origin_is_set(quick_service: Service) -> None:
    answer = quick_service.spectator.get("/v1/games", Origin=ORIGIN)
    must_be_protected(answer)
    assert "Vary" not in answer.headers or "Origin" not in answer.headers["Vary"]


def test_a_page_of_an_origin_that_is_set_may_ask(open_to_pages: Service) -> None:
    for path in ("/v1/games", "/v1/tables/nothing"):
        headers = open_to_pages.spectator.get(path, Origin=ORIGIN).headers
        assert headers["Access-Control-Allow-Origin"] == ORIGIN
        assert "Access-Control-Allow-Credentials" not in headers
        assert "Origin" in headers["Vary"].split(", ")
        assert set(headers["Access-Control-Expose-Headers"].split(", ")) == {
            "ETag",
            "Location",
            "Link",
            "Log-Checkpoint",
            "Idempotent-Replayed",
            "X-Request-Id",
            "RateLimit",
            "RateLimit-Policy",
            "Retry-After",
            "Seconds-Left",
        }


def test_a_page_of_another_origin_may_read_each_header_that_is_documented() -> None:
    documented = {
        header
        for operations in api.document()["paths"].values()
        for method, operation in operations.items()
        if method != "parameters"
        for response in operation["responses"].values()
        for header in response.get("headers", {})
    }
    assert documented - {"Cache-Control", "Content-Type", "Vary"} <= {*security_headers.RESPONSE_HEADERS}


@pytest.mark.parametrize(
    "origin", ["", "null", "https://cards.example.evil.example", "http://cards.example", "https://cardsXexample"]
)
def test_a_page_of_another_origin_is_refused(open_to_pages: Service, origin: str) -> None:
    headers = open_to_pages.spectator.get("/v1/games", **({"Origin": origin} if origin else {})).headers
    assert not any(name.startswith("Access-Control-") for name in headers.keys())  # noqa: SIM118 -- the headers are not a dict
    assert "Origin" in headers["Vary"].split(", ")  # a cache must not give this response to an allowed page


def test_a_browsers_question_beforehand_costs_nothing(open_to_pages: Service) -> None:
    asks = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key,if-match,x-evil",
    }
    for _ in range(20):
        answer = open_to_pages.spectator.send("OPTIONS", "/v1/tables?limit=3&mine=true", headers=asks)
        assert answer.status_code == 200
        assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
        allowed = answer.headers["Access-Control-Allow-Headers"]
        assert allowed == "authorization, content-type, idempotency-key, if-match"
        assert "POST" in answer.headers["Access-Control-Allow-Methods"]
        assert "RateLimit" not in answer.headers
    assert open_to_pages.spectator.get("/v1/games").status_code == 200


def test_a_page_can_read_that_it_asks_too_often(open_to_pages: Service) -> None:
    for _ in range(10):
        open_to_pages.spectator.get("/v1/games", Origin=ORIGIN)
    answer = open_to_pages.spectator.get("/v1/games", Origin=ORIGIN)
    assert answer.status_code == 429
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
