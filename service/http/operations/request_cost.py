"""What a request weighs beside others: 1, and more where it reads or computes much."""

from typing import Final

from service.http.request.context import request_context

EVENTS_PER_UNIT: Final = 100
"""So many events in an answer weigh 1 more; a look at a page of them costs what a plain request does."""
LINES_PER_UNIT: Final = 50
"""So many postings, hands, tables or keys in an answer weigh 1 more."""
JUDGED_EVENTS_PER_UNIT: Final = 2
"""So many events of a hand that is decided again weigh 1 more."""
BYTES_PER_UNIT: Final = 50_000
"""So many bytes of the interface's document, and of the files of `/docs`, weigh 1 more."""
PAST_STATE_UNITS: Final = 5
"""A look at a table as it stood at a position of the past weighs so much more."""


def add(cost: int) -> None:
    """Let the request weigh so much more; it is counted with the answer, whatever comes of it."""
    request_context().cost += cost


def charge(cost: int) -> float:
    """Count *cost* more for whoever reads a stream; return for how many seconds the stream must pause."""
    return request_context().charge(cost)
