"""`/docs`: the interface to look at and to try, by the Swagger UI that is installed; nothing comes from outside."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from flask import Blueprint, Response

from service.http.problems import Problem
from service.http.visit import visit

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
<div id="swagger-ui"><noscript>The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
"""
_START: Final = b"""\
SwaggerUIBundle({
  url: "/openapi.json",
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


@manual.get("/docs")
def get_docs() -> Response:
    """Show the interface."""
    response = Response(_PAGE, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _CSP
    return response


@manual.get("/docs/<name>")
def get_asset(name: str) -> Response:
    """Give one of the few files that the page is made of."""
    if name not in _INSTALLED and name != _START_NAME:
        raise Problem("resource_must_exist")
    data, tag = _asset(name)
    response = Response(data, content_type=_INSTALLED.get(name, "text/javascript; charset=utf-8"))
    response.headers["Cache-Control"] = "public, max-age=86400"
    response.set_etag(tag)
    response.make_conditional(visit())
    return response


@cache
def _asset(name: str) -> tuple[bytes, str]:
    """Return a file's bytes, and what tells them from another release's."""
    data = _START if name == _START_NAME else (files("flask_swagger_ui") / "dist" / name).read_bytes()
    return data, sha256(data).hexdigest()[:32]
