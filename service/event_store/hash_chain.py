"""The hash chain of a stream: each leaf has the hash of the leaf before it; the head row has the last leaf's hash."""

# DECISIONS 39 and 84

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Protocol

from sqlalchemy import ColumnElement, Connection, select

from service.event_store import leaf, queries
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.leaf import Malformed
from service.event_store.log_tables import IS_OF_TABLE, streams
from service.event_store.quarantine import ChainBreak

_PAGE: Final = 1_000  # events

LEAF_UNREADABLE: Final = "the leaf can't be read"
HASH_MISMATCH: Final = "the next leaf, or the head, names another hash"
EVENT_MISSING: Final = "an event is missing"
HEAD_MISSING: Final = "the head row of the stream is missing"
EVENT_IMPOSSIBLE: Final = "the rules can't apply the event there"
LEAF_NOT_IN_TREE: Final = "the tree of the log has another leaf"
SEALED_VALUE_LOST: Final = "a value sealed with the event is missing or altered, and no erasure is recorded"
HISTORY_CHANGED: Final = "the stream differs from what was read before: it was changed, or an old database restored"


class ChainPoint(Protocol):
    """A point of the chain: an event's *position* (0: before the first event) and the *hash* of its leaf."""

    @property
    def position(self) -> int:
        """The event's position."""

    @property
    def hash(self) -> bytes:
        """The hash of the event's leaf, which the next leaf must name; b"": unknown."""


class KnownPoint(NamedTuple):
    """A `ChainPoint` whose event has not been read: only its position, and perhaps its hash, are known."""

    position: int
    hash: bytes


def decode_chain(
    leaves: Iterable[bytes], decode: Callable[[bytes], RecordedEvent], after: ChainPoint
) -> tuple[list[RecordedEvent], ChainBreak | None]:
    """Decode *leaves*, which follow the point *after* of their stream.

    Return the events before the first break of the chain, and the break. If the chain is intact, return all events, and
    None.
    """
    events: list[RecordedEvent] = []
    position, expected_prev = after.position, after.hash.hex()
    for data in leaves:
        position += 1
        try:
            event = decode(data)
        except Malformed:
            return events, ChainBreak(position, LEAF_UNREADABLE)
        if event.position != position:
            return events, ChainBreak(position, EVENT_MISSING)
        if expected_prev and event.prev != expected_prev:
            # Either leaf may have been altered. The break has the earlier position, so that no reader trusts an altered
            # earlier leaf.
            return events[:-1], ChainBreak(max(1, position - 1), HASH_MISMATCH)
        expected_prev = event.hash.hex()
        events.append(event)
    return events, None


def check_head(last: ChainPoint, head: ChainPoint) -> ChainBreak | None:
    """Compare *last*, the last event that was read, with the stream's *head*, and return the break.

    Return None if *last* and *head* agree, if *last* is newer, or if *last* is at the head and its hash is unknown.
    """
    if last.position == head.position and last.hash not in {b"", head.hash}:
        return ChainBreak(max(1, last.position), HASH_MISMATCH)
    return ChainBreak(last.position + 1, EVENT_MISSING) if last.position < head.position else None


def find_break(connection: Connection, stream_id: bytes, codec: Codec) -> ChainBreak | None:
    """Read the whole stream, and return the first break of its chain, or None if the chain is intact."""
    row = queries.HEAD.run(connection, {"stream_id": stream_id}).first()
    head: ChainPoint = KnownPoint(row.head, row.head_hash) if row else EMPTY
    last: ChainPoint = EMPTY
    while last.position < head.position:
        limit = min(_PAGE, head.position - last.position)
        values = {"stream_id": stream_id, "after": last.position, "limit": limit}
        leaves = [data for (data,) in queries.READ.all(connection, values)]
        events, found = decode_chain(leaves, codec.decode, last)
        if found or not leaves:
            return found or ChainBreak(last.position + 1, EVENT_MISSING)
        last = events[-1]
    return check_head(last, head)


def find_breaks(
    connection: Connection, codec: Codec, max_events: int, which: ColumnElement[bool] = IS_OF_TABLE
) -> tuple[int, dict[bytes, ChainBreak]]:
    """Check the streams that meet the condition *which*, by default all tables; *codec* must know their events.

    Skip a stream if the check would read more than *max_events* events in total with this stream.

    Return the number of checked events, and the breaks by stream.
    """
    checked, breaks = 0, dict[bytes, ChainBreak]()
    heads = select(streams.c.stream_id, streams.c.head).where(which)
    for stream_id, head in connection.execute(heads.limit(max_events)).all():
        if checked + head <= max_events:
            checked += head
            if found := find_break(connection, stream_id, codec):
                breaks[bytes(stream_id)] = found
    return checked, breaks


def matches_next(data: bytes, following: bytes | None, head: ChainPoint) -> bool:
    """Return whether the leaf *following* (None: the head row *head*) names the hash of the leaf *data*."""
    try:
        expected = leaf.decode(following).prev if following else head.hash.hex()
    except Malformed:
        return False
    return leaf.leaf_hash(data).hex() == expected
