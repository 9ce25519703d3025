"""`/docs`: the API in Swagger UI. The service itself serves all files of the page."""

from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final

from flask import Blueprint, Response

from service.http.operations import request_cost
from service.http.problems.problem import Problem
from service.http.request.context import request_context
from service.http.request.services import services

manual = Blueprint("manual", __name__)

_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Chiptrail</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="swagger-ui"><noscript>The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</noscript></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
"""
# The first command with an Idempotency-Key is sent with this key, and so is each repeat of the command. Any other
# command with the same key is sent with a fresh key instead.
_START: Final = b"""\
const sent = new Map();
const hex = (one) => one.toString(16).padStart(2, "0");
const fresh = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join("");
SwaggerUIBundle({
  url: "/docs/openapi.json",
  requestInterceptor: (request) => {
    const key = request.headers["Idempotency-Key"];
    const command = [request.method, request.url, request.body].join(" ");
    if (key && sent.has(key) && sent.get(key) !== command) {
      request.headers["Idempotency-Key"] = fresh();
    } else if (key) {
      sent.set(key, command);
    }
    return request;
  },
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
"""
_INSTALLED: Final = {
    "favicon-32x32.png": "image/png",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
}
_START_NAME: Final = "start.js"
_KEY: Final = "Idempotency-Key"


@manual.get("/docs")
def get_docs() -> Response:
    """Return the page that shows the API in Swagger UI."""
    response = Response(_PAGE, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _CSP
    return response


@manual.get("/docs/<name>")
def get_asset(name: str) -> Response:
    """Return the file *name*, which the page of `/docs` loads."""
    if name not in _INSTALLED and name != _START_NAME:
        raise Problem("resource_must_exist")
    data, tag = _asset(name)
    response = Response(data, content_type=_INSTALLED.get(name, "text/javascript; charset=utf-8"))
    response.headers["Cache-Control"] = "public, max-age=86400"
    response.set_etag(tag)
    response.make_conditional(request_context())
    if response.status_code == HTTPStatus.OK:
        request_cost.add(len(data) // request_cost.BYTES_PER_UNIT)
    return response


def to_try(document: Any) -> Any:  # noqa: ANN401 -- JSON
    """Return the OpenAPI *document* as Swagger UI gets it. Swagger UI fills its fields with the examples.

    Swagger UI would send each example with each request. So optional parameters of queries and headers get no example,
    and each Idempotency-Key gets a new example. The links are left out.
    """
    if isinstance(document, list):
        return [to_try(item) for item in document]
    if not isinstance(document, dict):
        return document
    members = {
        name: to_try(value) for name, value in document.items() if not (name == "links" and "description" in document)
    }
    if members.get("in") in {"query", "header"} and "name" in members:
        if members["name"] == _KEY:
            members["example"] = services().clock.new_id("example")
        elif not members.get("required"):
            members.pop("example", None)
    return members


@cache
def _asset(name: str) -> tuple[bytes, str]:
    """Return the bytes of the file *name*, and their ETag."""
    data = _START if name == _START_NAME else (files("flask_swagger_ui") / "dist" / name).read_bytes()
    return data, sha256(data).hexdigest()[:32]
