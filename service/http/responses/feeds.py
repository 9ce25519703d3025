"""Streams of events: what is asked for once and comes bit by bit, as Server-Sent Events or as lines of JSON."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Final, Literal, Protocol

import msgspec
from flask import Response, stream_with_context

from service.event_store import export_format
from service.event_store.export_format import BrokenStream, End, StreamHead
from service.event_store.quarantine import StreamCorrupted
from service.http.operations.long_polls import LongPolls, Notification, Slot
from service.http.problems.problem import Problem
from service.http.request.context import request_context
from service.http.request.deadlines import deadline
from service.http.responses import failures
from service.tables.envelopes import EventItem

Format = Literal["application/json", "text/event-stream", "application/x-ndjson"]

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"
LINES: Final = "application/x-ndjson"

_FORMATS: Final[tuple[Format, ...]] = (JSON, EVENTS, LINES)
_BEAT_SECONDS: Final = 2.0
"""After a silence this long a comment is sent, so that a connection that is gone is noticed on both sides."""
_COME_AGAIN: Final = b"retry: 1000\n\n"
_BEAT: Final = b": still here\n\n"
_END: Final = b"event: end\ndata: {}\n\n"
_ENCODE: Final = msgspec.json.Encoder().encode


class Page(Protocol):
    """Some of a table's events, and where it stands."""

    @property
    def items(self) -> tuple[EventItem, ...]:
        """The events."""

    @property
    def positions(self) -> tuple[int, ...]:
        """Where each of the events stands."""

    @property
    def due_at(self) -> str:
        """When time may be called at the table as it stands; "": never."""

    @property
    def next(self) -> int:
        """The position of the last event that was looked at."""

    @property
    def has_more(self) -> bool:
        """Whether more are there already."""

    @property
    def position(self) -> int:
        """Where the table stands."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will ever come."""


def negotiated_format() -> Format:
    """Return the form that the request accepts most gladly; JSON where it says nothing that we have."""
    accepted = request_context().accept_mimetypes
    best = accepted.best_match(_FORMATS, JSON) if accepted else JSON
    return next(form for form in _FORMATS if form == best)


def last_event_id(otherwise: int) -> int:
    """Return the position that the header Last-Event-ID names, or *otherwise* where it names none.

    Raises:
        Problem: it is no position.
    """
    text = request_context().headers.get("Last-Event-ID", "")
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) <= 10):  # noqa: PLR2004 -- a position has no more digits
        raise Problem("position_must_be_well_formed", "Last-Event-ID is the `id` of an event.")
    return int(text)


def lines(slot: Slot, read: Callable[[int], Page], after: int, head: StreamHead) -> Response:
    """Answer with all events from *after* to where the table stands, a line of JSON each, and a last line.

    *head* is where the table stands. The last line says whether the answer is whole, and if not, from where on and why.
    """

    def write() -> Iterator[bytes]:
        count, last, broken = 0, head, tuple[BrokenStream, ...]()
        position = after
        try:
            for page, wanted in _pages(read, after):
                yield b"".join(_ENCODE(item) + b"\n" for item in page.items[:wanted])
                count, position = count + wanted, page.next
                if wanted:
                    last = StreamHead(head.stream, page.positions[wanted - 1], page.items[wanted - 1].hash)
        except Exception as error:  # noqa: BLE001 -- noted, and told in the last line: the status is sent already
            broken = (BrokenStream(head.stream, position + 1, _why(error)),)
        heads = (last,) if count or not broken else ()
        yield (
            export_format.end_line(End(is_whole=not broken, streams=1, leaves=count, heads=heads, broken=broken))
            + b"\n"
        )

    return _stream(slot, write(), LINES)


def _pages(read: Callable[[int], Page], after: int) -> Iterator[tuple[Page, int]]:
    """Yield pages from *after* to where the table stands at the first look, each with how many of its events count.

    Raises:
        StreamCorrupted: they do not hold so far.
    """
    page, last = read(after), after
    end = page.position
    while page.next > last:
        yield page, bisect_right(page.positions, end)  # else the last could end in the middle of a later command
        is_broken = page.has_more and page.next >= page.position
        if page.next >= end and not is_broken:
            return
        last = page.next
        page = read(last)


def _why(error: Exception) -> str:
    """Return why a feed ends early: what is wrong with the log, or the code of the problem."""
    problem = failures.problem_of(error)
    return error.why if isinstance(error, StreamCorrupted) else problem.code


def events(
    slot: Slot,
    read: Callable[[int], Page],
    after: int,
    long_polls: LongPolls,
    notifications: AbstractContextManager[Notification],
) -> Response:
    """Answer with the events from *after* on as they come, each with its position as `id`, until the table is over."""

    def write() -> Iterator[bytes]:
        yield _COME_AGAIN
        position, announced = after, -1
        with notifications as notification:
            while not long_polls.is_ending:
                page = read(position)
                for at, item in zip(page.positions, page.items, strict=True):
                    yield b"id: %d\ndata: %b\n\n" % (at, _ENCODE(item))
                if page.due_at and not page.has_more and announced != page.position:
                    announced = page.position
                    yield b"event: due\ndata: %b\n\n" % _ENCODE(deadline(page.position, page.due_at))
                position = page.next
                if page.is_over and not page.has_more:
                    yield _END
                    return
                if not page.has_more and not notification.wait(page.position, _BEAT_SECONDS):
                    yield _BEAT

    return _stream(slot, write(), EVENTS)


def stream_is_over() -> Response:
    """Answer who comes back to a stream that is over: by this a browser knows that it need not come again."""
    return Response(status=204)


def _stream(slot: Slot, written: Iterator[bytes], form: Format) -> Response:
    response = Response(stream_with_context(_whole(slot, written)), content_type=form)
    response.call_on_close(slot.leave)  # a stream that nobody reads is never begun, and so never ends
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "Authorization, Accept"
    response.headers["X-Accel-Buffering"] = "no"  # some proxies would hold back what is sent
    return response


def _whole(slot: Slot, written: Iterator[bytes]) -> Iterator[bytes]:
    """Leave *slot* with the end of the stream; what fails in it ends it, since its status is sent already."""
    with slot:
        try:
            yield from written
        except Exception as error:  # noqa: BLE001 -- noted; the reader comes back, and is told by a status then
            failures.problem_of(error)
