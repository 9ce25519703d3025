"""The rows of the SQL table `seats`: taken seats, open invitations, and players who left (G.10)."""

# DECISIONS 61 and 117

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, Select, and_, func, or_, select

from service.games.common_events import SeatLeft
from service.games.table_state import TableState
from service.projections.projection_tables import seats
from service.projections.swap_guard import require_current_projections
from service.tables.fold import Step

_LAST_SEAT: Final = 1_000
"""In the column `seat`, a value up to _LAST_SEAT is the number of a seat.

A greater value, up to LAST_INVITATION, is _LAST_SEAT plus the number of an invitation. A value above LAST_INVITATION is
LAST_INVITATION plus the position of the event by which the player left a seat.
"""

LAST_INVITATION: Final = 1_000_000_000
"""Rows with at most this value of the column `seat` follow from the state of the table; other rows never change."""


def seat_and_invitation_rows(state: TableState) -> dict[int, str]:
    """Return the rows of a table's taken seats and open invitations, as a map from the column `seat` to the player."""
    return {**state.players, **{_LAST_SEAT + number: player for number, player in state.invited.items()}}


def rows_of_left(steps: Sequence[Step]) -> list[tuple[int, str]]:
    """Return the rows of the players who left their seats in *steps*, each with the column `seat` and the player."""
    return [
        (LAST_INVITATION + step.recorded.position, player)
        for step in steps
        if isinstance(step.recorded.event, SeatLeft)
        and (player := step.before.players.get(step.recorded.event.seat, ""))
    ]


def seats_of(player: str) -> Select[tuple[bytes]]:
    """Return a query for the streams of the tables at which *player* has a seat."""
    return select(seats.c.stream_id).where(seats.c.player == player, seats.c.seat <= _LAST_SEAT)


def seats_ever_of(player: str) -> Select[tuple[bytes]]:
    """Return a query for the streams of the tables at which *player* has or had a seat."""
    is_seat = or_(seats.c.seat <= _LAST_SEAT, seats.c.seat > LAST_INVITATION)
    return select(seats.c.stream_id).where(seats.c.player == player, is_seat)


def invitations_of(player: str) -> Select[tuple[bytes]]:
    """Return a query for the streams of the tables to which *player* has an open invitation."""
    is_invitation = and_(seats.c.seat > _LAST_SEAT, seats.c.seat <= LAST_INVITATION)
    return select(seats.c.stream_id).where(seats.c.player == player, is_invitation)


def last_left(connection: Connection, stream_id: bytes, player: str) -> int:
    """Return the position of the event by which *player* last left a seat at a table; 0: there is no such event."""
    require_current_projections(connection)
    is_left = and_(seats.c.stream_id == stream_id, seats.c.player == player, seats.c.seat > LAST_INVITATION)
    last = connection.execute(select(func.max(seats.c.seat)).where(is_left)).scalar_one()
    return last - LAST_INVITATION if last else 0
