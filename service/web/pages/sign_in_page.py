"""`/sign-in` and `/sign-out`: a pasted key is exchanged for a cookie, which only pages accept."""

import re
from typing import Final

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from service.api_keys import repository
from service.web.asking.api_caller import ApiFailed
from service.web.asking.viewer import (
    FORM_TOKEN,
    must_come_from_a_page,
    page,
    parts,
    sign_in as sign_browser_in,
    sign_out as sign_browser_out,
)

pages = Blueprint("sign_in_page", __name__)

_WAY: Final = re.compile("/(?:play|tables)(?:/tbl_[0-9a-f]{32})?", re.ASCII)
"""The pages to which a sign-in may lead."""

_UNSEEN: Final = re.compile("[\\s\u200b-\u200d\u2060\ufeff]+")
"""Characters that mails and terminals may add to a key: line breaks, spaces and invisible characters."""
_NOT_VALID: Final = 401
_HAS_ENDED: Final = "This key is unknown or has ended."
_IS_NO_KEY: Final = "This is not a key: a key begins with ctk_."


@pages.get("/sign-in")
def get_sign_in_page() -> str:
    """Return the page with the form for a key.

    A link may have the key in its fragment, which browsers do not send: the page's script puts the key into the form.
    """
    return render_template("sign_in.html", fault="", to=_way(request.args.get("to", "")))


@pages.post("/sign-in")
def sign_in() -> Response:
    """Sign the browser in for the key in the form. The key itself is not kept.

    The API checks the key, so each attempt counts against the rate limit of the address.
    """
    must_come_from_a_page(request.form.get(FORM_TOKEN, ""))
    sent, to = _UNSEEN.sub("", request.form.get("key", "")), _way(request.form.get("to", ""))
    try:
        key: str = parts().api.get("/v1/whoami", token=sent or "none")["key"]
    except ApiFailed as error:
        if error.response.status_code != _NOT_VALID:
            raise
        fault = _HAS_ENDED if repository.parse(sent) else _IS_NO_KEY
        return page("sign_in.html", _NOT_VALID, fault=fault, to=to)
    response = redirect(to, 303)
    sign_browser_in(response, bytes.fromhex(key.removeprefix("key_")))
    return response


@pages.post("/sign-out")
def sign_out() -> Response:
    """Sign the browser out."""
    must_come_from_a_page(request.form.get(FORM_TOKEN, ""))
    response = redirect("/", 303)
    sign_browser_out(response)
    return response


def _way(to: str) -> str:
    """Return *to* if a sign-in may lead to this path, else the path of the list of tables."""
    return to if _WAY.fullmatch(to) else "/tables"
