"""`/sign-in` and `/sign-out`: a pasted key becomes a cookie, which counts on pages alone."""

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


@pages.get("/sign-in")
def get_sign_in_page() -> str:
    """Return the page with the form for a key."""
    viewer()
    return render_template("sign_in.html", is_unknown=False)


@pages.post("/sign-in")
def sign_in() -> Response:
    """Sign the browser in for the key in the form. The key itself is not kept."""
    form = request.form
    must_come_from_a_page(form.get(FORM_TOKEN, ""))
    sent = form.get("key", "").strip()
    parsed = repository.parse(sent)
    if parsed is None:
        return page("sign_in.html", 422, is_unknown=True)
    parts().api.get("/v1/whoami", token=sent)
    response = redirect("/tables", 303)
    sign_browser_in(response, parsed[0])
    return response


@pages.post("/sign-out")
def sign_out() -> Response:
    """Sign the browser out."""
    must_come_from_a_page(request.form.get(FORM_TOKEN, ""))
    response = redirect("/", 303)
    sign_browser_out(response)
    return response
