"""A request, and what has become known of it."""

from typing import cast

import flask
from flask import request
from msgspec import Struct

from service.http.keybook import Scope


class Asker(Struct, frozen=True):
    """An *owner* ("": nobody, a spectator), by one of its keys.

    *has_ended*: the key may repeat its own commands and nothing else.
    """

    owner: str = ""
    scopes: frozenset[Scope] = frozenset()
    key_id: bytes = b""
    has_ended: bool = False

    @property
    def reads_all(self) -> bool:
        """Whether tables that are not public may be known too."""
        return "audit" in self.scopes


class Visit(flask.Request):
    """A request under its id, with who asks and about what as soon as that is known."""

    request_id = ""
    started = 0.0
    """Seconds of `Entropy.monotonic`."""
    asker: Asker | None = None
    table = ""
    position = 0


def visit() -> Visit:
    """Return the request that is being answered."""
    return cast("Visit", request._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001 -- werkzeug's word
