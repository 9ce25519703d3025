"""`/v1/tables/{table}/events`: the table's stream, the same leaves for everybody."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.http import feeds, known, weights
from service.http.answers import linked, told
from service.http.envelopes import EventItem
from service.http.identity import asker, must_still_be_valid, parties
from service.http.operations import LAST_EVENT_ID, READS, operation
from service.http.parts import here
from service.http.resources import Resource
from service.http.visit import Asker
from service.http.waiting import MOST_SECONDS, Waiting
from service.log import extent
from service.log.codec import Recorded
from service.log.database import reading
from service.log.extent import StreamHead
from service.log.quarantine import LogMustRunOn
from service.projections.generation import repeated
from service.projections.situations import Situation

events = Resource("events", "The stream of a table, event by event, as it is hashed.")

MOST_POSITION: Final = 2**31 - 1

_AT_ONCE: Final = 100


class Page(Struct, frozen=True):
    """Which events, and how long to wait for the first of them."""

    after: Annotated[int, Meta(ge=0, le=MOST_POSITION, description="Only events at later positions.")] = 0
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many events at most; a stream has no such limit.")] = 100
    wait: Annotated[
        int, Meta(ge=0, le=MOST_SECONDS, description="Seconds to wait where there is none yet; for a page alone.")
    ] = 0


class EventList(Struct, frozen=True):
    """Events of a table in their order, without a gap."""

    items: tuple[EventItem, ...]
    has_more: bool
    next: Annotated[int, Meta(description="What to ask for next, as `after`.")]
    position: Annotated[int, Meta(description="Where the table stands.")]
    is_over: Annotated[bool, Meta(description="Whether the table will never go on beyond this position.")]


@events.get("/v1/tables/<table>/events")
@events.query(Page)
@operation(
    events,
    "list_events",
    EventList,
    codes=(*READS, "place_must_be_free", "position_must_be_well_formed", "table_must_be_intact", "table_must_exist"),
    headers=("ETag", "Link"),
    parameters=(LAST_EVENT_ID,),
    streams={
        feeds.EVENTS: "Server-Sent Events: `id` is the position, `data` an EventItem; `event: end` is the last.",
        feeds.LINES: "An EventItem a line, from `after` to where the table stands. The last line is an object with the"
        " one member `end`, which says whether the answer is whole; without it the answer broke off.",
    },
)
def list_events(page: Page, table: str) -> Response:
    """Read the stream of a table: a page, or as Accept says all of it by lines, or event by event as they come.

    All who may know of the table get the same leaves; with each come the openings that the asker may have.
    With `wait` a page comes as soon as there is an event. Waiting and streams take one of a limited number of places.
    A browser's EventSource comes back by itself with Last-Event-ID; 204 tells it that the table is over.
    """
    who = asker()
    stream_id = known.stream_of(table)
    form = feeds.form_asked_for()
    last = feeds.last_event_id(page.after)  # must have its form in any case
    if form != feeds.JSON:
        return _stream(form, stream_id, last, who)
    found = here().waiting.until(
        stream_id,
        page.wait,
        partial(parties, who),
        lambda: _read(stream_id, who, page.after, page.limit),
        lambda seen: bool(seen.items) or seen.is_over,
    )
    weights.add(len(found.items) // weights.EVENTS)
    response = linked(told(found, who, position=found.position), found, page.limit)
    response.headers["Vary"] = "Authorization, Accept"
    return response


def _stream(form: feeds.Form, stream_id: bytes, after: int, who: Asker) -> Response:
    first = _read(stream_id, who, after, 1)  # whoever may not know of the table is told so by a status
    waiting = here().waiting
    read = _paced(here().traffic.working(partial(_read, stream_id, who, limit=_AT_ONCE)), waiting)
    if form == feeds.LINES:
        return feeds.lines(waiting.place(*parties(who)), read, after, _head(stream_id, who))
    if first.is_over and not first.items:
        return feeds.nothing_more()
    return feeds.events(waiting.place(*parties(who)), read, after, waiting, waiting.bell(stream_id))


def _paced(read: Callable[[int], EventList], waiting: Waiting) -> Callable[[int], EventList]:
    """Return *read* with a pause before a page where the pages before it have weighed too much."""
    pause_seconds = 0.0

    def next_page(after: int) -> EventList:
        nonlocal pause_seconds
        waiting.pause(pause_seconds)
        page = read(after)
        pause_seconds = weights.charge(len(page.items) // weights.EVENTS)
        return page

    return next_page


@repeated
def _head(stream_id: bytes, who: Asker) -> StreamHead:
    with reading(here().engine) as connection:
        return extent.stream_head(stream_id, known.as_far_as_it_holds(connection, stream_id, who).head)


@repeated
def _read(stream_id: bytes, who: Asker, after: int, limit: int) -> EventList:
    must_still_be_valid(who)
    with reading(here().engine) as connection:
        situation = known.as_far_as_it_holds(connection, stream_id, who)
        recorded = _recorded(connection, situation, after, limit)
        items = known.items(connection, situation, who, recorded)
    last = recorded[-1].position if recorded else after
    has_more = last < situation.position or situation.broken_at > 0
    return EventList(items, has_more, last, situation.position, situation.is_over and not situation.broken_at)


def _recorded(connection: Connection, situation: Situation, after: int, limit: int) -> Sequence[Recorded]:
    """Return the events after a position as far as they hold.

    Raises:
        LogMustRunOn: the next one does not.
    """
    if after >= situation.position:
        known.must_stand(situation)
    try:
        return here().log.read(connection, situation.stream_id, after, limit, head=situation.head)
    except LogMustRunOn as error:
        if not error.held:
            raise
        return error.held
