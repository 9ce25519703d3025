"""`/tables/{table}/hands/{hand}`: the hand as a case, with its cards, decisions, payouts and proofs."""

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from service.web.asking.viewer import ask, parts, viewer

pages = Blueprint("hand_page", __name__)


@pages.get("/tables/<table>/hands/<int:hand>")
def get_hand_page(table: str, hand: int) -> str:
    """Return the page of a hand."""
    case = ask(f"/v1/tables/{table}/hands/{hand}")
    verdict = ask(f"/v1/tables/{table}/hands/{hand}/adjudication")
    return render_template("hand.html", case=case, verdict=verdict)


@pages.get("/tables/<table>/hands/<int:hand>/dossier")
def get_hand_dossier(table: str, hand: int) -> Response:
    """Return the dossier of a hand."""
    return parts().api.call("GET", f"/v1/tables/{table}/hands/{hand}/dossier", key_id=viewer().key_id)
