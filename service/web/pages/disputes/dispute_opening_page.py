"""`/tables/{table}/hands/{hand}/dispute`: the form with which a player or the host disputes a hand."""

from typing import Any

import msgspec
from flask import Blueprint, redirect, request
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from service.web.asking.api_caller import ApiFailed
from service.web.asking.form_posting import form_key, post_form
from service.web.asking.viewer import ask, page, viewer
from service.web.drawing.disputes import dispute_words, step_forms
from service.web.drawing.disputes.step_forms import Form

pages = Blueprint("dispute_opening_page", __name__)


@pages.get("/tables/<table>/hands/<int:hand>/dispute")
def get_opening_page(table: str, hand: int) -> Response:
    """Return the form for a dispute about a hand."""
    return _page(table, hand, MultiDict())


@pages.post("/tables/<table>/hands/<int:hand>/dispute")
def open_dispute(table: str, hand: int) -> Response:
    """Open a dispute; if the API refuses the dispute, return the form with the reason, and with what was typed."""
    try:
        done = post_form(f"/v1/tables/{table}/disputes", step_forms.opening_body(hand, request.form))
    except ApiFailed as error:
        return _page(table, hand, request.form, error)
    return redirect(f"/tables/{table}/disputes/{done['dispute']['dispute']}", 303)


def _page(table: str, hand: int, typed: Form, error: ApiFailed | None = None) -> Response:
    earlier = _disputes_about(table, hand)
    return page(
        "disputes/open.html",
        error.response.status_code if error else 200,
        table=table,
        hand=hand,
        may_open=not viewer().scopes.isdisjoint({"play", "host"}),
        earlier=earlier,
        words=dispute_words,
        key=form_key(f"/v1/tables/{table}/hands/{hand}/dispute", len(earlier)),
        problem=msgspec.json.decode(error.response.get_data()) if error else {},
        typed=typed,
    )


def _disputes_about(table: str, hand: int) -> list[Any]:
    """Return those disputes about the hand number *hand* that the viewer may read.

    A player who has left a private table does not see its hands any more, but may dispute the hands that this player
    played. So a signed-in viewer who does not see the table gets the form, even if there is no such table; the API
    decides.
    """
    try:
        return list(ask(f"/v1/tables/{table}/hands/{hand}")["disputes"])
    except ApiFailed as error:
        if not viewer().owner or _code(error) != "table_must_exist":
            raise
    try:
        listed = ask(f"/v1/tables/{table}/disputes", {"limit": 50})["items"]
    except ApiFailed:
        return []
    return [one for one in listed if one["hand"] == hand]


def _code(error: ApiFailed) -> str:
    return str(msgspec.json.decode(error.response.get_data())["code"])
