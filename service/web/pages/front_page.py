"""`/`: what this service is, the state of its log, its games and its latest tables."""

from http import HTTPStatus

import msgspec
from flask import Blueprint, render_template

from service.transparency.signed_note import NoteMustBeGenuine
from service.web.asking.api_caller import ApiFailed
from service.web.asking.viewer import ask, parts, viewer
from service.web.drawing.checkpoint_figures import CheckpointFigures, checkpoint_figures

pages = Blueprint("front_page", __name__)

_LATEST = 10


@pages.get("/")
def get_front_page() -> str:
    """Return the first page."""
    return render_template(
        "front.html",
        games=ask("/v1/games")["items"],
        latest=ask("/v1/tables", {"limit": _LATEST}),
        own=ask("/v1/tables", {"limit": _LATEST, "mine": "true"}) if viewer().owner else None,
        log=_log(),
        not_ready=_not_ready(),
    )


def _log() -> CheckpointFigures | None:
    """Return the figures of the newest checkpoint; None: there is no checkpoint yet, or the answer is malformed."""
    try:
        note = parts().api.call("GET", "/v1/log/checkpoint", key_id=viewer().key_id)
    except ApiFailed as error:
        if error.response.status_code == HTTPStatus.NOT_FOUND:
            return None
        raise
    try:
        return checkpoint_figures(note.get_data())
    except NoteMustBeGenuine:
        return None


def _not_ready() -> str:
    """Return why the service takes no commands; "": it takes commands."""
    try:
        ask("/readyz")
    except ApiFailed as error:
        problem = msgspec.json.decode(error.response.get_data())
        return str(problem["detail"] or problem["title"])
    return ""
