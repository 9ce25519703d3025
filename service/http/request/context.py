"""A request, and what has become known of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import flask
from flask import request
from msgspec import Struct

from service.api_keys.repository import Scope

if TYPE_CHECKING:
    from service.http.operations.in_flight import InFlightRequest


class Caller(Struct, frozen=True):
    """An *owner* ("": nobody, a spectator), by one of its keys.

    *ended_at* is when the key ended, "" where it has not: what was done up to then it may repeat, and nothing else.
    *made_by* is the owner whose key made the key.
    """

    owner: str = ""
    scopes: frozenset[Scope] = frozenset()
    key_id: bytes = b""
    ended_at: str = ""
    made_by: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether the key can do nothing new."""
        return bool(self.ended_at)

    @property
    def reads_all(self) -> bool:
        """Whether tables that are not public may be known too."""
        return "audit" in self.scopes


class RequestContext(flask.Request):
    """A request under its id, with who asks and about what as soon as that is known."""

    request_id = ""
    started = 0.0
    """Seconds of `Clock.monotonic`."""
    is_running = False
    """It is counted among those that are being answered."""
    has_slot = False
    """It has one of the slots in which requests work."""
    in_flight: "InFlightRequest | None" = None
    is_streaming = False
    """Its answer goes on being written when everything else about it is done."""
    caller: Caller | None = None
    key_is_refused = False
    """A key came that is not valid; it is not looked for again."""
    cost = 1
    """How many requests it counts as."""
    charge: Callable[[int], float] = staticmethod(lambda _: 0.0)
    """Counts more for whoever asks; returns how many seconds must pass before more should be asked for."""
    must_be_within_limit: Callable[[], None] = staticmethod(lambda: None)
    """Refuses the request where whoever asks has used up meanwhile what they may ask."""
    has_turn = False
    """No other dear request of the same parties works beside it."""
    rate = ("", "")
    """Policy and state of the limit that the request was counted under; empty: under none."""
    table = ""
    position = 0
    first = 0
    """The position of the first event that the request made or told again, *position* being that of the last."""


def request_context() -> RequestContext:
    """Return the request that is being answered."""
    return cast("RequestContext", request._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001 -- werkzeug's word
