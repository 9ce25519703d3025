"""`/`: what this service is, its latest tables, and the state of its log."""

from flask import Blueprint, render_template

from service.web.asking.viewer import ask

pages = Blueprint("front_page", __name__)

_LATEST = 10


@pages.get("/")
def get_front_page() -> str:
    """Return the first page."""
    games = ask("/v1/games")["items"]
    tables = ask("/v1/tables", {"limit": _LATEST})["items"]
    return render_template("front.html", games=games, tables=tables)
