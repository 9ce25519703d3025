"""What every answer says to browsers: to guess nothing, run nothing, and tell nobody; and which pages may ask."""

from collections.abc import Sequence
from typing import Final

from flask import Flask, Response
from flask_cors import CORS

_CSP: Final = "Content-Security-Policy"
_NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
"""What data may do in a browser. A page brings a policy of its own."""

REQUEST_HEADERS: Final = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
)
RESPONSE_HEADERS: Final = (
    "ETag",
    "Location",
    "Link",
    "Idempotent-Replayed",
    "X-Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
)


def add_security_headers(app: Flask) -> None:
    """Put what protects who reads it on every answer of *app*. HSTS is for the proxy to say, which has the TLS."""
    app.after_request(_protected)


def allow_origins(app: Flask, origins: Sequence[str]) -> None:
    """Let web pages from *origins* ask *app*, with a key in a header as everybody; never with cookies."""
    if origins:
        CORS(
            app,
            origins=list(origins),
            methods=["GET", "HEAD", "POST", "DELETE"],
            allow_headers=list(REQUEST_HEADERS),
            expose_headers=list(RESPONSE_HEADERS),
            supports_credentials=False,
            always_send=False,  # else whoever is no page is told the whole list
            vary_header=False,  # it would leave it out where nobody is let in, though that varies too
            max_age=600,
        )
        app.after_request(_varying)


def _varying(response: Response) -> Response:
    response.vary.add("Origin")
    return response


def _protected(response: Response) -> Response:
    headers = response.headers
    headers.add("X-Content-Type-Options", "nosniff")
    headers.add("Referrer-Policy", "no-referrer")
    if _CSP not in headers:
        headers.add(_CSP, _NOTHING)
    if "Cache-Control" not in headers:
        headers.add("Cache-Control", "no-cache")
    return response
