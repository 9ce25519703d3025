"""The feed of an owner: yields the events of all the owner's tables in the log's order, and waits for new events."""

import logging
import re
from collections.abc import Generator
from typing import Final

import msgspec
from msgspec import Struct

from service.client import ways_to_wait
from service.client.client_errors import LogContradiction, NotTheApi
from service.client.connection.sent_messages import MESSAGE
from service.client.endpoints import Api
from service.client.following import ShownEvent, checked_event
from service.client.hand_answers import FeedEvent
from service.client.ways_to_wait import Wait

_PATH: Final = "/v1/feed"
_BROKEN: Final = "broken"
_CURSOR: Final = re.compile("([0-9]{1,15})-[0-9a-f]{16}", re.ASCII)
_LOG: Final = logging.getLogger("service.client")


class _Item(ShownEvent, frozen=True):
    table: str
    index: int
    cursor: str
    table_added: int


class _Broken(Struct, frozen=True):
    table: str
    position: int
    why: str


class _Page(Struct, frozen=True):
    items: tuple[_Item, ...]
    broken: tuple[_Broken, ...]
    has_more: bool
    next: str


class _Placed(Struct, frozen=True):
    position: int


class _Place:
    """How far a feed was read: the events up to *cursor*."""

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor
        match = _CURSOR.fullmatch(cursor)  # The server refuses a malformed cursor.
        self._index = int(match[1]) if match else -1
        self._heads: dict[str, tuple[int, str]] = {}
        self._broken: set[str] = set()

    def next(self, item: _Item) -> FeedEvent:
        """Return *item*, which must be a later event of the feed.

        Raises:
            LogContradiction: the index of *item* is not above the last index, or differs from the index in its cursor;
                or *item* is malformed, is not a later event of its table, does not continue the event before it, or has
                a wrong hash.
            NotTheApi: the cursor of *item* is malformed.
        """
        if item.index <= self._index or _index_of(item.cursor) != item.index:
            raise LogContradiction("feed_must_be_in_order", f"Index {item.index} came after index {self._index}.")
        try:
            position = msgspec.json.decode(item.leaf, type=_Placed).position
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise LogContradiction("event_must_stay", f"An event of {item.table} is no leaf: {error}.") from error
        last, last_hash = self._heads.get(item.table, (0, ""))
        if position <= last:
            why = f"The server has shown an event of {item.table} at position {last}, and now one at {position}."
            raise LogContradiction("event_must_stay", why)
        event = checked_event(item, item.table, position, last_hash if position == last + 1 else "")
        self._heads[item.table] = position, event.hash
        self.cursor, self._index = item.cursor, item.index
        return FeedEvent(
            leaf=event.leaf,
            hash=event.hash,
            table=item.table,
            index=item.index,
            cursor=item.cursor,
            table_added=item.table_added,
        )

    def go_on(self, cursor: str, least: int) -> None:
        """Go on after *cursor*; from the present place to *cursor* the feed has no event.

        Raises:
            LogContradiction: the index of *cursor* is below *least*, or below the last index.
            NotTheApi: *cursor* is malformed.
        """
        index = _index_of(cursor)
        if index < max(least, self._index):
            raise LogContradiction("feed_must_be_in_order", f"Index {index} came after index {self._index}.")
        self.cursor, self._index = cursor, index

    @property
    def following(self) -> int:
        """The index after the last index that was read."""
        return self._index + 1

    def warn(self, broken: _Broken) -> None:
        """Warn once that the feed has no further events of a table."""
        if broken.table not in self._broken:
            self._broken.add(broken.table)
            _LOG.warning(
                "The server's log of %s is damaged at position %d, so the feed leaves out its events from there on: %s",
                broken.table,
                broken.position,
                broken.why,
            )


def feed(
    api: Api, *, after: str = "", wait: Wait = "polls", wait_seconds: int = 30
) -> Generator[FeedEvent, None, None]:
    """Yield the events of all tables that the owner of the key hosts, plays at or is invited to, in the log's order.

    *after* is the `cursor` of the last event that the program handled; "": begin with the first event; "latest": only
    events from now on. *wait* is as for `follow`: with "never" the iterator ends after the last event, otherwise it
    never ends. A key with the scope `audit` or `approve` gets the events of all tables, or of the tables to which it is
    limited.

    The events of each table come in order. If two of them have successive positions, the second must continue the
    first. After the owner has left a table, the feed has no events of this table. If the owner takes a seat or is
    invited while the feed is read, the feed may lack earlier events of the table. To get these events, read the table
    itself up to the position `table_added` of the event that added the table. If the log of a table is damaged, the
    feed leaves out the events from the damage on, and a warning names the table.

    Raises:
        Problem, ServerGone: the server refused a request, or did not answer.
        LogContradiction: an event comes twice or out of order, is changed, or does not continue the event before it.
        ClientMisused: *wait* is none of the words of `Wait`.
    """
    ways_to_wait.must_be_known(wait)
    place, poll_seconds = _Place(after), wait_seconds if wait == "polls" else 0
    while True:
        following = place.following
        page = ways_to_wait.page(api.client, _PATH, _Page, after=place.cursor, wait_seconds=poll_seconds)
        for one in page.broken:
            place.warn(one)
        for item in page.items:
            yield place.next(item)
        place.go_on(page.next, following if page.has_more else -1)
        if page.has_more:
            continue
        if wait == "never":
            return
        if wait == "stream":
            for message in ways_to_wait.streamed(api.client, _PATH, place.cursor):
                if message.event == _BROKEN:
                    place.warn(ways_to_wait.decoded(message, _Broken))
                elif message.event == MESSAGE and message.data:
                    yield place.next(ways_to_wait.decoded(message, _Item))
                elif message.event == MESSAGE:
                    place.go_on(message.id, -1)


def _index_of(cursor: str) -> int:
    """Return the index in *cursor*; -1: the log is empty.

    Raises:
        NotTheApi: the cursor is malformed.
    """
    match = _CURSOR.fullmatch(cursor)
    if cursor and not match:
        raise NotTheApi(f"The server gave {cursor[:50]!r} as the cursor of a feed.")
    return int(match[1]) if match else -1
