"""`/sign-in` and `/sign-out`: a pasted key becomes a cookie, which counts on pages alone."""

import re
from typing import Final

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from service.api_keys import repository
from service.web.asking.viewer import (
    FORM_TOKEN,
    must_come_from_a_page,
    page,
    parts,
    sign_in as sign_browser_in,
    sign_out as sign_browser_out,
    viewer,
)

pages = Blueprint("sign_in_page", __name__)

_WAY: Final = re.compile("/(?:play|tables)(?:/tbl_[0-9a-f]{32})?", re.ASCII)
"""The pages to which a sign-in may lead."""


@pages.get("/sign-in")
def get_sign_in_page() -> str:
    """Return the page with the form for a key.

    A link may have the key in its fragment, which no browser sends: the page's script puts it into the form.
    """
    viewer()
    return render_template("sign_in.html", is_unknown=False, to=_way(request.args.get("to", "")))


@pages.post("/sign-in")
def sign_in() -> Response:
    """Sign the browser in for the key in the form. The key itself is not kept."""
    form = request.form
    must_come_from_a_page(form.get(FORM_TOKEN, ""))
    sent = form.get("key", "").strip()
    parsed = repository.parse(sent)
    if parsed is None:
        return page("sign_in.html", 422, is_unknown=True, to=_way(form.get("to", "")))
    parts().api.get("/v1/whoami", token=sent)
    response = redirect(_way(form.get("to", "")), 303)
    sign_browser_in(response, parsed[0])
    return response


@pages.post("/sign-out")
def sign_out() -> Response:
    """Sign the browser out."""
    must_come_from_a_page(request.form.get(FORM_TOKEN, ""))
    response = redirect("/", 303)
    sign_browser_out(response)
    return response


def _way(to: str) -> str:
    """Return the path *to* which a sign-in leads, or that of the tables if *to* is none of them."""
    return to if _WAY.fullmatch(to) else "/tables"
