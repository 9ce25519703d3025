"""One hand of a table, judged from a snapshot before it where its stream is long."""

from bisect import bisect_right

from msgspec import Struct
from sqlalchemy import Connection, select

from service.audit.judging.adjudicate import HandJudgement, adjudicate_hand
from service.audit.judging.audit_known import Fields
from service.audit.verdicts import Verdict
from service.event_store.codec import RecordedEvent
from service.event_store.store import Log
from service.projections.projection_tables import hands
from service.projections.swap_guard import require_current_projections
from service.tables.cache import TableCache
from service.tables.fold import TableAt


class _Part(Struct, frozen=True):
    """The *events* of a stream that come after *before*; *is_last*: nothing comes after them."""

    before: TableAt
    events: tuple[RecordedEvent, ...]
    is_last: bool


def adjudicate_stored_hand(  # noqa: PLR0913  # Where the hand is, and what is judged with.
    connection: Connection, log: Log, kept: TableCache, table_at: TableAt, hand: int, fields: Fields
) -> HandJudgement:
    """Decide again the hand number *hand* of the table that now stands in *table_at*.

    What is judged from a part of the stream is believed where it is clean, or pending at the stream's end. Anything
    else is judged again from the first event on, so that what is wrong is told as it would be without snapshots.

    Raises:
        LookupError: there is no such hand.
        StreamCorrupted: what was read does not hold.
    """
    stream_id = table_at.stream_id
    if part := _part(connection, log, kept, table_at, hand):
        try:
            judged = adjudicate_hand(stream_id, part.events, hand, fields=fields, before=part.before)
        except LookupError:
            judged = None
        if judged and (judged.verdict is Verdict.CLEAN or (part.is_last and judged.verdict is Verdict.PENDING)):
            return judged
    recorded = log.read(connection, stream_id, limit=table_at.position, head=table_at.head)
    return adjudicate_hand(stream_id, recorded, hand, fields=fields)


def _part(connection: Connection, log: Log, kept: TableCache, table_at: TableAt, hand: int) -> _Part | None:
    """Return the part of the stream that tells all of the decks that a hand was played with, if there is a start."""
    first = table_at.hand_first if hand == table_at.state.hand else _first(connection, table_at.stream_id, hand)
    opened = sorted(table_at.opened.values())
    place = bisect_right(opened, first)
    if place < _IN_USE or not first:
        return None
    before = kept.snapshot(connection, table_at.stream_id, opened[place - _IN_USE] - 1)
    if before is None:
        return None
    told = opened[place + _UNTIL_TOLD] if place + _UNTIL_TOLD < len(opened) else table_at.position
    events = log.read(connection, table_at.stream_id, before.head, told - before.position, head=table_at.head)
    return _Part(before, events, told == table_at.position)


def _first(connection: Connection, stream_id: bytes, hand: int) -> int:
    """Return where a settled hand begins; 0: the list of hands has none like it."""
    require_current_projections(connection)
    statement = select(hands.c.first).where(hands.c.stream_id == stream_id, hands.c.hand == hand)
    return connection.execute(statement).scalar() or 0


_IN_USE = 2  # decks: one in play and one in reserve
_UNTIL_TOLD = 2  # decks are opened after a hand begins, before the seeds of both are told
