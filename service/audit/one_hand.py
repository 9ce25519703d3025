"""One hand of a table, judged from a snapshot before it where its stream is long."""

from bisect import bisect_right

from msgspec import Struct
from sqlalchemy import Connection, select

from service.audit.adjudicate import HandJudgement, adjudicate_hand
from service.audit.known import Fields
from service.audit.verdicts import Verdict
from service.log.codec import Recorded
from service.log.store import Log
from service.projections.generation import must_be_in_use
from service.projections.kept import Situations
from service.projections.situations import Situation
from service.projections.tables import hands


class _Part(Struct, frozen=True):
    """The *events* of a stream that come after *before*; *is_last*: nothing comes after them."""

    before: Situation
    events: tuple[Recorded, ...]
    is_last: bool


def judge_hand(  # noqa: PLR0913  # Where the hand is, and what is judged with.
    connection: Connection, log: Log, kept: Situations, situation: Situation, hand: int, fields: Fields
) -> HandJudgement:
    """Decide again the hand number *hand* of the table that now stands in *situation*.

    What is judged from a part of the stream is believed where it is clean, or pending at the stream's end. Anything
    else is judged again from the first event on, so that what is wrong is told as it would be without snapshots.

    Raises:
        LookupError: there is no such hand.
        LogMustRunOn: what was read does not hold.
    """
    stream_id = situation.stream_id
    if part := _part(connection, log, kept, situation, hand):
        try:
            judged = adjudicate_hand(stream_id, part.events, hand, fields=fields, before=part.before)
        except LookupError:
            judged = None
        if judged and (judged.verdict is Verdict.CLEAN or (part.is_last and judged.verdict is Verdict.PENDING)):
            return judged
    recorded = log.read(connection, stream_id, limit=situation.position, head=situation.head)
    return adjudicate_hand(stream_id, recorded, hand, fields=fields)


def _part(connection: Connection, log: Log, kept: Situations, situation: Situation, hand: int) -> _Part | None:
    """Return the part of the stream that tells all of the decks that a hand was played with, if there is a start."""
    first = situation.hand_first if hand == situation.state.hand else _first(connection, situation.stream_id, hand)
    opened = sorted(situation.opened.values())
    place = bisect_right(opened, first)
    if place < _IN_USE or not first:
        return None
    before = kept.snapshot(connection, situation.stream_id, opened[place - _IN_USE] - 1)
    if before is None:
        return None
    told = opened[place + _UNTIL_TOLD] if place + _UNTIL_TOLD < len(opened) else situation.position
    events = log.read(connection, situation.stream_id, before.head, told - before.position, head=situation.head)
    return _Part(before, events, told == situation.position)


def _first(connection: Connection, stream_id: bytes, hand: int) -> int:
    """Return where a settled hand begins; 0: the list of hands has none like it."""
    must_be_in_use(connection)
    statement = select(hands.c.first).where(hands.c.stream_id == stream_id, hands.c.hand == hand)
    return connection.execute(statement).scalar() or 0


_IN_USE = 2  # decks: one in play and one in reserve
_UNTIL_TOLD = 2  # decks are opened after a hand begins, before the seeds of both are told
