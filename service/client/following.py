"""Follows a table: yields its events in order as one unbroken chain, and waits for the next event."""

from collections.abc import Generator
from typing import Final

import msgspec
from msgspec import Raw, Struct

from service.client import ways_to_wait
from service.client.client_errors import LogContradiction
from service.client.connection.sent_messages import MESSAGE
from service.client.endpoints import Api
from service.client.hand_answers import Event, Leaf
from service.client.kept.event_chain import HistoryDiffers, checked_hash
from service.client.ways_to_wait import Wait

_END: Final = "end"


class ShownEvent(Struct, frozen=True):
    """An event as the server shows it."""

    leaf: Raw
    hash: str


class _Page(Struct, frozen=True):
    items: tuple[ShownEvent, ...]
    has_more: bool
    position: int
    is_over: bool


class _Chain:
    """The events of a table after the position *after*; the event at *after* has the hash *after_hash* ("": any)."""

    def __init__(self, table: str, after: int, after_hash: str) -> None:
        self._table = table
        self.after = after
        self._after_hash = after_hash

    def next(self, item: ShownEvent) -> Event:
        """Return *item*, which must be the next event.

        Raises:
            LogContradiction: *item* is another event, or does not continue the event before it, or its hash is wrong.
        """
        event = checked_event(item, self._table, self.after + 1, self._after_hash)
        self.after, self._after_hash = event.leaf.position, event.hash
        return event

    def must_go_on(self, page: _Page) -> None:
        """Check that the table of *page* still has the last event that the server has shown.

        Raises:
            LogContradiction: the log was cut, or the page is empty although there are more events.
        """
        if page.position >= self.after and (page.items or not page.has_more):
            return
        lie = (
            f"the table ends at {page.position}" if page.position < self.after else "there are more, but it shows none"
        )
        shown = f"The server has shown an event of {self._table} at position {self.after}"
        raise LogContradiction("event_must_stay", f"{shown}, and now {lie}.")


def follow(  # noqa: PLR0913 -- the parameters say what to follow, from where, and how to wait
    api: Api,
    table: str,
    *,
    after: int = 0,
    after_hash: str = "",
    wait: Wait = "polls",
    wait_seconds: int = 30,
) -> Generator[Event, None, None]:
    """Yield the events of a table after the position *after*, until play has ended.

    Each event must name the hash of the event before it, and the first one must name *after_hash* ("": any). A program
    that starts again can pass the position and the hash of the last event that it handled: so it misses no event, gets
    no event twice, and notices a changed history.

    *wait* says how to wait for the next event: by long polls of at most *wait_seconds* each ("polls"), by a stream over
    a separate connection ("stream"), or not at all ("never": the iterator ends after the last recorded event).

    Raises:
        Problem, ServerGone: the server refused a request, or did not answer.
        LogContradiction: an event is missing or changed, does not continue the event before it, or the log was cut.
        ClientMisused: *wait* is none of these three words.
    """
    ways_to_wait.must_be_known(wait)
    path, chain = f"/v1/tables/{table}/events", _Chain(table, after, after_hash)
    poll_seconds = wait_seconds if wait == "polls" else 0
    while True:
        page = ways_to_wait.page(api.client, path, _Page, after=chain.after, wait_seconds=poll_seconds)
        chain.must_go_on(page)
        for item in page.items:
            yield chain.next(item)
        if page.has_more:
            continue
        if page.is_over or wait == "never":
            return
        if wait == "stream":
            for message in ways_to_wait.streamed(api.client, path, str(chain.after)):
                if message.event == _END:
                    break  # The next page says that play has ended.
                if message.event == MESSAGE and message.data:
                    yield chain.next(ways_to_wait.decoded(message, ShownEvent))


def checked_event(item: ShownEvent, table: str, position: int, before: str) -> Event:
    """Return *item*, the event at *position*, after checking it; *before* is the hash of the event before it.

    Raises:
        LogContradiction: *item* is another event, or does not continue the event before it, or its hash is wrong.
    """
    try:
        found = checked_hash(bytes(item.leaf), table, position, before)
        event = Event(msgspec.json.decode(item.leaf, type=Leaf), item.hash)
    except (HistoryDiffers, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LogContradiction("event_must_stay", str(error)) from error
    if found != item.hash:
        raise LogContradiction("event_must_stay", f"The hash of the event of {table} at position {position} is wrong.")
    return event
