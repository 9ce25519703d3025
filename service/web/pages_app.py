"""Makes the Flask app that answers with pages."""

from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import msgspec
from flask import Flask, Response as FlaskResponse, g, request
from jinja2 import FunctionLoader, StrictUndefined
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from service.web import filters
from service.web.asking import viewer
from service.web.asking.api_caller import ApiFailed
from service.web.asking.viewer import PageParts, Viewer
from service.web.pages import (
    assets,
    check_page,
    front_page,
    hand_page,
    play_page,
    rules_page,
    sign_in_page,
    table_live,
    table_page,
    tables_page,
)
from service.web.pages.disputes import all_disputes_page, dispute_opening_page, dispute_page
from service.web.pages.figures import accounts_page, flow_page, operations_page

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_PAGES: Final = (
    *(front_page, tables_page, table_page, table_live, hand_page, play_page, rules_page, check_page, sign_in_page),
    *(accounts_page, flow_page, operations_page),
    *(all_disputes_page, dispute_page, dispute_opening_page),
)
_SECTIONS: Final[tuple[tuple[str, str, str], ...]] = (
    ("tables", "/tables", "Tables"),
    ("check", "/check", "Check a file"),
    ("disputes", "/disputes", "Disputes"),
    ("operations", "/operations", "Operations"),
    ("docs", "/docs", "API"),
)
"""The links at the top of each page: the first segment of the path, the path, and the name."""
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
"""The headers of an error's response that the page about the error also gets."""


def make(parts: PageParts) -> Flask:
    """Return the app that answers with pages; a page shows what the API of *parts* answers to the viewer.

    The app reads all templates, scripts and styles now: it still has them when a release replaces the files.
    """
    assets.all_files()
    app = Flask("service.web", static_folder=None)
    app.url_map.merge_slashes = False
    app.config.update(MAX_CONTENT_LENGTH=_MOST_BODY_BYTES, PROPAGATE_EXCEPTIONS=False)
    app.jinja_loader = _templates()
    app.jinja_options = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    filters.init_app(app)
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


@cache
def _templates() -> FunctionLoader:
    """Return a loader of all templates; it has read them, and Jinja compiles each at its first use (DECISIONS 143)."""
    folder = Path(__file__).parent / "templates"
    files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*.html")}
    return FunctionLoader(
        {name: (file.read_text(encoding="utf-8"), str(file), None) for name, file in files.items()}.get
    )


def _for_every_template() -> dict[str, object]:
    """Return the variables of every template, by name."""
    looking = viewer.viewer()
    segments = request.path.split("/")
    is_operator = not looking.scopes.isdisjoint({"admin", "metrics"})
    return {
        "viewer": looking,
        "asset": assets.url,
        "sections": [one for one in _SECTIONS if one[0] != "operations" or is_operator],
        "current_path": request.path,
        "current_section": "disputes" if "disputes" in segments else segments[1],
    }


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
    """Return the API's problem as a page, or unchanged to a script; sign the browser out if its key has ended."""
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
    problem = {"title": title, "detail": "", "status": status.value}
    if status is HTTPStatus.INTERNAL_SERVER_ERROR:
        again = "Try again in a minute. If the page fails again, tell the operator the id of the request."
        problem |= {"detail": again, "request_id": getattr(request, "request_id", "")}
    return _problem_page(status, problem, dict(error.get_headers()))


def _problem_page(status: int, problem: dict[str, Any], headers: Mapping[str, str]) -> Response:
    """Return the page about *problem*; if the error came before the viewer was found, the page is a spectator's."""
    g.setdefault("viewer", Viewer())
    response = viewer.page("problem.html", status, problem=problem)
    response.headers.update({name: headers[name] for name in _PASSED_ON if name in headers})
    return response


def _wants_page() -> bool:
    return request.accept_mimetypes.best_match((_HTML, "application/json"), _HTML) == _HTML
