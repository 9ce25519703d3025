"""`/tables/{table}`: the table now, or at an earlier position, with the events around this position."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from flask import Blueprint, redirect, render_template, request, url_for
from msgspec import Struct
from werkzeug.wrappers import Response

from service.web.asking.api_caller import ApiFailed
from service.web.asking.shared_drawings import Shared
from service.web.asking.viewer import ask, parts, viewer
from service.web.drawing import event_lines, rule_links, table_drawing
from service.web.drawing.event_lines import EventLine

pages = Blueprint("table_page", __name__)

_BEFORE: Final = 10
_AFTER: Final = 5
_LATEST: Final = 40
"""The number of events that are read for the present table: enough for the last decision and its consequences."""
_LISTED: Final = _BEFORE + _AFTER + 1
_DAMAGED: Final = "table_must_be_intact"
_MOST_DIGITS: Final = 10


class Shown(Struct, frozen=True, kw_only=True):
    """The data of a table that the API shows the viewer: at the position *at*, or now if *at* is 0.

    *last* is the table's latest position. *damaged_at* is the first position that can't be trusted, or 0.
    """

    table: Mapping[str, Any]
    at: int
    last: int
    lines: list[EventLine]
    damaged_at: int = 0

    def names(self) -> dict[str, Any]:
        """Return the variables of the templates, by name."""
        transfers = (
            [transfer for line in self.lines if line.position == self.at for transfer in line.transfers]
            if self.at
            else event_lines.last_command(self.lines)
        )
        return {
            "table": self.table,
            "drawn": table_drawing.draw(self.table, transfers),
            "at": self.at,
            "position": self.table["position"],
            "last": self.last,
            "lines": self.lines if self.at else self.lines[-_LISTED:],
            "transfers": transfers,
            "rule_link": rule_links.link,
            "damaged_at": self.damaged_at,
        }


@pages.get("/tables/<table>")
def get_table_page(table: str) -> str:
    """Return the page of a table."""
    return render_template("table.html", **look(table, _at(table)).names())


@pages.get("/tables/<table>/drawing")
def get_drawing(table: str) -> Response:
    """Return the part of the page that changes from position to position, for the page's script.

    If the query has `at`, the part shows the table at this position. Otherwise it shows the present table, at the
    position `least` or later.
    """
    at = _at(table)
    if at or viewer().key_id:
        html = _drawing(look(table, at))
    else:
        html = parts().shared_drawings.get(table, _whole("least"), lambda: _shared(table))
    return Response(html, content_type="text/html; charset=utf-8")


@pages.get("/tables/<table>/hands")
def find_hand(table: str) -> Response:
    """Send a browser to the page of the hand that a form names."""
    return redirect(url_for("hand_page.get_hand_page", table=table, hand=_whole("hand")), 303)


def look(table: str, at: int) -> Shown:
    """Return the data of *table* that the API shows the viewer: at position *at*, or now if *at* is 0.

    If the table's stream is damaged, and *at* is 0 or not before the damage, return the table right before the damage.

    Raises:
        ApiFailed: the API answers with a problem.
    """
    damaged_at = 0
    try:
        view = ask(f"/v1/tables/{table}", {"at": at})
    except ApiFailed as failed:
        problem = msgspec.json.decode(failed.response.get_data())
        damaged_at = problem.get("position", 0) if problem["code"] == _DAMAGED else 0
        if damaged_at <= 1 or 0 < at < damaged_at:
            raise
        at = damaged_at - 1
        view = ask(f"/v1/tables/{table}", {"at": at})
    after, most = (at - _BEFORE - 1, _LISTED) if at else (view["position"] - _LATEST, _LATEST)
    events = ask(f"/v1/tables/{table}/events", {"after": max(0, after), "limit": most})
    told = event_lines.lines(view["game"], events["items"])
    if not at:  # an event may have been recorded between the two answers
        told = [line for line in told if line.position <= view["position"]]
    last = damaged_at - 1 if damaged_at else max(view["position"], events["position"] if at else 0)
    return Shown(table=view, at=at, last=last, lines=told, damaged_at=damaged_at)


def _shared(table: str) -> Shared:
    shown = look(table, 0)
    return Shared(_drawing(shown), shown.table["position"])


def _drawing(shown: Shown) -> str:
    return render_template("drawing.html", **shown.names())


def _at(table: str) -> int:
    """Return the position of *table* that the request asks for; 0: the present position.

    Raises:
        ApiFailed: `at` in the request is no position.
    """
    sent = request.args.get("at", "")
    if sent and not _is_whole(sent):
        ask(f"/v1/tables/{table}", {"at": sent})
    return int(sent or 0)


def _whole(name: str) -> int:
    """Return the whole number *name* in the query; 0: there is no such number."""
    sent = request.args.get(name, "")
    return int(sent) if _is_whole(sent) else 0


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
