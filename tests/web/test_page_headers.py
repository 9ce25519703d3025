"""The headers of every page, and the answers to requests other than GET and POST."""

import re
from hashlib import sha256
from http import HTTPStatus
from typing import Final

import pytest
from sqlalchemy import Engine
from werkzeug.test import Client, TestResponse

from service.database.engines import reading
from service.web.pages_app import CSP
from tests.web.looking import paths
from tests.web.routes import pages_rules
from tests.web.world import Visitor, World

POLICIES: Final = {
    "Content-Security-Policy": CSP,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "NONSENSE")
ODD: Final = (
    "/tables/tbl_0",
    "/tables/x/hands/1",
    "/check/nothing",
    "/play",
    "/rules/../..",
    "/tables/%00",
    "/tables/%ff",
)


@pytest.fixture(scope="module")
def admin(world: World) -> Visitor:
    return Visitor(world.service, world.admin.token)


@pytest.fixture(scope="module")
def all_paths(world: World) -> list[str]:
    """Return a path of each page, for each game."""
    return sorted({path for examples in world.examples() for path in paths(examples)})


def looks(visitor: Visitor, path: str) -> TestResponse:
    """Return the answer without reading its body: a stream has no end."""
    answer = visitor.client.get(path, buffered=False)
    answer.call_on_close(lambda: None)
    return answer


def test_the_policy_lets_a_page_run_and_load_nothing_but_its_own_files() -> None:
    directives = dict(directive.split(" ", 1) for directive in CSP.split("; "))
    assert directives == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }


def test_every_page_is_kept_from_frames_sniffing_other_sites_and_shared_caches(
    world: World, admin: Visitor, all_paths: list[str]
) -> None:
    for visitor, is_personal in ((admin, True), (world.spectator, False)):
        for path in (*all_paths, *ODD):
            with looks(visitor, path) as answer:
                headers = answer.headers
                is_page = answer.mimetype == "text/html"
                expected = POLICIES if is_page else {**POLICIES, "Content-Security-Policy": NOTHING}
                assert {name: headers.get(name) for name in expected} == expected, path
                assert "Cookie" in headers["Vary"], path
                assert "Set-Cookie" not in headers, path
                assert headers.get_all("X-Request-Id") == [headers["X-Request-Id"]], path
                assert not [name for name, _ in headers if name.startswith("Access-Control-")], path
                if is_personal and answer.status_code == HTTPStatus.OK:
                    assert headers["Cache-Control"] == "no-store", path
                else:
                    assert headers["Cache-Control"] in {"no-cache", "no-store"}, path


def test_what_is_not_there_is_told_by_a_page(world: World, admin: Visitor) -> None:
    for visitor in (admin, world.spectator):
        for path in ODD:
            answer = visitor.get(path)
            assert (answer.status_code, answer.mimetype) == (404, "text/html"), path
            assert "<h1>" in answer.text


def test_every_page_refuses_other_methods_and_names_its_own(world: World, all_paths: list[str]) -> None:
    own = {path: set[str]() for path in all_paths}
    adapter = pages_rules()[0].map
    assert adapter is not None
    for path in all_paths:
        own[path] = set(adapter.bind("").allowed_methods(path))
        allowed = world.spectator.client.options(path)
        assert (allowed.status_code, set(allowed.headers["Allow"].split(", "))) == (200, own[path]), path
        for method in set(METHODS) - own[path]:
            answer = world.spectator.client.open(path, method=method)
            assert (answer.status_code, answer.mimetype) == (405, "text/html"), (method, path)
            assert set(answer.headers["Allow"].split(", ")) == own[path], path


def test_head_has_the_headers_of_get_and_no_body(world: World, all_paths: list[str]) -> None:
    for path in all_paths:
        with looks(world.spectator, path) as got, world.spectator.client.head(path) as head:
            if got.mimetype == "text/html":
                assert (head.status_code, head.data) == (got.status_code, b""), path
                assert head.headers["Content-Length"] == got.headers["Content-Length"], path


def test_to_look_changes_nothing(world: World, admin: Visitor, all_paths: list[str]) -> None:
    before = _everything(world.service.parts.engine)
    for visitor in (admin, world.spectator):
        for path in all_paths:
            looks(visitor, path).close()
    assert _everything(world.service.parts.engine) == before


def test_the_files_of_pages_are_kept_for_as_long_as_they_are_the_same(world: World) -> None:
    page = world.spectator.page("/")
    (asset,) = {found for found in re.findall('href="(/assets/[^"]+)"', page) if found.endswith("/style.css")}
    answer = world.spectator.get(asset)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Vary" not in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert world.spectator.get(asset.replace("/assets/", "/assets/0")).headers["Cache-Control"] == "no-store"
    for odd in ("../pages_app.py", "..%2fpages_app.py", "%2e%2e/front_door.py", "style.css/", "Style.css", ""):
        assert world.spectator.get(asset.replace("style.css", odd)).status_code == 404, odd


@pytest.mark.parametrize("host", ['"><script>alert(1)</script>', "evil.example", "a b", "é", "localhost:99999", ""])
def test_the_name_of_the_host_is_on_no_page(world: World, host: str) -> None:
    client = Client(world.service.app)
    for path in ("/", "/tables", "/sign-in", "/nothing", "/check"):
        answer = client.get(path, environ_overrides={"HTTP_HOST": host})
        assert answer.status_code in {200, 400, 404}, path
        assert not host or host not in answer.text or host == "a b", path
        assert "Location" not in answer.headers


def _everything(engine: Engine) -> str:
    """Return the hash of the whole database."""
    with reading(engine) as connection:
        dump = connection.connection.driver_connection.iterdump()  # type: ignore[union-attr]  # SQLite's
        return sha256("\n".join(dump).encode()).hexdigest()
