"""Reads pages of a feed: finds the leaves by their indexes, and each table's events as the table itself shows them."""

# DECISIONS 100

from itertools import groupby
from operator import attrgetter
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection

from service.database.engines import reading
from service.event_store.codec import RecordedEvent
from service.event_store.quarantine import StreamCorrupted
from service.games.common_events import PlayerInvited, SeatTaken
from service.http.operations import expensive, request_cost
from service.http.request import feed_cursors, visible_tables
from service.http.request.authentication import must_still_be_valid
from service.http.request.context import Caller
from service.http.request.services import services
from service.http.request.visible_tables import audited_streams
from service.http.responses.log_feed import BrokenTable, FeedItem, FeedList, FeedPage
from service.projections import feed_leaves
from service.projections.feed_leaves import ALL_TABLES, FeedLeaf
from service.projections.swap_guard import retry_after_swap
from service.tables.envelopes import EventItem
from service.tables.fold import table_id
from service.transparency import tree

_WINDOW: Final = feed_leaves.WINDOW
"""The service looks for the leaves of a feed among this many indexes at a time."""
_MOST_WINDOWS: Final = 10
"""A page needs at most this many looks; then it ends, even if it is empty."""


class _Found(Struct, frozen=True):
    """The *leaves* of a page, which passes the indexes below *following*, after a number of *windows*."""

    leaves: tuple[FeedLeaf, ...]
    following: int
    size: int
    windows: int


def feed_of(caller: Caller) -> str:
    """Return the name of the feed of *caller*; a limited key has the leaves of its tables in the feed of all tables."""
    return ALL_TABLES if caller.reads_all or caller.limits else caller.owner


@retry_after_swap
def size_of_log() -> int:
    """Return the number of leaves that have an index."""
    with reading(services().engine) as connection:
        return tree.head(connection).size


@expensive.restarted_with_turn
def read(caller: Caller, first: int, limit: int) -> FeedPage:
    """Return a page of at most *limit* events of the feed of *caller*, from the index *first* on.

    Raises:
        Problem: the key has ended, or the log has fewer than *first* leaves.
    """
    must_still_be_valid(caller)
    found = _find(caller, first, limit)
    cost = len(found.leaves) // request_cost.EVENTS_PER_UNIT + found.windows - 1
    expensive.must_have_turn(cost)
    items: dict[int, FeedItem] = {}
    broken: list[BrokenTable] = []
    by_stream = attrgetter("stream_id")
    for stream_id, leaves in groupby(sorted(found.leaves, key=by_stream), key=by_stream):
        of_table = {leaf.position: leaf.leaf_index for leaf in leaves}
        shown, damage = _shown(caller, stream_id, min(of_table), len(of_table))
        for event, item in shown:
            if (index := of_table.get(event.position)) is not None:
                items[index] = _item(event, item, stream_id, index, caller)
        if damage:
            broken.append(BrokenTable(table_id(stream_id), damage.position, damage.why))
    answer = FeedList(
        items=tuple(items[index] for index in sorted(items)),
        broken=tuple(broken),
        has_more=found.following < found.size,
        next=feed_cursors.cursor_after(found.following),
    )
    return FeedPage(answer, found.following, found.size, cost)


@retry_after_swap
def _find(caller: Caller, first: int, limit: int) -> _Found:
    """Return at most *limit* leaves of the feed, from the index *first* on.

    The windows go through all indexes, so they suit a feed that has many of them. After a window that did not fill the
    page, the next one begins at the feed's next leaf, wherever this leaf is.
    """
    feed = feed_of(caller)
    leaves: list[FeedLeaf] = []
    windows = 0
    with reading(services().engine) as connection:
        size = tree.head(connection).size
        feed_cursors.must_be_within(first, size)
        while first < size and windows < _MOST_WINDOWS:
            end, most = min(first + _WINDOW, size), limit - len(leaves)
            if caller.limits:
                leaves += feed_leaves.between_of(connection, audited_streams(caller), first, end, most)
            else:
                leaves += feed_leaves.between(connection, feed, first, end, most)
            windows += 1
            if len(leaves) == limit:
                first = leaves[-1].leaf_index + 1
                break
            first = end
            if first < size:
                expensive.must_have_turn(windows)
                first = _next_index(connection, feed, first, size)
    return _Found(tuple(leaves), first, size, max(1, windows))


def _next_index(connection: Connection, feed: str, first: int, size: int) -> int:
    """Return the lowest index from *first* on that *feed* has; *size* if there is none."""
    if feed == ALL_TABLES:
        return first
    following = feed_leaves.next_index(connection, feed, first)
    return size if following is None else following


@retry_after_swap
def _shown(
    caller: Caller, stream_id: bytes, first: int, number: int
) -> tuple[list[tuple[RecordedEvent, EventItem]], StreamCorrupted | None]:
    """Return a *number* of events of a table from the position *first* on, each also as the table itself shows it.

    If the table's log is damaged, return only events before the damage, and the damage. If *caller* may not see the
    table any more, return no events. Each table is read in a transaction of its own: the table cache may be newer than
    an earlier transaction.
    """
    shown: list[tuple[RecordedEvent, EventItem]] = []
    try:
        with reading(services().engine) as connection:
            table_at = visible_tables.known_table(connection, stream_id, caller)
            if table_at is None:
                return [], None
            recorded = visible_tables.sound_events(connection, table_at, first - 1, number)
            recorded, items = visible_tables.sound_items(connection, table_at, caller, recorded)
            shown = list(zip(recorded, items, strict=True))
            services().log.quarantine.require_sound(stream_id)
    except StreamCorrupted as error:
        return [(event, item) for event, item in shown if event.position < error.position], error
    return shown, None


def _item(event: RecordedEvent, item: EventItem, stream_id: bytes, index: int, caller: Caller) -> FeedItem:
    return FeedItem(
        leaf=item.leaf,
        hash=item.hash,
        openings=item.openings,
        fields=item.fields,
        table=table_id(stream_id),
        index=index,
        cursor=feed_cursors.cursor_after(index + 1),
        table_added=event.position - 1 if _adds_table(event, caller) else 0,
    )


def _adds_table(event: RecordedEvent, caller: Caller) -> bool:
    """Return whether *caller* gained the table with *event*; an auditor gains no table."""
    match event.event:
        case SeatTaken(player=player) | PlayerInvited(player=player):
            return player == caller.owner and not (caller.reads_all or caller.limits)
        case _:
            return False
