"""The cost of a request against a rate limit: 1 unit, or more if it reads or computes much (DECISIONS 58)."""

from typing import Final

from service.http.request.context import request_context

EVENTS_PER_UNIT: Final = 100
"""The number of events in an answer that costs 1 more unit. A smaller page costs as much as a plain request."""
LINES_PER_UNIT: Final = 50
"""The number of postings, hands, tables or keys in an answer that costs 1 more unit."""
JUDGED_EVENTS_PER_UNIT: Final = 2
"""The number of events of a hand that costs 1 more unit when the hand is decided again."""
BYTES_PER_UNIT: Final = 50_000
"""The number of bytes of the OpenAPI document, or of a file of `/docs`, that costs 1 more unit."""
PAST_STATE_UNITS: Final = 5
"""The additional units of a request for the state of a table at an earlier position."""


def add(cost: int) -> None:
    """Add *cost* units to the request; they are counted when it is answered, whatever the status."""
    request_context().cost += cost


def charge(cost: int) -> float:
    """Count *cost* units at once for the reader of a stream; return for how many seconds the stream must pause."""
    return request_context().charge(cost)
