"""Makes the Flask app that answers with pages."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec
from flask import Flask, Response as FlaskResponse, g, request
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from service.web.asking import viewer
from service.web.asking.api_caller import ApiFailed
from service.web.asking.viewer import PageParts, Viewer
from service.web.drawing import card_faces, players_words
from service.web.pages import assets, front_page, hand_page, sign_in_page, table_page, tables_page

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_PAGES: Final = (front_page, tables_page, table_page, hand_page, sign_in_page)
_MOST_BODY_BYTES: Final = 65_536
_HTML: Final = "text/html"
_HEADERS: Final = {
    "Referrer-Policy": "same-origin",  # with `no-referrer`, browsers send forms with `Origin: null`
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Frame-Options": "DENY",
}
_SAID: Final = {
    HTTPStatus.NOT_FOUND: "There is no such page.",
    HTTPStatus.FORBIDDEN: "This request did not come from a page of this service, or you have signed out since.",
}
_PASSED_ON: Final = ("Allow", "Connection", "Retry-After")
"""Headers of an error that its page has too."""


def make(parts: PageParts) -> Flask:
    """Return the app that answers with pages, made of what the API of *parts* tells the viewer."""
    app = Flask("service.web", static_folder=None)
    app.url_map.merge_slashes = False
    app.config.update(MAX_CONTENT_LENGTH=_MOST_BODY_BYTES, PROPAGATE_EXCEPTIONS=False)
    app.jinja_options = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    app.add_template_filter(card_faces.card)
    app.add_template_filter(card_faces.card_name)
    app.add_template_filter(players_words.words)
    app.context_processor(_for_every_template)
    for page in _PAGES:
        app.register_blueprint(page.pages)
    app.register_blueprint(assets.files)
    app.after_request(_with_headers)
    app.register_error_handler(ApiFailed, _failed)
    app.register_error_handler(HTTPException, _refused)
    with app.app_context():
        viewer.attach(parts)
    return app


def _for_every_template() -> dict[str, object]:
    """Return the names that every template knows."""
    return {"viewer": viewer.viewer(), "asset": assets.url}


def _with_headers(response: FlaskResponse) -> FlaskResponse:
    response.headers.update(_HEADERS)
    if response.mimetype == _HTML:
        response.headers["Content-Security-Policy"] = CSP
    if request.blueprint != assets.files.name:
        is_personal = request.method == "POST" or ("sign_in" in g and viewer.is_signed_in())
        if is_personal:
            response.headers["Cache-Control"] = "no-store"
        response.vary.add("Cookie")
    return response


def _failed(error: ApiFailed) -> Response:
    """Return the API's problem as a page, or as it is to a script; sign a browser out whose key has ended."""
    problem, headers = msgspec.json.decode(error.response.get_data()), error.response.headers
    has_ended = problem.get("code") == "key_must_be_valid" and viewer.is_signed_in()
    response = error.response
    if _wants_page():
        if has_ended:
            problem |= {"title": "You are signed out, because your key has ended.", "detail": ""}
        response = _problem_page(error.response.status_code, problem, dict(headers))
    if has_ended:
        viewer.sign_out(response)
    return response


def _refused(error: HTTPException) -> Response:
    status = HTTPStatus(error.code or HTTPStatus.INTERNAL_SERVER_ERROR)
    title = _SAID.get(status) or f"{error.name.removesuffix('.')}."
    return _problem_page(status, {"title": title, "detail": "", "status": status.value}, dict(error.get_headers()))


def _problem_page(status: int, problem: dict[str, Any], headers: Mapping[str, str]) -> Response:
    """Return the page about *problem*. It names no viewer who was not found, since the search may be what failed."""
    g.setdefault("viewer", Viewer())
    response = viewer.page("problem.html", status, problem=problem)
    response.headers.update({name: headers[name] for name in _PASSED_ON if name in headers})
    return response


def _wants_page() -> bool:
    return request.accept_mimetypes.best_match((_HTML, "application/json"), _HTML) == _HTML
