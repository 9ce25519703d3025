"""`/tables/{table}/disputes/{dispute}`: a dispute as a case, and a form for each step that the viewer may take."""

import re
from typing import Any, Final

import msgspec
from flask import Blueprint, abort, redirect, request
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from service.web.asking.api_caller import ApiFailed
from service.web.asking.form_posting import form_key, post_form
from service.web.asking.viewer import ask, page, viewer
from service.web.drawing.disputes import dispute_words, step_forms
from service.web.drawing.disputes.step_forms import Form, Looker

pages = Blueprint("dispute_page", __name__)

_PATH: Final = "/tables/<table>/disputes/<int:dispute>"
_ROWS: Final = 4
_NUMBER: Final = re.compile("[0-9]{1,9}")
_NOT_FOUND: Final = 404
_NO_FORM: Final[Form] = MultiDict()


@pages.get(_PATH)
def get_dispute_page(table: str, dispute: int) -> Response:
    """Return the page of a dispute."""
    return _page(table, dispute, _NO_FORM)


@pages.post(f"{_PATH}/<step>")
def take_step(table: str, dispute: int, step: str) -> Response:
    """Take a step; if the API refuses the step, return the page with the reason, and with what was typed."""
    if step not in step_forms.STEPS:
        abort(_NOT_FOUND)
    try:
        done = post_form(f"/v1/tables/{table}/disputes/{dispute}/{step}", step_forms.body_of(step, request.form))
    except ApiFailed as error:
        return _page(table, dispute, request.form, step, error)
    return redirect(f"/tables/{table}/disputes/{dispute}#step-{done['position']}", 303)


def _page(table: str, dispute: int, typed: Form, step: str = "", error: ApiFailed | None = None) -> Response:
    path = f"/v1/tables/{table}/disputes/{dispute}"
    case = ask(path)
    looking = viewer()
    possible = step_forms.possible_steps(case, Looker(looking.owner, looking.scopes))
    response = page(
        "disputes/case.html",
        error.response.status_code if error else 200,
        case=case,
        words=dispute_words,
        standing=dispute_words.status(case),
        steps=dispute_words.steps(case, looking.owner),
        possible=possible,
        keys={one: form_key(f"{path}/{one}", len(case["steps"])) for one in possible},
        failed=step,
        problem=msgspec.json.decode(error.response.get_data()) if error else {},
        typed=typed,
        rows=_rows(case, typed) if "correction" in possible else [],
        units=_units(table, case) if "correction" in possible else [],
    )
    if error and "Retry-After" in error.response.headers:
        response.headers["Retry-After"] = error.response.headers["Retry-After"]
    return response


def _rows(case: Any, typed: Form) -> list[dict[str, str]]:  # noqa: ANN401 -- JSON
    """Return the rows of the form of a correction: the rows that were typed, and some empty rows."""
    rows = step_forms.transfer_rows(typed) if typed else []
    wanted = request.args.get("rows", "")
    more = int(wanted) if _NUMBER.fullmatch(wanted) else _ROWS
    empty = {"source": "", "target": "", "amount": "", "unit": "", "corrects": "", "rule": case["rule"]}
    return rows + [empty] * max(1, min(more, step_forms.MOST_ROWS) - len(rows))


def _units(table: str, case: Any) -> list[str]:  # noqa: ANN401 -- JSON
    """Return the units of the seats in the disputed hand; both units if the API shows no seats of the hand."""
    try:
        hand = ask(f"/v1/tables/{table}/hands/{case['hand']}")
    except ApiFailed:
        return ["chips", "points"]
    return sorted({seat["unit"] for seat in hand["seats"]}) or ["chips", "points"]
