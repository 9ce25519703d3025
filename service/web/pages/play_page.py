"""`/play/{table}`: the page on which a viewer plays any game, by forms made from the API's list of actions."""

# DECISIONS 114

from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec
from flask import Blueprint, redirect, request
from msgspec.structs import replace
from werkzeug.wrappers import Response

from service.web.asking.api_caller import ApiFailed
from service.web.asking.form_posting import form_key
from service.web.asking.viewer import (
    FORM_TOKEN,
    FORM_TOKEN_HEADER,
    ask,
    must_come_from_a_page,
    page,
    parts,
    viewer,
)
from service.web.pages import table_page
from service.web.playing import action_forms, sent_forms, turn_words
from service.web.playing.action_form import PARTS, ActionForm
from service.web.playing.seat_form import KIND, TAKE_SEAT, seat_form
from service.web.playing.sent_forms import Fields, FormIsBroken

pages = Blueprint("play_page", __name__)

_JSON: Final = "application/json"
_UNPROCESSABLE: Final = 422
_UNCERTAIN: Final = 429
"""After this status or a higher one, the action may have been recorded, or the same request may succeed later.

So a form that is sent again keeps its Idempotency-Key.
"""
_SHOWN_ON_THE_PAGE: Final = frozenset({400, 403, 409, 412, 422, 428, 429, 503})


Json = Mapping[str, Any]


class _Sent(NamedTuple):
    """The *fields* of a form that was sent, and the *problem* with which the API or this page answers."""

    fields: Fields
    problem: Json
    status: int


@pages.get("/play/<table>")
def get_play_page(table: str) -> Response:
    """Return the page on which the viewer plays."""
    return _play_page(table)


@pages.post("/play/<table>")
def play(table: str) -> Response:
    """Take the action in the form. After a refusal, return the page with the refusal and with what was typed."""
    must_come_from_a_page(request.form.get(FORM_TOKEN, ""))
    sent: Fields = dict(request.form.lists())
    try:
        action = sent_forms.action_of(sent, _game(ask(f"/v1/tables/{table}")["game"]))
        _post(table, action, request.form)
    except FormIsBroken as error:
        return _play_page(table, _Sent(sent, {"title": str(error)}, _UNPROCESSABLE))
    except ApiFailed as error:
        status = error.response.status_code
        if status not in _SHOWN_ON_THE_PAGE:
            raise
        return _play_page(table, _Sent(sent, msgspec.json.decode(error.response.get_data()), status))
    return redirect(f"/play/{table}", 303)


@pages.post("/play/<table>/to-sign")
def get_what_to_sign(table: str) -> Response:
    """Return the data for signing an action: the seat, the command secret, `sign_from`, and the values to seal."""
    must_come_from_a_page(request.headers.get(FORM_TOKEN_HEADER, ""))
    body, key = request.get_data(), request.headers.get("Idempotency-Key", "")
    tried = parts().api.call(
        "POST",
        f"/v1/tables/{table}/actions",
        {"dry_run": "true"},
        key_id=viewer().key_id,
        headers={"Idempotency-Key": key},
        body=body,
    )
    me, listed = ask(f"/v1/tables/{table}/me"), ask(f"/v1/tables/{table}/actions")
    to_sign = {
        "seat": me["seat"],
        "command_secret": me["command_secret"],
        "sign_from": listed["signing"]["sign_from"],
        "seals": msgspec.json.decode(tried.get_data()).get("seals"),
    }
    response = Response(msgspec.json.encode(to_sign), content_type=_JSON)
    response.headers["Cache-Control"] = "no-store"
    return response


def _post(table: str, action: Json, form: Mapping[str, str]) -> None:
    """Post the *action* with the Idempotency-Key and the position of the form.

    Raises:
        ApiFailed: the API refuses the action.
    """
    path, body = f"/v1/tables/{table}/actions", dict(action)
    if action.get("type") == TAKE_SEAT:
        path = f"/v1/tables/{table}/seats"
        del body["type"]
    headers = {"Idempotency-Key": form.get("key", "")}
    if position := form.get("position", ""):
        headers["If-Match"] = f'"{position}"'
    parts().api.call("POST", path, key_id=viewer().key_id, headers=headers, body=msgspec.json.encode(body))


def _play_page(table_id: str, sent: _Sent | None = None) -> Response:
    drawing = table_page.look(table_id, 0).names()
    table, listed = drawing["table"], ask(f"/v1/tables/{table_id}/actions")
    forms = _forms(table, _game(table["game"]), listed)
    digest = _digest(forms, listed)
    key_of = partial(_key, table)
    forms = tuple(replace(form, key=key_of(form.action), position=_position(form, table, listed)) for form in forms)
    if sent:
        forms = sent_forms.as_sent(forms, sent.fields, is_uncertain=sent.status >= _UNCERTAIN)
    return page(
        "play.html",
        sent.status if sent else 200,
        **drawing,
        listed=listed,
        forms={part: [form for form in forms if form.part == part] for part in PARTS},
        digest=digest,
        key_of=key_of,
        said=turn_words.said(table, listed, is_host=_is_host(table)),
        is_due=turn_words.is_due(table, listed, is_host=_is_host(table)),
        problem=sent.problem if sent else None,
        refused=_refused(forms, sent.fields) if sent else None,
        typed=sent_forms.typed(sent.fields) if sent else (),
    )


def _key(table: Json, action: str) -> str:
    """Return the Idempotency-Key of the viewer's form for *action* at the position of *table*."""
    return form_key(f"/play/{table['table']}/{action}", table["position"])


def _digest(forms: Sequence[ActionForm], listed: Json) -> str:
    """Return a digest of what the viewer may do. While the digest stays the same, the script keeps what is typed."""
    signing = dict(listed["signing"] or {})
    signing.pop("sign_from", None)  # `sign_from` may change while the actions stay the same
    return sha256(msgspec.json.encode((forms, signing))).hexdigest()


def _refused(forms: Sequence[ActionForm], sent: Fields) -> ActionForm | None:
    """Return the form that was sent, if it is still on the page."""
    return next((form for form in forms if [form.action] == list(sent.get("action", ()))), None)


def _forms(table: Json, game: Json, listed: Json) -> tuple[ActionForm, ...]:
    """Return the forms of what the viewer may do."""
    forms = action_forms.forms(listed["items"], game)
    if not table["you"] and "play" in viewer().scopes and not table["imported_at"]:
        seat = seat_form(table, game)
        forms += (seat,) if seat else ()
    return forms


def _position(form: ActionForm, table: Json, listed: Json) -> str:
    match form.part:
        case "seat" | "seeds":
            return ""
        case "host":
            return action_forms.position_for(listed, "host")
        case _:
            return action_forms.position_for(listed, f"seat:{table['you']}")


def _is_host(table: Json) -> bool:
    return bool(viewer().owner) and "host" in viewer().scopes and table["host"] == viewer().owner


def _game(name: str) -> Json:
    """Return the description of a game, with the action that takes a seat."""
    game = ask(f"/v1/games/{name}")
    return {**game, "actions": [*game["actions"], KIND]}
