"""`/v1/tables/{table}/events`: the table's stream, the same leaves for everybody."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.http import known
from service.http.answers import linked, told
from service.http.identity import asker
from service.http.known import EventItem
from service.http.operations import READS, operation
from service.http.parts import here
from service.http.resources import Resource
from service.http.visit import Asker
from service.http.waiting import MOST_SECONDS
from service.log.database import reading

events = Resource("events", "The stream of a table, event by event, as it is hashed.")

MOST_POSITION: Final = 2**31 - 1


class Page(Struct, frozen=True):
    """Which events, and how long to wait for the first of them."""

    after: Annotated[int, Meta(ge=0, le=MOST_POSITION, description="Only events at later positions.")] = 0
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many events at most.")] = 100
    wait: Annotated[int, Meta(ge=0, le=MOST_SECONDS, description="Seconds to wait where there is none yet.")] = 0


class EventList(Struct, frozen=True):
    """Events of a table in their order, without a gap."""

    items: tuple[EventItem, ...]
    has_more: bool
    next: Annotated[int, Meta(description="What to ask for next, as `after`.")]
    position: Annotated[int, Meta(description="Where the table stands.")]


@events.get("/v1/tables/<table>/events")
@events.query(Page)
@operation(events, "list_events", EventList, codes=(*READS, "table_must_exist"), headers=("ETag", "Link"))
def list_events(page: Page, table: str) -> Response:
    """Read the stream of a table.

    All who may know of the table get the same leaves; with each come the openings that the asker may have.
    With `wait` the answer comes as soon as there is an event.
    """
    who = asker()
    stream_id = known.stream_of(table)
    found = here().waiting.until(
        stream_id, page.wait, lambda: _read(stream_id, page, who), lambda seen: bool(seen.items)
    )
    return linked(told(found, who, position=found.position), found, page.limit)


def _read(stream_id: bytes, page: Page, who: Asker) -> EventList:
    with reading(here().engine) as connection:
        situation = known.now(connection, stream_id, who)
        recorded = here().log.read(connection, stream_id, page.after, page.limit)
        items = known.items(connection, situation, who, recorded)
    last = recorded[-1].position if recorded else page.after
    return EventList(items, last < situation.position, last, situation.position)
