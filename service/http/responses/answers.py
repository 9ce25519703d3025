"""Makes JSON responses, with their headers for caching and paging."""

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
    """A response whose headers are complete: werkzeug adds and changes none of them."""

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """Return the headers as they are; from a response without a body, werkzeug removes the headers of a body."""
        return self.headers if self.response else super().get_wsgi_headers(environ)


def json_response(body: Any, caller: Caller, *, status: int = 200, position: int | None = None) -> Response:  # noqa: ANN401 -- JSON
    """Return a response with *body* as JSON for *caller* alone. The table's *position*, if given, becomes the ETag.

    If the ETag matches If-None-Match, the response has status 304 and no body.
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


class ListPage(Protocol):
    """A page of a list; `next` leads to the page after it."""

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


def _matches(tag: str) -> bool:
    context = request_context()
    return context.method in {"GET", "HEAD"} and context.if_none_match.contains_weak(tag)
