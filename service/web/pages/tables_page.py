"""`/tables`: the tables that the viewer may see, page by page."""

from urllib.parse import urlencode

from flask import Blueprint, render_template, request

from service.web.asking.viewer import ask

pages = Blueprint("tables_page", __name__)

_CHOICES = ("game", "status", "mine", "invited", "limit")


@pages.get("/tables")
def get_tables_page() -> str:
    """Return a page of the list of tables; its URL says which tables are on the list."""
    chosen = {name: request.args[name] for name in _CHOICES if request.args.get(name)}
    after = request.args.get("after", "")
    listed = ask("/v1/tables", {"limit": 50, **chosen, "after": after})
    return render_template(
        "tables.html",
        listed=listed,
        games=ask("/v1/games")["items"],
        query={"game": "", "status": "", "mine": "", "invited": "", **chosen, "after": after},
        is_filtered=bool(chosen or after),
        first_page=f"/tables?{urlencode(chosen)}",
        next_page=f"/tables?{urlencode({**chosen, 'after': listed['next']})}",
    )
