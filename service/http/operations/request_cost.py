"""The cost of a request against a rate limit: 1 unit, or more if it reads or computes much (DECISIONS 58)."""

from typing import Final

from service.http.request.context import request_context

EVENTS_PER_UNIT: Final = 100
"""Reading this many events for a page or a stream costs 1 more unit; reading fewer events costs nothing more."""
LINES_PER_UNIT: Final = 50
"""Listing this many postings, hands, tables or keys costs 1 more unit; listing fewer costs nothing more."""
JUDGED_EVENTS_PER_UNIT: Final = 2
"""Deciding this many events of a hand again costs 1 more unit."""
MEASURED_EVENTS_PER_UNIT: Final = 10
"""Reading this many events for the figures of players costs 1 more unit."""
EXPORTED_EVENTS_PER_UNIT: Final = 25
"""Writing this many events of a table as a journal, a sheet or a text costs 1 more unit."""
BYTES_PER_UNIT: Final = 50_000
"""Sending this many bytes of the OpenAPI document, or of a file of `/docs`, costs 1 more unit."""
DOSSIER_BYTES_PER_UNIT: Final = 10_000
"""Making this many bytes of a dossier costs 1 more unit."""
PAST_STATE_UNITS: Final = 5
"""Computing the state of a table at an earlier position costs this many more units."""


def add(cost: int) -> None:
    """Add *cost* units to the request; the units are counted when the service answers, whatever the status is."""
    request_context().cost += cost


def charge(cost: int) -> float:
    """Count *cost* units immediately, for the reader of a stream; return for how many seconds the stream must pause."""
    return request_context().charge(cost)
