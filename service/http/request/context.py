"""The request context: a request with its id, its caller, and what the service logs and counts about it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, cast

import flask
from flask import request
from msgspec import Struct

from service.api_keys.repository import Scope

if TYPE_CHECKING:
    from service.http.operations.in_flight import InFlightRequest


_OF_AUDITS: Final = frozenset({"audit", "approve"})
"""A key with one of these scopes may see every private table or, if the key is limited, the tables of its limits."""


class Caller(Struct, frozen=True):
    """The sender of a request, and its key. Without a key, the caller is a spectator, and all members are empty.

    - *owner*: the owner of the key.
    - *ended_at*: the time when the key ended; "": the key has not ended. An ended key may only repeat commands that
      were recorded before its end.
    - *limits*: the tables (`tbl_…`) and disputes (`tbl_…/2`) to which the key is limited; empty: no limit.
    - *made_by*: the owner whose key made this key, or `OPERATOR` or `SERVICE` of `service.api_keys.repository`.
    """

    owner: str = ""
    scopes: frozenset[Scope] = frozenset()
    key_id: bytes = b""
    ended_at: str = ""
    made_by: str = ""
    limits: frozenset[str] = frozenset()

    @property
    def has_ended(self) -> bool:
        """Whether the key has ended, and so can only repeat earlier commands."""
        return bool(self.ended_at)

    @property
    def reads_all(self) -> bool:
        """Whether the caller may see every table, private ones too: to audit it, or to approve corrections there."""
        return not self.limits and not self.scopes.isdisjoint(_OF_AUDITS)

    def audits(self, table: str) -> bool:
        """Return whether the caller may see *table*, even if it is private, because of the key's scope."""
        is_named = table in self.limits or any(limit.startswith(f"{table}/") for limit in self.limits)
        return self.reads_all or (is_named and not self.scopes.isdisjoint(_OF_AUDITS))

    def judges(self, table: str, dispute: int) -> bool:
        """Return whether the key's limits include *dispute* or *table*, or the key has no limits.

        *dispute* 0 means all disputes of *table*: then a limit to one dispute is not enough.
        """
        return not self.limits or not self.limits.isdisjoint({table, f"{table}/{dispute}"})

    def reads_statements(self, table: str, dispute: int = 0) -> bool:
        """Return whether the key permits an owner who is no party to read the statements of *dispute*.

        *dispute* 0 means all disputes of *table*.
        """
        return "audit" in self.scopes and self.judges(table, dispute)


class RequestContext(flask.Request):
    """A Flask request with data of this service; each member is set as soon as its value is known."""

    request_id = ""
    started = 0.0
    """When the request began, in seconds of `Clock.monotonic`."""
    is_running = False
    """Whether the metric of requests in flight counts this request."""
    has_slot = False
    """Whether the request has a worker slot."""
    in_flight: "InFlightRequest | None" = None
    is_streaming = False
    """Whether the response is a stream, which is written after the view has returned."""
    caller: Caller | None = None
    key_is_refused = False
    """Whether the key was found invalid; an invalid key is not looked up again."""
    cost = 1
    """The number of units that this request counts against the rate limit."""
    charge: Callable[[int], float] = staticmethod(lambda _: 0.0)
    """Counts units against the rate limit immediately; returns for how many seconds a stream must pause."""
    must_be_within_limit: Callable[[], None] = staticmethod(lambda: None)
    """Refuses the request if the rate limit was used up since the request was counted."""
    has_turn = False
    """Whether it is this request's turn: it has passed the queue of expensive requests, and may compute now."""
    rate = ("", "")
    """The values of the header fields on the rate limit of the request: policy and state; empty: there is no limit."""
    table = ""
    position = 0
    first = 0
    """The position of the command's first event; `position` is then the position of its last event."""


def request_context() -> RequestContext:
    """Return the request that this thread answers."""
    return cast("RequestContext", request._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001 -- werkzeug's name
