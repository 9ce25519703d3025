"""`/tables/{table}`: the table as it stands, or as it stood at a position."""

from flask import Blueprint, render_template, request

from service.web.asking.viewer import ask

pages = Blueprint("table_page", __name__)


@pages.get("/tables/<table>")
def get_table_page(table: str) -> str:
    """Return the page of a table."""
    at = request.args.get("at", "")
    return render_template("table.html", table=ask(f"/v1/tables/{table}", {"at": at}), at=at)
