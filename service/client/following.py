"""Follows a table: yields its events in order as one unbroken chain, and waits for the next one."""

from collections.abc import Iterator
from threading import Event as Flag
from typing import Final

import msgspec
from msgspec import Raw, Struct

from service.client.client import NO_WAITING_SLOT, Client
from service.client.client_errors import LogContradiction, Problem
from service.client.endpoints import Api
from service.client.hand_answers import Event, Leaf
from service.client.kept.event_chain import HistoryDiffers, checked_hash

_PAUSE_SECONDS: Final = 1.0
_MOST: Final = 1000


class _Item(Struct, frozen=True):
    leaf: Raw
    hash: str


class _Page(Struct, frozen=True):
    items: tuple[_Item, ...]
    has_more: bool
    position: int
    is_over: bool


def follow(api: Api, table: str, *, after: int = 0, after_hash: str = "", wait_seconds: int = 30) -> Iterator[Event]:
    """Yield the events of a table after the position *after*, until the table is over.

    Each event must name the hash of the event before it, and the first one must name *after_hash* ("": any). Each
    request waits for at most *wait_seconds*. If a program that starts again passes the position and the hash of the
    last event that it handled, it misses no event, gets none twice, and finds a changed history.

    Raises:
        Problem, ServerGone: the server refused a request, or did not answer.
        LogContradiction: an event is missing or changed, does not continue the event before it, or the log was cut.
    """
    while True:
        page = _page(api.client, table, after, wait_seconds)
        if page.position < after or (page.has_more and not page.items):
            shown = f"The server has shown an event of {table} at position {after}, and now"
            lie = f"the table ends at {page.position}" if page.position < after else "there are more, but it shows none"
            raise LogContradiction("event_must_stay", f"{shown} {lie}.")
        for item in page.items:
            event = _event(item, table, after + 1, after_hash)
            after, after_hash = event.leaf.position, event.hash
            yield event
        if page.is_over and not page.has_more:
            return


def _page(client: Client, table: str, after: int, wait_seconds: int) -> _Page:
    path = f"/v1/tables/{table}/events"
    try:
        return client.get(path, _Page, after=after, wait=wait_seconds, limit=_MOST)
    except Problem as problem:
        if problem.code != NO_WAITING_SLOT:
            raise
        Flag().wait(_PAUSE_SECONDS)  # Other clients have taken all waiting slots.
        return client.get(path, _Page, after=after, limit=_MOST)


def _event(item: _Item, table: str, position: int, before: str) -> Event:
    """Return *item* as an event, which must be that at *position*; *before* is the hash of the event before it.

    Raises:
        LogContradiction: it is another event, or does not continue the event before, or its hash is wrong.
    """
    try:
        found = checked_hash(bytes(item.leaf), table, position, before)
        event = Event(msgspec.json.decode(item.leaf, type=Leaf), item.hash)
    except (HistoryDiffers, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LogContradiction("event_must_stay", str(error)) from error
    if found != item.hash:
        raise LogContradiction("event_must_stay", f"The hash of the event of {table} at position {position} is wrong.")
    return event
