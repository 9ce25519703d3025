"""Answers: records of what is told, encoded straight into a response."""

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
    """A response that is whole: its headers are those that it was given, and its length is known."""

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """Return the headers; without a body, werkzeug leaves out those that say something of one."""
        return self.headers if self.response else super().get_wsgi_headers(environ)


def json_response(body: Any, caller: Caller, *, status: int = 200, position: int | None = None) -> Response:  # noqa: ANN401 -- JSON
    """Return *body* as JSON, as *caller* alone may have it; *position* is where its table stands.

    What the caller has already (If-None-Match) is not sent again.
    """
    headers = [
        ("Content-Type", "application/json"),
        ("Vary", "Authorization"),
        ("Cache-Control", "no-store" if caller.owner else "no-cache"),
    ]
    if position is not None:
        headers.append(("ETag", f'"{position}"'))
        if _is_known(str(position)):
            return Answer(status=304, headers=headers)
    return Answer(_ENCODE(body), status=status, headers=headers)


class Cursor(Protocol):
    """A page of a list."""

    @property
    def has_more(self) -> bool:
        """Whether the list goes on."""

    @property
    def next(self) -> int | str:
        """What to ask for next, as `after`."""


def linked(response: Response, page: Cursor, limit: int) -> Response:
    """Add to *response* where the next page is found, with the query's other members, if the list goes on."""
    if page.has_more:
        context = request_context()
        query = urlencode({**dict(context.args.lists()), "after": page.next, "limit": limit}, doseq=True)
        response.headers["Link"] = f'<{context.path}?{query}>; rel="next"'
    return response


def _is_known(tag: str) -> bool:
    context = request_context()
    return context.method in {"GET", "HEAD"} and context.if_none_match.contains_weak(tag)
