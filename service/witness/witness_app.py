"""The HTTP interface of a witness: an ASGI application, which reads bodies without blocking a thread."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, Final

import structlog

from service.transparency.witnesses.submission import MOST_BYTES
from service.witness.cosigner import TEXT, Answer

_LOG: Final = structlog.get_logger("service.witness")
_BODY_SECONDS: Final = 10.0
_MOST_REQUESTS: Final = 256
_THREADS: Final = 8
_RETRY: Final = (("retry-after", "5"),)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Post = Callable[[bytes], Answer]
Get = Callable[[], Answer]


class WitnessApp:
    """Answers a POST by the function for its path in *posts*, a GET or HEAD by the function for its path in *gets*."""

    def __init__(
        self, posts: Mapping[str, Post], gets: Mapping[str, Get], *, body_seconds: float = _BODY_SECONDS
    ) -> None:
        self._posts = posts
        self._gets = gets
        self._body_seconds = body_seconds
        self._running = 0
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="witness")

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        self._running += 1
        try:
            answer = await self._answer(scope, receive)
        except Exception as error:  # noqa: BLE001  # The client must get an answer, and the witness must go on.
            _LOG.error("request_failed", error=type(error).__name__, cause=str(error))
            answer = _said(HTTPStatus.SERVICE_UNAVAILABLE, "The witness can't answer now.", _RETRY)
        finally:
            self._running -= 1
        headers = [("content-type", answer.content_type), ("content-length", str(len(answer.body))), *answer.headers]
        encoded = [(name.encode(), value.encode()) for name, value in headers]
        await send({"type": "http.response.start", "status": int(answer.status), "headers": encoded})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else answer.body})

    async def _answer(self, scope: Mapping[str, Any], receive: Receive) -> Answer:
        path, method = scope["path"], scope["method"]
        allowed = "POST" if path in self._posts else "GET, HEAD" if path in self._gets else ""
        if not allowed:
            return _said(HTTPStatus.NOT_FOUND, "There is no such resource.")
        if method not in allowed.split(", "):
            return _said(HTTPStatus.METHOD_NOT_ALLOWED, f"Send {allowed}.", (("allow", allowed),))
        if self._running > _MOST_REQUESTS:
            return _said(HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests at the same time.", _RETRY)
        loop = asyncio.get_running_loop()
        if path in self._gets:
            return await loop.run_in_executor(self._threads, self._gets[path])
        try:
            body = await asyncio.wait_for(_body(receive), self._body_seconds)
        except TimeoutError:
            return _said(HTTPStatus.REQUEST_TIMEOUT, "The body was not complete in time.", _CLOSE)
        if len(body) > MOST_BYTES:
            why = f"A body has at most {MOST_BYTES:,} bytes."
            return _said(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why, _CLOSE)
        return await loop.run_in_executor(self._threads, self._posts[path], body)


_CLOSE: Final = (("connection", "close"),)


async def _body(receive: Receive) -> bytes:
    """Return the body; only its beginning if it is longer than a body may be, or if the client has disconnected."""
    body = b""
    while len(body) <= MOST_BYTES:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body


def _said(status: HTTPStatus, why: str, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    return Answer(status, f"{why}\n".encode(), TEXT, headers)
