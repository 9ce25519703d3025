"""Makes responses of JSON, text or bytes, with their headers for caching and paging."""

from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, TypeAlias
from urllib.parse import urlencode

import msgspec
from flask import Response
from msgspec import Meta
from werkzeug.datastructures import Headers

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

from service.http.request.context import Caller, request_context
from service.http.request.services import services

IsWhole: TypeAlias = Annotated[
    bool,
    Meta(
        description="Whether the whole database answered. If not, a server of the database is down, and the response "
        "lacks the tables at this server."
    ),
]
TEXT: Final = "text/plain; charset=utf-8"
BYTES: Final = "application/octet-stream"
PYTHON: Final = "text/x-python; charset=utf-8"
LOG_CHECKPOINT: Final = "Log-Checkpoint"
"""The header with the size of the newest checkpoint, by which clients notice that the log has lost leaves."""
_FOR_AN_HOUR: Final = "public, max-age=3600"
"""How long caches may keep a full tile: a full tile changes only if the operator begins a new log after a loss."""

_ENCODE: Final = msgspec.json.Encoder().encode


class Answer(Response):
    """A response whose headers are complete: if it has a body, werkzeug adds no header and changes none."""

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """Return the headers as they are. Only if there is no body, werkzeug removes the headers of the body."""
        return self.headers if self.response else super().get_wsgi_headers(environ)


def json_response(body: Any, caller: Caller, *, status: int = 200, position: int | None = None) -> Response:  # noqa: ANN401 -- JSON
    """Return a response with *body* as JSON for *caller* alone. The table's *position*, if given, becomes the ETag.

    If the ETag matches the If-None-Match of a GET or HEAD, the response has status 304 and no body.
    """
    headers = _headers_for(caller, "application/json")
    if position is not None:
        headers.append(("ETag", f'"{position}"'))
        if _matches(str(position)):
            return Answer(status=304, headers=headers)
    return Answer(_ENCODE(body), status=status, headers=headers)


def file_response(body: bytes, content_type: str, caller: Caller) -> Response:
    """Return a response with *body* for *caller* alone."""
    return Answer(body, headers=_headers_for(caller, content_type))


def public_file_response(body: bytes, content_type: str, *, is_final: bool = False) -> Response:
    """Return a response with *body*, the same for everybody. If *is_final*, caches may keep it for an hour."""
    caching = _FOR_AN_HOUR if is_final else "no-cache"
    return Answer(body, headers=[("Content-Type", content_type), ("Cache-Control", caching)])


def with_log_checkpoint(response: Response) -> Response:
    """Add the header Log-Checkpoint to *response* if the size of the newest checkpoint is known; return *response*."""
    size = services().published_size.get()
    if size is not None:
        response.headers[LOG_CHECKPOINT] = str(size)
    return response


class ListPage(Protocol):
    """A page of a list."""

    @property
    def has_more(self) -> bool:
        """Whether there is another page."""

    @property
    def next(self) -> int | str:
        """The `after` of the next page."""


def linked(response: Response, page: ListPage, limit: int) -> Response:
    """Add the header Link to *response* if there is a next page, and return *response*."""
    if page.has_more:
        context = request_context()
        query = urlencode({**dict(context.args.lists()), "after": page.next, "limit": limit}, doseq=True)
        response.headers["Link"] = f'<{context.path}?{query}>; rel="next"'
    return response


def _headers_for(caller: Caller, content_type: str) -> list[tuple[str, str]]:
    return [
        ("Content-Type", content_type),
        ("Vary", "Authorization"),
        ("Cache-Control", "no-store" if caller.owner else "no-cache"),
    ]


def _matches(tag: str) -> bool:
    context = request_context()
    return context.method in {"GET", "HEAD"} and context.if_none_match.contains_weak(tag)
