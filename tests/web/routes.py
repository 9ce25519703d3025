"""The routes of all pages, from the app itself, so that no test forgets a new page."""

from functools import cache
from typing import cast

from flask import Flask
from werkzeug.routing import Rule

from service.web import pages_app
from service.web.asking.viewer import PageParts
from service.web.front_door import FrontDoor


def pages_of(app: Flask) -> Flask:
    """Return the app that answers with pages beside the API of *app*."""
    door = app.wsgi_app
    assert isinstance(door, FrontDoor)
    return cast("Flask", door._pages.__self__)  # type: ignore[attr-defined]  # a bound method of the app


@cache
def pages_rules() -> tuple[Rule, ...]:
    """Return all routes of the pages."""
    app = pages_app.make(cast("PageParts", None))  # this app only lists its routes
    return tuple(sorted(app.url_map.iter_rules(), key=lambda one: one.rule))
