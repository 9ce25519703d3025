"""The HTTP interface of a witness refuses requests that are too large, too slow or unknown, and goes on."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from service.transparency.witnesses.submission import MOST_BYTES
from service.witness.cosigner import Answer
from service.witness.witness_app import WitnessApp


def echo(body: bytes) -> Answer:
    if body == b"fail":
        raise RuntimeError("out of order")
    return Answer(200, b"got %d" % len(body))


def asked(
    app: WitnessApp, method: str, path: str, parts: Sequence[bytes] = (b"",), *, is_whole: bool = True
) -> tuple[int, dict[str, str], bytes]:
    """Send *app* a request whose body comes in *parts*; return the status, the headers and the body."""
    return asyncio.run(_asked(app, method, path, parts, is_whole=is_whole))


async def _asked(
    app: WitnessApp, method: str, path: str, parts: Sequence[bytes], *, is_whole: bool
) -> tuple[int, dict[str, str], bytes]:
    left, sent = list(parts), list[Any]()

    async def receive() -> dict[str, object]:
        if not left:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left) or not is_whole}

    async def send(message: object) -> None:
        sent.append(message)

    call: Callable[[Any, Any, Any], Awaitable[None]] = app
    await call({"type": "http", "path": path, "method": method}, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"]


@pytest.fixture
def app() -> WitnessApp:
    return WitnessApp({"/add-checkpoint": echo}, {"/readyz": lambda: Answer(200, b"{}", "application/json")})


def test_a_body_is_read_in_its_parts(app: WitnessApp) -> None:
    assert asked(app, "POST", "/add-checkpoint", [b"a", b"bc", b""])[::2] == (200, b"got 3")


def test_a_body_that_is_too_large_is_not_read_to_its_end(app: WitnessApp) -> None:
    parts = [b"x" * 60_000] * 200
    status, headers, _ = asked(app, "POST", "/add-checkpoint", parts)
    assert (status, headers["connection"]) == (413, "close")
    assert asked(app, "POST", "/add-checkpoint", [b"x" * MOST_BYTES])[0] == 200


def test_a_body_that_does_not_end_is_given_up() -> None:
    app = WitnessApp({"/add-checkpoint": echo}, {}, body_seconds=0.01)
    status, headers, _ = asked(app, "POST", "/add-checkpoint", [b"old "], is_whole=False)
    assert (status, headers["connection"]) == (408, "close")


def test_unknown_paths_and_methods_are_refused(app: WitnessApp) -> None:
    assert asked(app, "POST", "/")[0] == 404
    status, headers, _ = asked(app, "GET", "/add-checkpoint")
    assert (status, headers["allow"]) == (405, "POST")
    assert asked(app, "POST", "/readyz")[0] == 405


def test_a_head_request_gets_no_body(app: WitnessApp) -> None:
    assert asked(app, "GET", "/readyz")[::2] == (200, b"{}")
    status, headers, body = asked(app, "HEAD", "/readyz")
    assert (status, headers["content-length"], body) == (200, "2", b"")


def test_an_error_is_answered_and_the_next_request_is_also_answered(app: WitnessApp) -> None:
    status, headers, body = asked(app, "POST", "/add-checkpoint", [b"fail"])
    assert (status, headers["retry-after"]) == (503, "5")
    assert b"out of order" not in body
    assert asked(app, "POST", "/add-checkpoint", [b"a"])[0] == 200
