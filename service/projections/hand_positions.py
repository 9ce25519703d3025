"""Computes a table's disclosure state at a position, from the events of one hand (DECISIONS 32)."""

from sqlalchemy import Connection, select

from service.event_store import disclosure
from service.event_store.disclosure import NOTHING_SEALED, DisclosureState
from service.event_store.store import Log
from service.projections.projection_tables import hands
from service.projections.swap_guard import require_current_projections
from service.tables.fold import TableAt


def disclosure_before(connection: Connection, log: Log, table_at: TableAt, position: int) -> DisclosureState:
    """Return the disclosure state of the table *table_at* before the event at *position*.

    The state has at least the sealed fields that the event at *position* or a later event can make public. At the end
    of a hand, all sealed fields of the hand are public or closed for good. So this function reads only the hand at
    *position*.
    """
    if not table_at.game.sealed_types:
        return NOTHING_SEALED
    if position > table_at.position:
        return table_at.sealed
    first = _first_of_hand(connection, table_at, position)
    state: DisclosureState = NOTHING_SEALED
    if first == position:
        return state
    for one in log.reader.read(connection, table_at.stream_id, first - 1, position - first, head=table_at.head):
        state = disclosure.evolve(state, one)
    return state


def _first_of_hand(connection: Connection, table_at: TableAt, position: int) -> int:
    """Return the first position of the hand that has the event at *position*, or *position* if no hand has it."""
    if table_at.state.hand_is_running and position >= table_at.hand_first:
        return table_at.hand_first
    require_current_projections(connection)
    statement = (
        select(hands.c.first)
        .where(hands.c.stream_id == table_at.stream_id, hands.c.first <= position, hands.c.last >= position)
        .limit(1)
    )
    return connection.execute(statement).scalar() or position
