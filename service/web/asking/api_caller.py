"""Calls the API of this process for the viewer of a page, so that a page shows only what this viewer may see."""

# DECISIONS 111

from collections.abc import Iterator, Mapping
from contextvars import copy_context
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec
from flask import request
from werkzeug.wrappers import Response

from service.api_keys.sign_ins import SIGNED_IN_KEY

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

_JSON: Final = "application/json"
_COPIED: Final = (
    "REMOTE_ADDR",
    "HTTP_HOST",
    "HTTP_X_FORWARDED_FOR",
    "SERVER_NAME",
    "SERVER_PORT",
    "SERVER_PROTOCOL",
    "wsgi.version",
    "wsgi.url_scheme",
    "wsgi.errors",
    "wsgi.multithread",
    "wsgi.multiprocess",
    "wsgi.run_once",
)
"""The WSGI variables that a call copies from the page's request: of its headers, only Host and X-Forwarded-For."""
_FAILED: Final = 400

Query = Mapping[str, Any]


class ApiFailed(Exception):
    """The API answered with a problem; *response* is this answer."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


class ApiCaller:
    """Calls *application*, the API of this process, for the viewer of the page that is being made.

    A call is a request of its own: it counts against the viewer's rate limit, takes a worker slot, and has a line in
    the service's log.
    """

    def __init__(self, application: "WSGIApplication") -> None:
        self._application = application

    def get(self, path: str, query: Query | None = None, *, key_id: bytes = b"", token: str = "") -> Any:  # noqa: ANN401 -- JSON
        """Return the JSON that GET *path* answers to the owner of a key; without a key, to a spectator.

        Give the key by *key_id*, its id, or by *token*, the key itself.

        Raises:
            ApiFailed: the API answers with a problem.
        """
        response = self.call("GET", path, query, key_id=key_id, headers=_authorization(token))
        return msgspec.json.decode(response.get_data())

    def call(  # noqa: PLR0913 -- these are the parts of a request
        self,
        method: str,
        path: str,
        query: Query | None = None,
        *,
        key_id: bytes = b"",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        is_stream: bool = False,
    ) -> Response:
        """Return the API's answer to a request; if *is_stream*, return it as soon as the answer begins.

        The caller of the request is the owner of the key *key_id*; b"": the owner of the key in *headers*, or else a
        spectator.

        Raises:
            ApiFailed: the API answers with a problem.
        """
        environ = _environ(method, path, query or {}, headers or {}, body)
        if key_id:
            environ[SIGNED_IN_KEY] = key_id
        response = (
            self._streamed(environ) if is_stream else Response.from_app(self._application, environ, buffered=True)
        )
        if response.status_code >= _FAILED:
            raise ApiFailed(response)
        return response

    def _streamed(self, environ: "WSGIEnvironment") -> Response:
        """Return the API's answer as a stream, whose parts are made one by one.

        The request to the API lasts as long as the stream. Each part is made in a copy of the page's context: in a
        shared context, the page's request and the request to the API would end each other's context.
        """
        context = copy_context()
        answer = context.run(Response.from_app, self._application, environ)
        parts = iter(answer.iter_encoded())

        def made() -> Iterator[bytes]:
            while (part := context.run(next, parts, None)) is not None:
                yield part

        response = Response(made(), answer.status_code, answer.headers)
        response.call_on_close(lambda: context.run(answer.close))
        return response


def _authorization(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _environ(method: str, path: str, query: Query, headers: Mapping[str, str], body: bytes) -> "WSGIEnvironment":
    given = {name: value for name, value in query.items() if value not in (None, "")}
    environ: WSGIEnvironment = {name: request.environ[name] for name in _COPIED if name in request.environ}
    environ |= {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path.encode().decode("latin-1"),  # PEP 3333
        "QUERY_STRING": urlencode(given, doseq=True),
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": _JSON if body else "",
        "HTTP_ACCEPT": _JSON,
        "wsgi.input": BytesIO(body),
    }
    environ |= {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    return environ
