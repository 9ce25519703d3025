"""The rows of the table `seats`: a row is a seat that a player has taken, or an open invitation (G.10).

The two kinds are told apart by the column `seat`: up to 1,000 it is the number of a seat, above it 1,000 and the number
of an invitation. No other module reads or writes that column by itself.
"""

from typing import Final

from sqlalchemy import Select, select

from service.games.table_state import TableState
from service.projections.projection_tables import seats

_LAST_SEAT: Final = 1_000


def seat_and_invitation_rows(state: TableState) -> dict[int, str]:
    """Return the rows of a table's seats and open invitations: by the value of the column `seat`, the player."""
    return {**state.players, **{_LAST_SEAT + number: player for number, player in state.invited.items()}}


def seats_of(player: str) -> Select[tuple[bytes]]:
    """Select the streams of the tables at which *player* has a seat."""
    return select(seats.c.stream_id).where(seats.c.player == player, seats.c.seat <= _LAST_SEAT)


def invitations_of(player: str) -> Select[tuple[bytes]]:
    """Select the streams of the tables to which *player* has an open invitation."""
    return select(seats.c.stream_id).where(seats.c.player == player, seats.c.seat > _LAST_SEAT)
