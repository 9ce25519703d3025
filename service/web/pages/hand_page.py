"""`/tables/{table}/hands/{hand}`: the hand as a case, with its cards, decisions, payouts and proofs."""

import re
from typing import Final

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from service.web.asking.viewer import parts, viewer
from service.web.case import case_answers
from service.web.case.hand_case import case

pages = Blueprint("hand_page", __name__)

_SEAT: Final = re.compile("[0-9]{1,9}")


@pages.get("/tables/<table>/hands/<int(max=2147483647):hand>")
def get_hand_page(table: str, hand: int) -> str:
    """Return the page of a hand for the seat in the query, else the viewer's own seat, else the seat that lost most."""
    seat = request.args.get("seat", "")
    answers = case_answers.answers(table, hand)
    return render_template("hand.html", case=case(answers, int(seat) if _SEAT.fullmatch(seat) else 0))


@pages.get("/tables/<table>/hands/<int(max=2147483647):hand>/dossier")
def get_hand_dossier(table: str, hand: int) -> Response:
    """Return the dossier of a hand."""
    return parts().api.call("GET", f"/v1/tables/{table}/hands/{hand}/dossier", key_id=viewer().key_id)
