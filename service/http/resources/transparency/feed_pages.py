"""Reads pages of a feed: finds the leaves by their indexes, and each table's events as the table itself shows them."""

# DECISIONS 100

from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection

from service.database.engines import reading
from service.database.spread.node_readers import Reach, read_reachable
from service.event_store.codec import RecordedEvent
from service.event_store.quarantine import StreamCorrupted
from service.games.common_events import PlayerInvited, SeatTaken
from service.http.operations import expensive, request_cost
from service.http.problems.problem import RETRY, Problem
from service.http.request import feed_cursors, visible_tables
from service.http.request.authentication import must_still_be_valid
from service.http.request.context import Caller
from service.http.request.services import services
from service.http.request.visible_tables import audited_streams
from service.http.responses.log_feed import BrokenTable, FeedItem, FeedList, FeedPage
from service.projections import feed_leaves, partial_feed
from service.projections.feed_leaves import ALL_TABLES, FeedLeaf
from service.projections.swap_guard import retry_after_swap
from service.tables.cache import Seen
from service.tables.envelopes import EventItem
from service.tables.fold import table_id
from service.transparency import tree

_WINDOW: Final = feed_leaves.WINDOW
"""The length of a window: the service looks for the leaves of a feed among this many successive indexes at a time."""
_MOST_WINDOWS: Final = 10
"""A page reads at most this many windows; then it ends, even if it is empty."""


class _Found(Struct, frozen=True):
    """The *leaves* of a page. *windows* is the number of windows that were read for the page.

    *following* is the index at which the next page begins. *size* is the number of leaves in the log.
    """

    leaves: tuple[FeedLeaf, ...]
    following: int
    size: int
    windows: int


def feed_of(caller: Caller) -> str:
    """Return the name of the feed that *caller* reads; a limited key selects its tables from the feed of all tables."""
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
        Problem: the key has ended, the log has fewer than *first* leaves, or the next leaf is at a node of the database
            that is down.
    """
    must_still_be_valid(caller)
    found = _find(caller, first, limit)
    cost = len(found.leaves) // request_cost.EVENTS_PER_UNIT + found.windows - 1
    expensive.must_have_turn(cost)
    items, broken = _read_tables(caller, found.leaves)
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

    Raises:
        Problem: the log has fewer than *first* leaves, or the next leaf is at a node of the database that is down.
    """
    found = read_reachable(services().engine, lambda reach: _find_in(reach, caller, first, limit)).value
    if found.following == first < found.size:
        raise Problem(
            "database_must_answer", "The feed's next event is at a database server that is down.", headers=RETRY
        )
    return found


def _find_in(reach: Reach, caller: Caller, first: int, limit: int) -> _Found:
    """Return at most *limit* leaves, as `_find` does.

    While a node is down, return only the leaves before the first leaf at that node, unless the caller's key is limited.

    A window covers successive indexes of all tables, so few windows are enough if the feed has most of the leaves. If a
    window has not filled the page, the next window begins at the next leaf of the owner's feed, however far away this
    leaf is. In the feed of all tables, the next window begins right after the window before.
    """
    feed = feed_of(caller)
    leaves: list[FeedLeaf] = []
    windows = 0
    size = tree.head(reach.connection).size
    feed_cursors.must_be_within(first, size)
    while first < size and windows < _MOST_WINDOWS:
        end, most = min(first + _WINDOW, size), limit - len(leaves)
        if caller.limits:
            more, known = feed_leaves.between_of(reach.connection, audited_streams(caller), first, end, most), end
        else:
            more, known = partial_feed.between(reach, feed, first, end, most)
        leaves += more
        windows += 1
        if len(leaves) == limit:
            first = leaves[-1].leaf_index + 1
            break
        first = known
        if known < end:
            break
        if first < size:
            expensive.must_have_turn(windows)
            first = _next_index(reach, feed, first, size)
    return _Found(tuple(leaves), first, size, max(1, windows))


@retry_after_swap
def _read_tables(caller: Caller, leaves: Sequence[FeedLeaf]) -> tuple[dict[int, FeedItem], list[BrokenTable]]:
    """Return the events of *leaves* by index, as far as *caller* may see them, and the damaged tables.

    One transaction reads all tables. The cache is read before this transaction begins, because a cached table must
    not be newer than the transaction.
    """
    of_tables: dict[bytes, dict[int, int]] = {}
    for leaf in leaves:
        of_tables.setdefault(leaf.stream_id, {})[leaf.position] = leaf.leaf_index
    items: dict[int, FeedItem] = {}
    broken: list[BrokenTable] = []
    seen = services().tables.seen(of_tables)
    with reading(services().engine) as connection:
        for stream_id, indexes in sorted(of_tables.items()):
            shown, damage = _shown(connection, caller, stream_id, indexes, seen)
            for event, item in shown:
                if (index := indexes.get(event.position)) is not None:
                    items[index] = _item(event, item, stream_id, index, caller)
            if damage:
                broken.append(BrokenTable(table_id(stream_id), damage.position, damage.why))
    return items, broken


def _next_index(reach: Reach, feed: str, first: int, size: int) -> int:
    """Return the lowest index from *first* on that an owner's *feed* has; *size* if there is none.

    In the feed of all tables, or while a node is down, return *first*.
    """
    if feed == ALL_TABLES or reach.is_node_by_node:
        return first
    following = feed_leaves.next_index(reach.connection, feed, first)
    return size if following is None else following


def _shown(
    connection: Connection, caller: Caller, stream_id: bytes, positions: Collection[int], seen: Seen
) -> tuple[list[tuple[RecordedEvent, EventItem]], StreamCorrupted | None]:
    """Return as many events of a table as there are *positions*, from the first of these positions on.

    Each event comes with its item in the table's own list. If the table's log is damaged, return only the events before
    the damage, and the damage. If *caller* may not see the table any more, return no events.
    """
    shown: list[tuple[RecordedEvent, EventItem]] = []
    try:
        table_at = visible_tables.known_table(connection, stream_id, caller, seen)
        if table_at is None:
            return [], None
        recorded = visible_tables.sound_events(connection, table_at, min(positions) - 1, len(positions))
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
    """Return whether *event* added the table to the feed of *caller*.

    No event adds a table to the feed of an auditor or an approver.
    """
    match event.event:
        case SeatTaken(player=player) | PlayerInvited(player=player):
            return player == caller.owner and not (caller.reads_all or caller.limits)
        case _:
            return False
