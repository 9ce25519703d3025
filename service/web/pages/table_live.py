"""`/tables/{table}/live`: the events of a table as they come, for the script of the table's page."""

# DECISIONS 113

from collections.abc import Callable, Iterator
from typing import Final

from flask import Blueprint, request
from werkzeug.wrappers import Response

from service.web.asking.viewer import Viewer, parts, viewer

pages = Blueprint("table_live", __name__)

_KEPT: Final = ("Content-Type", "Cache-Control", "X-Accel-Buffering")
"""The headers that the route's answer copies from the API's answer."""


@pages.get("/tables/<table>/live")
def get_live_events(table: str) -> Response:
    """Return the API's stream of Server-Sent Events for the viewer.

    A browser's EventSource can't send a key, so the page's script reads this stream instead of the API's stream. Like
    the API's stream, this stream takes a waiting slot of the viewer, and ends when the viewer's key ends. This stream
    also ends when the viewer signs out.
    """
    headers = {"Accept": "text/event-stream"}
    if last := request.headers.get("Last-Event-ID", ""):
        headers["Last-Event-ID"] = last
    who = viewer()
    query = {"after": request.args.get("after", "")}
    path = f"/v1/tables/{table}/events"
    answer = parts().api.call("GET", path, query, key_id=who.key_id, headers=headers, is_stream=True)
    sessions = parts().sessions
    passed = _until_signed_out(answer, lambda: _is_signed_in(who, sessions.key_of))
    kept = {name: answer.headers[name] for name in _KEPT if name in answer.headers}
    response = Response(passed, answer.status_code, {**kept, "Vary": "Cookie"})
    response.call_on_close(answer.close)
    return response


def _until_signed_out(answer: Response, is_signed_in: Callable[[], bool]) -> Iterator[bytes]:
    """Yield what *answer* sends until the viewer has signed out; *answer* sends something every few seconds."""
    for sent in answer.iter_encoded():
        if not is_signed_in():
            return
        yield sent


def _is_signed_in(who: Viewer, key_of: Callable[[str], bytes]) -> bool:
    """Return whether the browser of *who* is still signed in for the same key; for a spectator, return True."""
    return not who.key_id or key_of(who.token) == who.key_id
