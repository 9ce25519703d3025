"""Writes many events in one response: as Server-Sent Events, or as lines of JSON (DECISIONS 64 and 141)."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Annotated, Concatenate, Final, Literal, ParamSpec, Protocol, TypeVar

import msgspec
from flask import Response, stream_with_context
from msgspec import Meta

from service.event_store import export_format
from service.event_store.export_format import BrokenStream, End, StreamHead
from service.event_store.quarantine import StreamCorrupted
from service.http.operations import request_cost
from service.http.operations.long_polls import MOST_SECONDS, LongPolls, Slot
from service.http.operations.waiting.notification import Notification
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
HEARTBEAT_SECONDS: Final = 2.0
"""After this long without an event the service sends a comment, so that client and service notice a lost connection."""
_QUIET_HEARTBEATS: Final = 15
"""After this many heartbeats a stream reads its table again, although nobody has notified it (DECISIONS 141).

Only reading finds damage in the log, or that the database has lost events.
"""
RECONNECT: Final = b"retry: 1000\n\n"
HEARTBEAT: Final = b": still here\n\n"
_END: Final = b"event: end\ndata: {}\n\n"
_ENCODE: Final = msgspec.json.Encoder().encode


Limit = Annotated[
    int, Meta(ge=1, le=1000, description="The maximum number of events on a page; lines and streams have no limit.")
]
"""The parameter `limit` of a list of events."""
Wait = Annotated[
    int,
    Meta(
        ge=0,
        le=MOST_SECONDS,
        description="The maximum number of seconds to wait if there is no event yet; lines and streams ignore it.",
    ),
]
"""The parameter `wait` of a list of events."""

C = TypeVar("C")
P = TypeVar("P")
Rest = ParamSpec("Rest")


class Page(Protocol):
    """A page of a table's events, and the table's position."""

    @property
    def items(self) -> tuple[EventItem, ...]:
        """The events."""

    @property
    def positions(self) -> tuple[int, ...]:
        """The position of each event."""

    @property
    def frames(self) -> Iterable[bytes]:
        """The events in the format of Server-Sent Events."""

    @property
    def due_at(self) -> str:
        """The deadline of the table; "": no deadline now."""

    @property
    def next(self) -> int:
        """The position of the last event that was read for the page, even if the event is not on the page.

        If no event was read, this is the position after which the page begins.
        """

    @property
    def has_more(self) -> bool:
        """Whether the log has later events already, or is damaged after this page."""

    @property
    def position(self) -> int:
        """The table's position."""

    @property
    def is_over(self) -> bool:
        """Whether the table is over: no play will follow."""


def negotiated_format() -> Format:
    """Return the format that the header Accept prefers, or JSON if Accept names none of the service's formats."""
    accepted = request_context().accept_mimetypes
    best = accepted.best_match(_FORMATS, JSON) if accepted else JSON
    return next(form for form in _FORMATS if form == best)


def last_event_id(otherwise: int) -> int:
    """Return the position in the header Last-Event-ID, or *otherwise* if the header is missing or empty.

    Raises:
        Problem: the header is not a position.
    """
    text = request_context().headers.get("Last-Event-ID", "")
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) <= 10):  # noqa: PLR2004 -- no position is longer
        raise Problem("position_must_be_well_formed", "Last-Event-ID is the `id` of an event.")
    return int(text)


def paced(
    read: Callable[Concatenate[C, Rest], P], long_polls: LongPolls, cost: Callable[[P, C], int]
) -> Callable[Concatenate[C, Rest], P]:
    """Return a function that calls *read*, and pauses before a page if over half of the reader's rate limit is used.

    *cost* returns the units that a page costs; its second argument is the place after which the page begins.
    """
    pause_seconds = 0.0

    def next_page(after: C, /, *args: Rest.args, **kwargs: Rest.kwargs) -> P:
        nonlocal pause_seconds
        long_polls.pause(pause_seconds)
        page = read(after, *args, **kwargs)
        pause_seconds = request_cost.charge(cost(page, after))
        return page

    return next_page


def lines(slot: Slot, read: Callable[[int], Page], after: int, head: StreamHead) -> Response:
    """Return a response with the events after the position *after*, one line of JSON each, and a last line.

    *head* is the head of the table's stream. The last line says whether the response is complete; if it is not, the
    last line names the first missing position and the reason.
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
        except Exception as error:  # noqa: BLE001 -- the status is sent already, so the last line reports the error
            broken = (BrokenStream(head.stream, position + 1, _why(error)),)
        heads = (last,) if count or not broken else ()
        yield (
            export_format.end_line(End(is_whole=not broken, streams=1, leaves=count, heads=heads, broken=broken))
            + b"\n"
        )

    return stream(slot, write(), LINES)


def _pages(read: Callable[[int], Page], after: int) -> Iterator[tuple[Page, int]]:
    """Yield the pages after the position *after*, each with the number of events to send.

    The last page reaches the position that the table had when the first page was read.

    Raises:
        StreamCorrupted: the log is damaged; the pages before the damage were yielded.
    """
    page, last = read(after), after
    end = page.position
    while page.next > last:
        yield page, bisect_right(page.positions, end)  # only up to `end`, which never divides a command's events
        is_broken = page.has_more and page.next >= page.position
        if page.next >= end and not is_broken:
            return
        last = page.next
        page = read(last)


def _why(error: Exception) -> str:
    """Return why the lines end early: the damage of the log, or the code of the problem.

    An error of the service is logged.
    """
    problem = failures.problem_of(error)
    return error.why if isinstance(error, StreamCorrupted) else problem.code


def frame(position: int, item: EventItem) -> bytes:
    """Return the event at *position* in the format of Server-Sent Events."""
    return b"id: %d\ndata: %b\n\n" % (position, _ENCODE(item))


def events(  # noqa: PLR0913 -- these are the parts of a stream
    slot: Slot,
    read: Callable[[int, int], Page],
    after: int,
    long_polls: LongPolls,
    notifications: AbstractContextManager[Notification],
    check: Callable[[], None],
) -> Response:
    """Return a response that sends the events after the position *after* as they come, until the table is over.

    The response ends early after an error, and when the process is about to stop. The `id` of each event is its
    position. The second argument of *read* is `Notification.least`. After each heartbeat, *check* raises an error if
    the reader may not read any more.
    """

    def write() -> Iterator[bytes]:
        yield RECONNECT
        position, announced = after, -1
        with notifications as notification:
            while not long_polls.is_ending:
                page = read(position, notification.least)
                if page.items:
                    yield b"".join(page.frames)
                if page.due_at and not page.has_more and announced != page.position:
                    announced = page.position
                    yield b"event: due\ndata: %b\n\n" % _ENCODE(deadline(page.position, page.due_at))
                position = page.next
                if page.is_over and not page.has_more:
                    yield _END
                    return
                if not page.has_more:
                    yield from heartbeats(notification, page.position)

    def heartbeats(notification: Notification, position: int) -> Iterator[bytes]:
        """Yield a heartbeat every `HEARTBEAT_SECONDS`, until the table must be read again."""
        for _ in range(_QUIET_HEARTBEATS):
            if long_polls.is_ending or notification.wait(position, HEARTBEAT_SECONDS):
                return
            yield HEARTBEAT
            check()

    return stream(slot, write(), EVENTS)


def stream_is_over() -> Response:
    """Return the response to a reconnect after the table is over: status 204 stops a browser from reconnecting."""
    return Response(status=204)


def stream(slot: Slot, written: Iterator[bytes], form: str) -> Response:
    """Return a response of the content type *form* that sends the parts *written*, and then frees *slot*."""
    response = Response(stream_with_context(_written(slot, written)), content_type=form)
    response.call_on_close(slot.leave)  # `_written` frees no slot if it never starts
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "Authorization, Accept"
    response.headers["X-Accel-Buffering"] = "no"  # otherwise some proxies would buffer the stream
    return response


def _written(slot: Slot, written: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the stream, then free *slot*. An error ends the stream without a problem: the status has been sent."""
    with slot:
        try:
            yield from written
        except Exception as error:  # noqa: BLE001 -- the next request of the client gets the error
            failures.problem_of(error)
