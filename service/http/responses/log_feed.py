"""Writes the feed of many tables in one response: as Server-Sent Events, or as lines of JSON (DECISIONS 100)."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Annotated, Final

import msgspec
from flask import Response
from msgspec import Meta, Struct

from service.event_store import export_format
from service.event_store.export_format import BrokenStream, End, StreamHead
from service.http.operations.long_polls import LongPolls, Slot
from service.http.operations.waiting.notification import Notification
from service.http.request import feed_cursors
from service.http.responses import failures, feeds
from service.tables.envelopes import EventItem

_ENCODE: Final = msgspec.json.Encoder().encode


class FeedItem(EventItem, frozen=True):
    """An event in a feed, as in the table's own list of events, with its table and its index in the whole log."""

    table: str
    index: Annotated[int, Meta(ge=0, le=2**53 - 1, description="The event's index in the whole log, from 0.")]
    cursor: Annotated[str, Meta(description="The `after` with which the feed goes on after this event.")]
    table_added: Annotated[
        int,
        Meta(
            ge=0,
            le=2**31 - 1,
            description="If the caller gained the table with this event (took a seat, or was invited): the position up "
            "to which earlier events may be missing in the feed; otherwise 0. Read the missing events from the table's "
            "own list of events.",
        ),
    ]


class BrokenTable(Struct, frozen=True):
    """A table whose log is damaged: the feed has no events of the table from *position* on."""

    table: str
    position: int
    why: Annotated[str, Meta(description="The damage, in words.")]


class FeedList(Struct, frozen=True, kw_only=True):
    """A page of a feed: events of several tables, in the order of their indexes."""

    items: tuple[FeedItem, ...]
    broken: Annotated[
        tuple[BrokenTable, ...],
        Meta(description="The tables whose log is damaged: this page lacks their events from the damage on."),
    ]
    has_more: Annotated[
        bool,
        Meta(description="Whether the log has further events, which may all be of tables that are not in the feed."),
    ]
    next: Annotated[str, Meta(description="The `after` of the next page.")]


class FeedPage(Struct, frozen=True):
    """A page, and what it covers: the indexes up to *following* - 1, of a log that had *size* leaves.

    *cost* is the number of units that reading the page costs beyond a plain request.
    """

    answer: FeedList
    following: int
    size: int
    cost: int

    @property
    def position(self) -> int:
        """The size of the log when the page was read: a reader waits until the log is larger."""
        return self.size


class FeedEnd(End, frozen=True, kw_only=True):
    """The last line of a feed. *next* is the cursor with which the feed goes on.

    *why* is empty, or it is the code of the problem that ended the response early.
    """

    next: str
    why: str = ""


Read = Callable[[int], FeedPage]
"""Returns the page that begins at an index."""


def lines(slot: Slot, read: Read, first: int, size: int) -> Response:
    """Return a response with the events at the indexes from *first* to *size* - 1, a line each, and a last line."""
    return feeds.stream(slot, _lines(read, first, size), feeds.LINES)


def events(
    slot: Slot, read: Read, first: int, long_polls: LongPolls, notifications: AbstractContextManager[Notification]
) -> Response:
    """Return a response that sends the events from the index *first* on, as they get their indexes.

    The response ends only after an error, or when the process is about to stop. The `id` of each event is its cursor.
    The `id` of a heartbeat lets the client's next request skip the leaves of other tables.
    """

    def write() -> Iterator[bytes]:
        yield feeds.RECONNECT
        following, broken = first, set[str]()
        with notifications as notification:
            while not long_polls.is_ending:
                page = read(following)
                # Damaged tables come before the events: if the connection breaks between them, the client asks for this
                # page again, and gets the damaged tables again.
                for one in page.answer.broken:
                    if one.table not in broken:
                        broken.add(one.table)
                        yield b"event: broken\ndata: %b\n\n" % _ENCODE(one)
                for item in page.answer.items:
                    yield b"id: %b\ndata: %b\n\n" % (item.cursor.encode(), _ENCODE(item))
                following = page.following
                if not page.answer.has_more and not notification.wait(page.size, feeds.HEARTBEAT_SECONDS):
                    yield b"id: %b\n" % page.answer.next.encode() + feeds.HEARTBEAT

    return feeds.stream(slot, write(), feeds.EVENTS)


def _lines(read: Read, first: int, size: int) -> Iterator[bytes]:
    count, following, why = 0, first, ""
    heads: dict[str, StreamHead] = {}
    broken: dict[str, BrokenStream] = {}
    try:
        while following < size:
            page = read(following)
            items = [item for item in page.answer.items if item.index < size]
            yield b"".join(_ENCODE(item) + b"\n" for item in items)
            for one in page.answer.broken:
                broken.setdefault(one.table, BrokenStream(_stream_of(one.table), one.position, one.why))
            heads |= {item.table: _head(item) for item in items}
            count, following = count + len(items), min(page.following, size)
    except Exception as error:  # noqa: BLE001 -- the status is sent already, so the last line reports the error
        why = failures.problem_of(error).code
    end = FeedEnd(
        is_whole=not (broken or why),
        streams=len(heads.keys() | broken.keys()),
        leaves=count,
        heads=tuple(heads[table] for table in sorted(heads)),
        broken=tuple(broken[table] for table in sorted(broken)),
        next=feed_cursors.cursor_after(following),
        why=why,
    )
    yield export_format.end_line(end) + b"\n"


def _head(item: FeedItem) -> StreamHead:
    return StreamHead(_stream_of(item.table), msgspec.json.decode(item.leaf, type=_Placed).position, item.hash)


class _Placed(Struct):
    """The part of a leaf that is decoded here: the event's position."""

    position: int


def _stream_of(table: str) -> str:
    return f"table/{table}"
