"""`/problems`: the list of all problems; `/problems/{code}`: the page to which the `type` of a problem links."""

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final

from flask import Blueprint, Response

from service.http.openapi import refusal_catalogue
from service.http.problems.catalogue import CATALOGUE, Kind
from service.http.problems.problem import Problem
from service.http.request.fields import FIELD_ERRORS

pages = Blueprint("pages", __name__)

_STYLE: Final = "body { font: 1rem/1.5 sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }"
_CSP: Final = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
<h1>{title}</h1>
{body}
</html>
"""
_CODE: Final = re.compile("`([^`]+)`")
_SEE_ERRORS: Final = 'of <a href="/problems/request_must_have_its_shape">request_must_have_its_shape</a>'
_SEE_REFUSALS: Final = 'of the type <a href="/problems/refused_by_the_rules">refused_by_the_rules</a>'


@pages.get("/problems")
def list_problems() -> Response:
    """Return the page that lists all problems."""
    rows = "".join(f'<li><a href="/problems/{code}">{code}</a>: {_html(CATALOGUE[code].title)}' for code in CATALOGUE)
    return _page("Problems", f"<ul>{rows}</ul>")


@pages.get("/problems/<code>")
def get_problem(code: str) -> Response:
    """Return the page that explains *code*: the code of a problem, of a refusal, or of an error in `errors`."""
    if kind := CATALOGUE.get(code):
        return _page(kind.title, _body(code, kind))
    if message := FIELD_ERRORS.get(code):
        return _page(message, f"<p><code>{code}</code>, a code in the <code>errors</code> {_SEE_ERRORS}")
    if games := refusal_catalogue.by_code().get(code):
        items = "".join(f"<li>{_html(game)}" for game in games)
        return _page(code.replace("_", " "), f"<p><code>{code}</code>, a refusal {_SEE_REFUSALS}<ul>{items}</ul>")
    raise Problem("resource_must_exist")


def _body(code: str, kind: Kind) -> str:
    return f"<p><code>{code}</code>, HTTP status {kind.status}<p>{_html(kind.advice)}"


def _html(text: str) -> str:
    """Return *text* as HTML; the text between two backticks becomes code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _page(title: str, body: str) -> Response:
    response = Response(_PAGE.format(title=escape(title), style=_STYLE, body=body))
    response.headers.update({"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": _CSP})
    return response
