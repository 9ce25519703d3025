"""A browser signs in at the pages of a real server; a request that no browser sends does not sign anybody in."""

import re
from collections.abc import Iterable
from contextlib import suppress
from http.client import HTTPConnection
from typing import Final
from urllib.parse import urlencode

import pytest

from service.api_keys.sign_ins import SIGNED_IN_KEY
from tests.cli.commands import Served
from tests.web.signing_in import PLAIN
from tests.web.world import FROM_A_PAGE

FORM: Final = "application/x-www-form-urlencoded"


@pytest.fixture
def server(running: dict[str, Served]) -> Served:
    """Return the shared server on SQLite, since the database does not matter here."""
    return running["sqlite"]


def _asked(
    server: Served, method: str, path: str, body: bytes | Iterable[bytes] | None = None, **headers: str
) -> tuple[int, dict[str, str], str]:
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with suppress(BrokenPipeError, ConnectionResetError):  # the server may answer and close before the body has come
        connection.request(method, path, body, named, encode_chunked=not isinstance(body, bytes | None))
    answer = connection.getresponse()
    told = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return told


def _signed_in(server: Served) -> str:
    """Sign in with the first key; return the cookie."""
    form = urlencode({"key": server.instance.first_key, "form_token": ""}).encode()
    status, headers, _ = _asked(server, "POST", "/sign-in", form, **_form_headers())
    assert status == 303
    return headers["set-cookie"].partition(";")[0]


def _form_headers() -> dict[str, str]:
    return {**FROM_A_PAGE, "Content-Type": FORM}


def test_a_browser_signs_in_looks_and_signs_out(server: Served) -> None:
    cookie = _signed_in(server)
    assert cookie.startswith(f"{PLAIN}=")
    status, headers, page = _asked(server, "GET", "/tables", Cookie=cookie)
    assert (status, headers["cache-control"]) == (200, "no-store")
    token = re.search('name="form_token" value="([0-9a-f]{64})"', page)
    assert token
    form = urlencode({"form_token": token[1]}).encode()
    assert _asked(server, "POST", "/sign-out", form, Cookie=cookie, **_form_headers())[0] == 303
    assert token[1] not in _asked(server, "GET", "/tables", Cookie=cookie)[2]


@pytest.mark.parametrize(
    "name",
    [
        SIGNED_IN_KEY,
        SIGNED_IN_KEY.replace(".", "-"),
        SIGNED_IN_KEY.replace(".", "_"),
        SIGNED_IN_KEY.upper(),
        f"HTTP_{SIGNED_IN_KEY}",
        f"Http-{SIGNED_IN_KEY}",
        "Remote-User",
        "REMOTE_USER",
        "Proxy",
        "X-Forwarded-User",
    ],
)
def test_no_header_signs_anybody_in(server: Served, name: str) -> None:
    key_id = server.instance.first_key.split("_")[1]
    for value in (key_id, bytes.fromhex(key_id).decode("latin-1").translate({0: "0", 10: "0", 13: "0"})):
        for path in ("/v1/whoami", "/tables"):
            connection = HTTPConnection(server.url.removeprefix("http://"), timeout=30)
            connection.putrequest("GET", path, skip_accept_encoding=True)
            connection.putheader(name, value.encode("latin-1"))
            connection.endheaders()
            answer = connection.getresponse()
            assert answer.status in {200, 400}, "a server may refuse such a header"
            if answer.status == 200:
                body = answer.read().decode()
                assert ('"owner":""' in body) if path == "/v1/whoami" else ("Sign in" in body)
            connection.close()


def test_the_cookie_counts_on_no_path_of_the_api(server: Served) -> None:
    cookie = _signed_in(server)
    for path in ("/v1/whoami", "//v1/whoami", "/v1/../v1/whoami", "/tables/../v1/whoami", "/sign-in/../v1/whoami"):
        status, headers, body = _asked(server, "GET", path, Cookie=cookie)
        assert '"owner":""' in body if status == 200 else status == 404, path
        assert "set-cookie" not in headers


def test_a_chunked_form_is_refused(server: Served) -> None:
    form = urlencode({"key": server.instance.first_key, "form_token": ""}).encode()
    status, headers, page = _asked(
        server, "POST", "/sign-in", iter([form]), Transfer_Encoding="chunked", **_form_headers()
    )
    assert (status, "set-cookie" in headers) == (411, False)
    assert "<h1>" in page


def test_a_form_that_is_too_long_is_refused_unread(server: Served) -> None:
    for length in (65_537, 10**9):
        head = {"Content_Length": str(length), **_form_headers()}
        status, headers, page = _asked(server, "POST", "/sign-in", b"", **head)
        assert (status, "<h1>" in page, "set-cookie" in headers) == (413, True, False)


@pytest.mark.parametrize(
    "body", [b"\xff\xfe", b"key=%ff%00&form_token=", b"&" * 60_000, b"=", b"key=" + b"%0d%0aSet-Cookie:%20x" * 9, b"{}"]
)
def test_an_odd_form_signs_nobody_in(server: Served, body: bytes) -> None:
    for kind in (FORM, "multipart/form-data; boundary=x", "application/json", "text/plain", "\xff"):
        status, headers, page = _asked(server, "POST", "/sign-in", body, **FROM_A_PAGE, Content_Type=kind)
        assert (status in {400, 401, 413}, "set-cookie" in headers) == (True, False), (kind, status)
        assert "<h1>" in page


@pytest.mark.parametrize("cookie", ["\xff\xfe", f"{PLAIN}={'a' * 30_000}", f"{PLAIN}=" + '"\\000"', "=" * 2_000])
def test_an_odd_cookie_is_none(server: Served, cookie: str) -> None:
    status, _, page = _asked(server, "GET", "/tables", Cookie=cookie)
    assert (status, "Sign in" in page) == (200, True)
