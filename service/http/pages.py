"""`/problems` and `/problems/{code}`: the pages that problems point to."""

from html import escape
from typing import Final

from flask import Blueprint, Response

from service.http.problems import CATALOGUE, Kind, Problem

pages = Blueprint("pages", __name__)

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body {{ font: 1rem/1.5 sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }}</style>
<h1>{title}</h1>
{body}
</html>
"""


@pages.get("/problems")
def list_problems() -> Response:
    """List all that can go wrong."""
    rows = "".join(f'<li><a href="/problems/{code}">{code}</a>: {escape(CATALOGUE[code].title)}' for code in CATALOGUE)
    return _page("Problems", f"<ul>{rows}</ul>")


@pages.get("/problems/<code>")
def get_problem(code: str) -> Response:
    """Tell what a problem means, and what to do about it."""
    kind = CATALOGUE.get(code)
    if kind is None:
        raise Problem("resource_must_exist")
    return _page(kind.title, _body(code, kind))


def _body(code: str, kind: Kind) -> str:
    return f"<p><code>{code}</code>, HTTP status {kind.status}<p>{escape(kind.advice)}"


def _page(title: str, body: str) -> Response:
    return Response(_PAGE.format(title=escape(title), body=body), content_type="text/html; charset=utf-8")
