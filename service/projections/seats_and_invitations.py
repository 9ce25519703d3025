"""The rows of the SQL table `seats`: taken seats and open invitations (G.10; DECISIONS 61)."""

from typing import Final

from sqlalchemy import Select, select

from service.games.table_state import TableState
from service.projections.projection_tables import seats

_LAST_SEAT: Final = 1_000
"""In the column `seat`, a value up to _LAST_SEAT is the number of a seat.

A greater value is _LAST_SEAT plus the number of an invitation. No other module interprets the column.
"""


def seat_and_invitation_rows(state: TableState) -> dict[int, str]:
    """Return the rows of a table's taken seats and open invitations, as a map from the column `seat` to the player."""
    return {**state.players, **{_LAST_SEAT + number: player for number, player in state.invited.items()}}


def seats_of(player: str) -> Select[tuple[bytes]]:
    """Return a query for the streams of the tables at which *player* has a seat."""
    return select(seats.c.stream_id).where(seats.c.player == player, seats.c.seat <= _LAST_SEAT)


def invitations_of(player: str) -> Select[tuple[bytes]]:
    """Return a query for the streams of the tables to which *player* has an open invitation."""
    return select(seats.c.stream_id).where(seats.c.player == player, seats.c.seat > _LAST_SEAT)
