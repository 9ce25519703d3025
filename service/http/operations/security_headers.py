"""Security headers of every response, and CORS: the origins whose web pages may send requests."""

from collections.abc import Sequence
from typing import Final

from flask import Flask, Response
from flask_cors import CORS

_CSP: Final = "Content-Security-Policy"
_NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
"""The policy of all responses except HTML pages. Each HTML page has its own policy."""

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
    "Log-Checkpoint",
    "Idempotent-Replayed",
    "X-Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Seconds-Left",
)


def add_security_headers(app: Flask) -> None:
    """Add security headers to every response of *app*. A proxy that terminates TLS must add HSTS."""
    app.after_request(_with_security_headers)


def allow_origins(app: Flask, origins: Sequence[str]) -> None:
    """Let web pages of *origins* send requests to *app*, with a key in the header Authorization and without cookies."""
    if origins:
        CORS(
            app,
            origins=list(origins),
            methods=["GET", "HEAD", "POST", "DELETE"],
            allow_headers=list(REQUEST_HEADERS),
            expose_headers=list(RESPONSE_HEADERS),
            supports_credentials=False,
            always_send=False,  # otherwise each client that is not a web page would get the whole list of origins
            vary_header=False,  # flask-cors adds no `Vary` for other origins; `_vary` adds it to every response
            max_age=600,
        )
        app.after_request(_vary)


def _vary(response: Response) -> Response:
    response.vary.add("Origin")
    return response


def _with_security_headers(response: Response) -> Response:
    headers = response.headers
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    if _CSP not in headers:
        headers.add(_CSP, _NOTHING)
    if "Cache-Control" not in headers:
        headers.add("Cache-Control", "no-cache")
    return response
