"""`/disputes`: the viewer's disputes, or all for an auditor or approver; `/tables/{table}/disputes`: one table's."""

from urllib.parse import urlencode

from flask import Blueprint, render_template, request

from service.web.asking.viewer import ask, viewer
from service.web.drawing.disputes import dispute_words

pages = Blueprint("all_disputes_page", __name__)


@pages.get("/disputes")
def get_disputes_page() -> str:
    """Return the list of disputes that wait for a step, or of closed disputes, the oldest first.

    A spectator gets a page without a list.
    """
    looking = viewer()
    if not looking.owner:
        return render_template("disputes/none.html")
    reads_all = not looking.scopes.isdisjoint({"audit", "approve"})
    chosen = {name: request.args[name] for name in ("closed", "mine", "limit") if request.args.get(name)}
    query = chosen if reads_all else {**chosen, "mine": "true"}
    listed = ask("/v1/disputes", {**query, "after": request.args.get("after", "")})
    return render_template(
        "disputes/list.html",
        listed=listed,
        table=None,
        chosen={"closed": "", "mine": "", **query},
        reads_all=reads_all,
        words=dispute_words,
        next_page=f"/disputes?{urlencode({**chosen, 'after': listed['next']})}",
    )


@pages.get("/tables/<table>/disputes")
def get_table_disputes_page(table: str) -> str:
    """Return the list of the disputes of one table, in the order of their numbers."""
    listed = ask(f"/v1/tables/{table}/disputes", {"after": request.args.get("after", "")})
    return render_template(
        "disputes/list.html",
        listed=listed,
        table=table,
        chosen={},
        reads_all=False,
        words=dispute_words,
        next_page=f"/tables/{table}/disputes?{urlencode({'after': listed['next']})}",
    )
