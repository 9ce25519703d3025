"""`/tables/{table}/flow`: who paid whom, over a hand or a game."""

from flask import Blueprint, render_template, request

from service.web.asking.viewer import ask
from service.web.drawing.plots.flow_bands import flow_drawing
from service.web.drawing.plots.flow_sums import matrices

pages = Blueprint("flow_page", __name__)


@pages.get("/tables/<table>/flow")
def get_flow_page(table: str) -> str:
    """Return the page with the flows of a hand, or of the game so far."""
    hand = request.args.get("hand", "")
    flows = ask(f"/v1/tables/{table}/flows", {"hand": hand})
    found = [(matrix, flow_drawing(matrix)) for matrix in matrices(flows["items"])]
    return render_template("figures/flow.html", table=ask(f"/v1/tables/{table}"), flows=flows, found=found)
