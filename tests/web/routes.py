"""The routes of all pages, from the app itself: so no test forgets a new page."""

from typing import TYPE_CHECKING, cast

from werkzeug.routing import Rule

from service.web.front_door import FrontDoor
from tests.http.service import Service

if TYPE_CHECKING:
    from flask import Flask


def pages_app(service: Service) -> "Flask":
    """Return the app that answers with pages."""
    door = service.app.wsgi_app
    assert isinstance(door, FrontDoor)
    return cast("Flask", door._pages.__self__)  # type: ignore[attr-defined]  # a bound method of the app


def rules(service: Service) -> list[Rule]:
    """Return all routes of the pages' app."""
    return sorted(pages_app(service).url_map.iter_rules(), key=lambda one: one.rule)
