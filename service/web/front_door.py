"""Sends each request to the pages or to the API, by the first segment of its path."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROOMS: Final = frozenset(
    {"", "assets", "check", "disputes", "operations", "play", "rules", "sign-in", "sign-out", "tables"}
)
"""The first segments of the paths of pages. All other paths belong to the API."""


class FrontDoor:
    """The application of a process: *pages* beside *api*."""

    def __init__(self, api: "WSGIApplication", pages: "WSGIApplication") -> None:
        self._api = api
        self._pages = pages

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer the request of *environ*."""
        first = environ.get("PATH_INFO", "").removeprefix("/").partition("/")[0]
        return (self._pages if first in ROOMS else self._api)(environ, start_response)
