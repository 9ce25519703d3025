"""What a request costs of the caller's rate limit: 1 unit, and more where it reads or computes much (DECISIONS 58)."""

from typing import Final

from service.http.request.context import request_context

EVENTS_PER_UNIT: Final = 100
"""Each so many events in an answer cost 1 unit more; one page of events costs as much as a plain request."""
LINES_PER_UNIT: Final = 50
"""Each so many postings, hands, tables or keys in an answer cost 1 unit more."""
JUDGED_EVENTS_PER_UNIT: Final = 2
"""Each so many events of a hand that is decided again cost 1 unit more."""
BYTES_PER_UNIT: Final = 50_000
"""Each so many bytes of the OpenAPI document, or of a file of `/docs`, cost 1 unit more."""
PAST_STATE_UNITS: Final = 5
"""The state of a table at an earlier position costs so many units more."""


def add(cost: int) -> None:
    """Add *cost* units to the request; they are counted with its answer, whatever its status."""
    request_context().cost += cost


def charge(cost: int) -> float:
    """Count *cost* units at once for the reader of a stream; return for how many seconds the stream must pause."""
    return request_context().charge(cost)
