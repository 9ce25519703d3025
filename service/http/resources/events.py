"""`/v1/tables/{table}/events`: the stream of a table, whose leaves are the same for everybody."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Annotated, Final, NamedTuple, TypeAlias

from flask import Response
from msgspec import Meta, Struct

from service.database.engines import reading
from service.event_store import export_format
from service.event_store.export_format import StreamHead
from service.event_store.quarantine import StreamCorrupted
from service.games import EVENTS
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import LAST_EVENT_ID, READS, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import schema_problem
from service.http.request import deadlines, visible_tables
from service.http.request.authentication import current_caller, must_still_be_valid, quota_owners
from service.http.request.context import Caller
from service.http.request.deadlines import SECONDS_LEFT, DueAt
from service.http.request.fields import field_error
from service.http.request.services import services
from service.http.responses import feeds
from service.http.responses.answers import json_response, linked
from service.projections.swap_guard import retry_after_swap
from service.tables.envelopes import EventItem

events = Resource("events", "The stream of a table: its events, with their leaves exactly as they were hashed.")

MOST_POSITION: Final = 2**31 - 1

_STREAM_PAGE: Final = 100
_MOST_READ: Final = 1_000
"""The maximum number of events that are read for one page if the query names types of events."""


class EventQuery(Struct, frozen=True):
    """Selects events by position and type, and sets how long to wait for the first event."""

    after: Annotated[int, Meta(ge=0, le=MOST_POSITION, description="Only events at later positions.")] = 0
    limit: feeds.Limit = 100
    wait: feeds.Wait = 0
    type: Annotated[
        tuple[Annotated[str, Meta(extra_json_schema={"enum": sorted(EVENTS)})], ...],
        Meta(
            max_length=100,
            description="Only events of this type; if the parameter is given several times, events of any of these "
            "types. The service reads at most 1,000 events for a page, so a page may be empty although more events "
            "follow.",
        ),
    ] = ()


class EventList(Struct, frozen=True):
    """A page of a table's events in order: all events, without a gap, or only the events of the wanted types."""

    items: tuple[EventItem, ...]
    has_more: bool
    next: Annotated[int, Meta(description="The `after` of the next page.")]
    position: Annotated[int, Meta(description="The table's position.")]
    due_at: DueAt
    is_over: Annotated[
        bool,
        Meta(
            description="Whether the table is over: no play will follow. Even then, the erasure of a value, or another "
            "import of an imported table, may add events."
        ),
    ]


@events.get("/v1/tables/<table>/events")
@events.query(EventQuery)
@operation(
    events,
    "list_events",
    EventList,
    codes=(*READS, "place_must_be_free", "position_must_be_well_formed", "table_must_be_intact", "table_must_exist"),
    headers=("ETag", "Link", SECONDS_LEFT),
    parameters=(LAST_EVENT_ID,),
    streams={
        feeds.EVENTS: "Server-Sent Events: `id` is the position, `data` an EventItem. Events come as they are "
        "recorded; if many clients follow fast tables, the events of up to 0.1 s come together. A message with "
        "`event: due` has the table's deadline: `position`, `due_at` and `seconds_left`. A message with `event: end` "
        "is the last: the table is over.",
        feeds.LINES: "One EventItem per line: the events after `after`, up to the table's position when the response "
        "begins. The last line is an object with the single member `end`, which says whether the response is complete. "
        "A response without this line was cut short.",
    },
)
def list_events(query: EventQuery, table: str) -> Response:
    """List the events of a table after a position: as a page, as lines, or as a stream that goes on with new events.

    The header Accept selects the format. The leaves are the same for everybody who may see the table; each caller gets
    the openings that this caller may see. With `wait`, a page comes as soon as there is an event, or when the table is
    over or the time is up. Waiting requests, lines and streams share a limited number of slots. A browser's EventSource
    reconnects by itself with Last-Event-ID; status 204 means that the table is over and that no event is left to send.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    types = _event_types(query.type)
    form = feeds.negotiated_format()
    last = feeds.last_event_id(query.after)  # a page ignores a valid Last-Event-ID, but refuses an invalid one
    if form != feeds.JSON:
        return _stream(form, stream_id, last, caller, types)
    page = services().long_polls.wait_for(
        stream_id,
        query.wait,
        partial(quota_owners, caller),
        lambda least: _read(stream_id, caller, query.after, least, limit=query.limit, types=types),
        lambda page: bool(page.items) or page.is_over or page.has_more,
        partial(must_still_be_valid, caller),
    )
    request_cost.add(max(0, page.next - query.after) // request_cost.EVENTS_PER_UNIT)
    response = linked(json_response(page.answer, caller, position=page.position), page, query.limit)
    deadlines.with_seconds_left(response, page.due_at)
    response.headers["Vary"] = "Authorization, Accept"
    return response


@events.get("/v1/tables/<table>/events/<int(max=2147483647):position>")
@operation(
    events,
    "get_event",
    EventItem,
    codes=(*READS, "position_must_exist", "table_must_be_intact", "table_must_exist"),
    headers=("ETag",),
)
def get_event(table: str, position: int) -> Response:
    """Get one event.

    The leaf is the same for everybody; each caller gets the openings that this caller may see.
    """
    caller = current_caller()
    stream_id = visible_tables.stream_of(table)
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        visible_tables.must_have_event(table_at, position)
        recorded = services().log.reader.read(connection, stream_id, position - 1, 1, head=table_at.head)
        (item,) = visible_tables.visible_events(connection, table_at, caller, recorded)
    return json_response(item, caller, position=table_at.position)


class _Page(NamedTuple):
    """A page, the position of each of its events, and for a shared page each event as a Server-Sent Event (a frame)."""

    answer: EventList
    positions: tuple[int, ...]
    shared_frames: tuple[bytes, ...] = ()

    @property
    def frames(self) -> Iterable[bytes]:
        return self.shared_frames or map(feeds.frame, self.positions, self.items)

    @property
    def items(self) -> tuple[EventItem, ...]:
        return self.answer.items

    @property
    def next(self) -> int:
        return self.answer.next

    @property
    def has_more(self) -> bool:
        return self.answer.has_more

    @property
    def position(self) -> int:
        return self.answer.position

    @property
    def due_at(self) -> str:
        return self.answer.due_at

    @property
    def is_over(self) -> bool:
        return self.answer.is_over


ReadAlone: TypeAlias = Callable[[bytes, Caller, int, int, frozenset[str]], _Page]
"""Reads a page of a stream for a caller.

The further arguments are the position after which the page begins, the maximum number of events, and the types of the
events; no types: events of all types.
"""


def _event_types(types: Sequence[str]) -> frozenset[str]:
    """Return *types* as a set.

    Raises:
        Problem: one of *types* is not a type of event.
    """
    if not EVENTS.keys() >= set(types):
        raise schema_problem([("/type", field_error("value_must_be_one_of_those_known"))], in_query=True)
    return frozenset(types)


def _stream(form: feeds.Format, stream_id: bytes, after: int, caller: Caller, types: frozenset[str]) -> Response:
    first = _read(
        stream_id, caller, after, limit=1
    )  # a caller who may not see the table gets an error status, not a stream
    long_polls = services().long_polls
    read_alone = services().in_flight.with_slot(_read_alone)  # Only a page that is not shared takes a slot.
    page_of = partial(_read, stream_id, caller, limit=_STREAM_PAGE, types=types, read_alone=read_alone)
    read = feeds.paced(page_of, long_polls, _cost)
    if form == feeds.LINES:
        head = _head(stream_id, caller)  # before the slot is taken: an error here must leave no slot taken
        return feeds.lines(long_polls.slot(*quota_owners(caller)), partial(read, least=0), after, head)
    if first.is_over and not first.items:
        return feeds.stream_is_over()
    notification = long_polls.notification(stream_id, is_throttled=True)
    check = partial(must_still_be_valid, caller)
    return feeds.events(long_polls.slot(*quota_owners(caller)), read, after, long_polls, notification, check)


def _cost(page: _Page, after: int) -> int:
    return (page.next - after) // request_cost.EVENTS_PER_UNIT


@retry_after_swap
def _head(stream_id: bytes, caller: Caller) -> StreamHead:
    with reading(services().engine) as connection:
        return export_format.stream_head(stream_id, visible_tables.intact_table(connection, stream_id, caller).head)


def _read(  # noqa: PLR0913 -- these are the parts of a query
    stream_id: bytes,
    caller: Caller,
    after: int,
    least: int = 0,
    *,
    limit: int,
    types: frozenset[str] = frozenset(),
    read_alone: ReadAlone | None = None,
) -> _Page:
    """Return a page of at most *limit* events after the position *after*; with *types*, only of these types.

    If *least* is not 0, the page may be shared with other readers; it then shows the table at the position *least* or
    at a later position.
    """
    must_still_be_valid(caller)
    if least and (shared := _shared(stream_id, caller, after, least, limit, types)) is not None:
        return shared
    return (read_alone or _read_alone)(stream_id, caller, after, limit, types)


def _shared(  # noqa: PLR0913 -- these are the parts of a query
    stream_id: bytes, caller: Caller, after: int, least: int, limit: int, types: frozenset[str]
) -> _Page | None:
    """Return the page from the steps that all readers share; None: the reader must read the page alone."""
    steps = services().shared_steps.after(stream_id, after, least)
    if not steps or steps[-1].table_at.position - after > limit:
        return None
    table_at = steps[-1].table_at
    visible_tables.must_be_visible(table_at, caller)
    seat = visible_tables.viewing_seat(table_at, caller)
    try:
        chosen = [
            (one.position, item, frame)
            for step in steps
            for one, item, frame in step.shown(seat, services().shared_steps.opened, feeds.frame)
            if one.position > after and (not types or one.type in types)
        ]
    except StreamCorrupted:
        return None  # Reading alone finds the last event before the damage.
    items, positions = tuple(item for _, item, _ in chosen), tuple(position for position, _, _ in chosen)
    due = deadlines.due_at(table_at)
    answer = EventList(
        items, has_more=False, next=table_at.position, position=table_at.position, due_at=due, is_over=table_at.is_over
    )
    return _Page(answer, positions, tuple(frame for _, _, frame in chosen))


@expensive.restarted_with_turn
@retry_after_swap
def _read_alone(stream_id: bytes, caller: Caller, after: int, limit: int, types: frozenset[str]) -> _Page:
    generation = services().log.generation.number
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, stream_id, caller)
        services().shared_steps.follow(table_at, generation)
        most = _MOST_READ if types else limit
        expensive.must_have_turn(min(most, table_at.position - after) // request_cost.EVENTS_PER_UNIT)
        recorded = visible_tables.sound_events(connection, table_at, after, most)
        wanted = [event.position for event in recorded if not types or event.type in types][:limit]
        if len(wanted) == limit:  # The events after the last wanted event belong to the next page.
            recorded = [event for event in recorded if event.position <= wanted[-1]]
        recorded, items = visible_tables.sound_items(connection, table_at, caller, recorded)
    wanted = wanted[: bisect_right(wanted, recorded[-1].position if recorded else after)]
    last = recorded[-1].position if recorded else after
    chosen = tuple(item for item, event in zip(items, recorded, strict=True) if not types or event.type in types)
    has_more = last < table_at.position or table_at.broken_at > 0
    is_over = table_at.is_over and not table_at.broken_at
    due = deadlines.due_at(table_at)
    return _Page(EventList(chosen, has_more, last, table_at.position, due, is_over), tuple(wanted))
