"""The rows of the table `seats`: seats that are taken, and open invitations (G.10; DECISIONS 61)."""

from typing import Final

from sqlalchemy import Select, select

from service.games.table_state import TableState
from service.projections.projection_tables import seats

_LAST_SEAT: Final = 1_000
"""Up to it the column `seat` has the number of a seat, above it this plus the number of an invitation.

No other module interprets that column.
"""


def seat_and_invitation_rows(state: TableState) -> dict[int, str]:
    """Return the rows of a table's seats and open invitations: the player by the value of the column `seat`."""
    return {**state.players, **{_LAST_SEAT + number: player for number, player in state.invited.items()}}


def seats_of(player: str) -> Select[tuple[bytes]]:
    """Select the streams of the tables at which *player* has a seat."""
    return select(seats.c.stream_id).where(seats.c.player == player, seats.c.seat <= _LAST_SEAT)


def invitations_of(player: str) -> Select[tuple[bytes]]:
    """Select the streams of the tables to which *player* has an open invitation."""
    return select(seats.c.stream_id).where(seats.c.player == player, seats.c.seat > _LAST_SEAT)
