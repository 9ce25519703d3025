"""`/v1/feed`: the events of all tables of the caller, in the order of their indexes in the whole log."""

from functools import partial
from typing import Annotated, Any, Final

from flask import Response
from msgspec import Meta, Struct

from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import request_cost
from service.http.problems.problem import Problem
from service.http.request import feed_cursors
from service.http.request.authentication import caller_with_scope, quota_owners
from service.http.request.context import Caller, request_context
from service.http.request.feed_cursors import CURSOR, LATEST
from service.http.request.services import services
from service.http.resources.transparency import feed_pages
from service.http.responses import feeds, log_feed
from service.http.responses.answers import LOG_CHECKPOINT, json_response, linked, with_log_checkpoint
from service.http.responses.log_feed import FeedList, FeedPage

feed = Resource("feed", "The feed: the events of all tables of the caller, in one stream.")

_STREAM_PAGE: Final = 100
_LAST_EVENT_ID: Final[dict[str, Any]] = {
    "in": "header",
    "name": "Last-Event-ID",
    "schema": {"type": "string", "pattern": f"^({CURSOR})?$"},
    "description": "The last `id` that you received from a stream. If this header is not empty, a stream or a "
    "response of lines begins after this event, and ignores `after`.",
    "example": "17-7c5d1a60e2b94f38",
}


class FeedQuery(Struct, frozen=True):
    """Selects events by index, and sets how long to wait for the first event."""

    after: Annotated[
        str,
        Meta(
            pattern=f"^({LATEST}|{CURSOR})?$",
            description="The `next` of a page, or the `cursor` of an event: only events after this page or this "
            "event. Empty: from the first event on. `latest`: only events that get their index from now on.",
        ),
    ] = ""
    limit: feeds.Limit = 100
    wait: feeds.Wait = 0


@feed.get("/v1/feed")
@feed.query(FeedQuery)
@operation(
    feed,
    "get_feed",
    FeedList,
    codes=(
        *READS,
        "cursor_must_be_of_this_log",
        "key_must_be_given",
        "place_must_be_free",
        "position_must_be_well_formed",
    ),
    headers=("Link", LOG_CHECKPOINT),
    parameters=(_LAST_EVENT_ID,),
    streams={
        feeds.EVENTS: "Server-Sent Events: `id` is the `cursor`, `data` a FeedItem. A message with `event: broken` has "
        "a BrokenTable. The stream has no end. If no event comes for some seconds, the service sends a comment, with "
        "the `id` of the last index that it has searched.",
        feeds.LINES: "One FeedItem per line: the events after `after` that have an index when the response begins. The "
        "last line is an object with the single member `end`: it says whether the response is complete, names the last "
        "event of each table and the damaged tables, and has the `next` with which the feed goes on. A response "
        "without this line was cut short; a request with the `cursor` of the last event as `after` continues the feed.",
    },
    is_endless=True,
)
def get_feed(query: FeedQuery) -> Response:
    """Follow the events of all your tables in one stream: as pages, as lines, or as a stream that does not end.

    The feed has the tables that the owner of the key hosts, has a seat at, or is invited to at the time of the request.
    With the scope `audit` or `approve` the feed has all tables or, if the key is limited, only the tables to which the
    key is limited. An imported table is in no feed. The header Accept selects the format. Each event is the same as in
    the table's own list of events, with its table and its index in the log. An event gets its index within about a
    second after it was recorded; with `wait`, a page comes as soon as there is an event.

    The events of a table come in order. If you gain a table by an event, the event's `table_added` says which earlier
    events to read from the table itself. After you leave a table, the feed has no events of this table, not even
    earlier events. A page may be empty although `has_more` is true. Waiting requests, lines and streams take waiting
    slots, as at a single table.
    """
    caller = caller_with_scope()
    form = feeds.negotiated_format()
    last = _last_event_id(query.after)  # a page ignores a valid Last-Event-ID, but refuses an invalid one
    if form != feeds.JSON:
        return _stream(form, _first_index(last), caller)
    page = _page(query, _first_index(query.after), caller)
    request_cost.add(page.cost)
    response = with_log_checkpoint(json_response(page.answer, caller))
    linked(response, page.answer, query.limit).headers["Vary"] = "Authorization, Accept"
    return response


def _page(query: FeedQuery, first: int, caller: Caller) -> FeedPage:
    following = first

    def look(_least: int) -> FeedPage:
        nonlocal following
        page = feed_pages.read(caller, following, query.limit)
        following = page.following  # After an empty page, the next call goes on after that page.
        return page

    return services().long_polls.wait_for(
        feed_pages.feed_of(caller),
        query.wait,
        partial(quota_owners, caller),
        look,
        lambda page: bool(page.answer.items or page.answer.broken) or page.answer.has_more,
    )


def _stream(form: feeds.Format, first: int, caller: Caller) -> Response:
    page = feed_pages.read(caller, first, 1)  # a caller whose cursor is refused gets an error status, not a stream
    long_polls = services().long_polls
    page_of = services().in_flight.with_slot(lambda index: feed_pages.read(caller, index, _STREAM_PAGE))
    read = feeds.paced(page_of, long_polls, lambda page, _: page.cost)
    slot = long_polls.slot(*quota_owners(caller))
    if form == feeds.LINES:
        return log_feed.lines(slot, read, first, page.size)
    return log_feed.events(slot, read, first, long_polls, long_polls.notification(feed_pages.feed_of(caller)))


def _last_event_id(otherwise: str) -> str:
    """Return the cursor in the header Last-Event-ID, or *otherwise* if the header is missing or empty.

    Raises:
        Problem: the header is not a cursor.
    """
    cursor = request_context().headers.get("Last-Event-ID", "")
    if cursor and not feed_cursors.is_well_formed(cursor):
        raise Problem("position_must_be_well_formed", "Last-Event-ID is the `id` of an event of a feed.")
    return cursor or otherwise


def _first_index(cursor: str) -> int:
    return feed_pages.size_of_log() if cursor == LATEST else feed_cursors.first_index(cursor)
