"""Which hand a position belongs to, and what was sealed in it before."""

from sqlalchemy import Connection, select

from service.event_store import disclosure
from service.event_store.disclosure import NOTHING_SEALED, DisclosureState
from service.event_store.store import Log
from service.games.game import nothing_sealed
from service.projections.projection_tables import hands
from service.projections.swap_guard import require_current_projections
from service.tables.fold import TableAt


def disclosure_before(connection: Connection, log: Log, table_at: TableAt, position: int) -> DisclosureState:
    """Return the sealed fields that the events from *position* on may still open, at the table in *table_at*.

    Whatever is sealed in a hand is open, or never will be, by its end: no event before the hand matters.
    """
    if table_at.game.sealed is nothing_sealed:
        return NOTHING_SEALED
    if position > table_at.position:
        return table_at.sealed
    first = _first_of_hand(connection, table_at, position)
    kept: DisclosureState = NOTHING_SEALED
    if first == position:
        return kept
    for one in log.read(connection, table_at.stream_id, first - 1, position - first, head=table_at.head):
        kept = disclosure.evolve(kept, one)
    return kept


def _first_of_hand(connection: Connection, table_at: TableAt, position: int) -> int:
    """Return where the hand begins that the event at *position* is part of; *position* itself where it is of none."""
    if table_at.state.hand_is_running and position >= table_at.hand_first:
        return table_at.hand_first
    require_current_projections(connection)
    statement = (
        select(hands.c.first)
        .where(hands.c.stream_id == table_at.stream_id, hands.c.first <= position, hands.c.last >= position)
        .limit(1)
    )
    return connection.execute(statement).scalar() or position
