"""Follows a table: yields its events in order, and waits for the next one."""

from collections.abc import Iterator
from threading import Event as Flag
from typing import Final

from service.client.client import NO_WAITING_SLOT
from service.client.client_errors import Problem
from service.client.endpoints import Api
from service.client.hand_answers import Event

_PAUSE_SECONDS: Final = 1.0


def follow(api: Api, table: str, *, after: int = 0, wait_seconds: int = 30) -> Iterator[Event]:
    """Yield the events of a table after the position *after*, until the table is over.

    Each request waits for at most *wait_seconds*. If a program that starts again passes the position
    of the last event that it handled as *after*, it misses no event and gets none twice.

    Raises:
        Problem, ServerGone: the server refused a request, or did not answer.
    """
    while True:
        try:
            page = api.events(table, after=after, wait_seconds=wait_seconds)
        except Problem as problem:
            if problem.code != NO_WAITING_SLOT:
                raise
            Flag().wait(_PAUSE_SECONDS)  # Other clients have taken all waiting slots.
            page = api.events(table, after=after, wait_seconds=0)
        yield from page.items
        after = page.next
        if page.is_over and not page.has_more:
            return
