"""Writes JSON responses, with their caching and paging headers."""

from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlencode

import msgspec
from flask import Response
from werkzeug.datastructures import Headers

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

from service.http.request.context import Caller, request_context

_ENCODE: Final = msgspec.json.Encoder().encode


class Answer(Response):
    """A response whose headers are complete: Flask need not add or remove any."""

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """Return the headers; for a response without a body, werkzeug removes the headers of a body."""
        return self.headers if self.response else super().get_wsgi_headers(environ)


def json_response(body: Any, caller: Caller, *, status: int = 200, position: int | None = None) -> Response:  # noqa: ANN401 -- JSON
    """Return *body* as JSON for *caller* alone; *position*, that of the table, becomes the ETag.

    If the ETag matches If-None-Match, the response is 304 without a body.
    """
    headers = [
        ("Content-Type", "application/json"),
        ("Vary", "Authorization"),
        ("Cache-Control", "no-store" if caller.owner else "no-cache"),
    ]
    if position is not None:
        headers.append(("ETag", f'"{position}"'))
        if _matches(str(position)):
            return Answer(status=304, headers=headers)
    return Answer(_ENCODE(body), status=status, headers=headers)


class Cursor(Protocol):
    """A page of a list."""

    @property
    def has_more(self) -> bool:
        """Whether there is another page."""

    @property
    def next(self) -> int | str:
        """The `after` of the next page."""


def linked(response: Response, page: Cursor, limit: int) -> Response:
    """Add to *response* the Link to the next page, if there is one."""
    if page.has_more:
        context = request_context()
        query = urlencode({**dict(context.args.lists()), "after": page.next, "limit": limit}, doseq=True)
        response.headers["Link"] = f'<{context.path}?{query}>; rel="next"'
    return response


def _matches(tag: str) -> bool:
    context = request_context()
    return context.method in {"GET", "HEAD"} and context.if_none_match.contains_weak(tag)
