"""Adjudicates one hand of a stored table, from a snapshot if the database has one (DECISIONS 42 and 125)."""

from bisect import bisect_right

from msgspec import Struct
from sqlalchemy import Connection, select

from service.audit.judging.adjudicate import HandJudgement, adjudicate_hand
from service.audit.judging.audit_known import Fields
from service.audit.verdicts import Verdict
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import ChainPoint
from service.event_store.store import Log
from service.games.table_state import TableState
from service.projections.projection_tables import hands
from service.projections.swap_guard import require_current_projections
from service.tables.cache import TableCache
from service.tables.fold import TableAt


class _Part(Struct, frozen=True):
    """The *events* after the table state *before* (None: the first events); *is_last*: no later event is recorded."""

    before: TableAt | None
    events: tuple[RecordedEvent, ...]
    is_last: bool


def adjudicate_stored_hand(  # noqa: PLR0913  # The parameters say where the hand is stored, and how to judge it.
    connection: Connection, log: Log, cache: TableCache, table_at: TableAt, hand: int, fields: Fields
) -> HandJudgement:
    """Decide again the decisions of hand number *hand* of the table *table_at*.

    If `_part` returns a part of the stream, the hand is first judged from this part. A clean verdict is then final; a
    pending verdict is final only if the part reaches the end of the stream. If there is no final verdict, the hand is
    judged from the whole stream. So the report of a failure does not depend on snapshots.

    Raises:
        LookupError: the table has no such hand.
        StreamCorrupted: the hash chain of the events is broken.
    """
    stream_id = table_at.stream_id
    if part := _part(connection, log, cache, table_at, hand):
        try:
            judged = adjudicate_hand(stream_id, part.events, hand, fields=fields, before=part.before)
        except LookupError:
            judged = None
        if judged and (judged.verdict is Verdict.CLEAN or (part.is_last and judged.verdict is Verdict.PENDING)):
            return judged
    recorded = log.reader.read(connection, stream_id, limit=table_at.position, head=table_at.head)
    return adjudicate_hand(stream_id, recorded, hand, fields=fields)


def _part(connection: Connection, log: Log, cache: TableCache, table_at: TableAt, hand: int) -> _Part | None:
    """Return a part of the stream with the events about a hand's decks; None: the hand's place is not known.

    `_in_use` says when the part lacks some of these events. The part begins after the last snapshot before the
    commitments to these decks, or with the first event if there is no such snapshot.
    """
    first = table_at.hand_first if hand == table_at.state.hand else _first(connection, table_at.stream_id, hand)
    opened = sorted(table_at.opened.values())
    if not first:
        return None
    place, in_use = bisect_right(opened, first), _in_use(table_at.state)
    upto = opened[place - in_use] - 1 if place >= in_use else 0
    before = cache.from_snapshot(connection, table_at.stream_id, upto) if upto else None
    start: ChainPoint = before.head if before else EMPTY
    cache.missing_snapshots.note_read(table_at.stream_id, start.position, upto)
    last = opened[place + in_use] if place + in_use < len(opened) else table_at.position
    events = log.reader.read(connection, table_at.stream_id, start, last - start.position, head=table_at.head)
    return _Part(before, events, last == table_at.position)


def _first(connection: Connection, stream_id: bytes, hand: int) -> int:
    """Return the position of a settled hand's first event, or 0 if the projection `hands` has no such hand."""
    require_current_projections(connection)
    statement = select(hands.c.first).where(hands.c.stream_id == stream_id, hands.c.hand == hand)
    return connection.execute(statement).scalar() or 0


def _in_use(state: TableState) -> int:
    """Return how many decks may be in use when a hand begins.

    Without players' seeds: one deck in play and one in reserve. With players' seeds: the decks of two batches, and the
    decks of the start of the game. Until the seeds of these decks are revealed, the service commits to at most the same
    number of further decks. But if players came and left, further batches may have ended meanwhile. Then the part lacks
    events about the hand's decks, and `adjudicate_stored_hand` reads the whole stream.
    """
    return 2 * state.DECKS_OF_BATCH + state.DECKS_OF_START if state.seeds == "players" else 2
