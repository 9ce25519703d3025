"""Which hand a position belongs to, and what was sealed in it before."""

from sqlalchemy import Connection, select

from service.games.game import nothing_sealed
from service.log import silence
from service.log.silence import UNBROKEN, Silence
from service.log.store import Log
from service.projections.generation import must_be_in_use
from service.projections.situations import Situation
from service.projections.tables import hands


def silence_before(connection: Connection, log: Log, situation: Situation, position: int) -> Silence:
    """Return the sealed fields that the events from *position* on may still open, at the table in *situation*.

    Whatever is sealed in a hand is open, or never will be, by its end: no event before the hand matters.
    """
    if situation.game.sealed is nothing_sealed:
        return UNBROKEN
    if position > situation.position:
        return situation.sealed
    first = _first_of_hand(connection, situation, position)
    kept: Silence = UNBROKEN
    if first == position:
        return kept
    for one in log.read(connection, situation.stream_id, first - 1, position - first, head=situation.head):
        kept = silence.follow(kept, one)
    return kept


def _first_of_hand(connection: Connection, situation: Situation, position: int) -> int:
    """Return where the hand begins that the event at *position* is part of; *position* itself where it is of none."""
    if situation.state.hand_is_running and position >= situation.hand_first:
        return situation.hand_first
    must_be_in_use(connection)
    statement = (
        select(hands.c.first)
        .where(hands.c.stream_id == situation.stream_id, hands.c.first <= position, hands.c.last >= position)
        .limit(1)
    )
    return connection.execute(statement).scalar() or position
