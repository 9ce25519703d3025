"""`/tables`: the tables that the viewer may see, page by page."""

from flask import Blueprint, render_template, request

from service.web.asking.viewer import ask

pages = Blueprint("tables_page", __name__)

_FILTERS = ("game", "status", "after", "limit")


@pages.get("/tables")
def get_tables_page() -> str:
    """Return a page of the list of tables."""
    query = {name: request.args[name] for name in _FILTERS if name in request.args}
    return render_template("tables.html", listed=ask("/v1/tables", query), query=query)
