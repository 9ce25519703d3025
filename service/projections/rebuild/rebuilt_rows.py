"""The rows that a rebuild has computed and not written yet."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct
from sqlalchemy import Connection, text

from service.projections.projection_tables import hands, seats, tables, transfers
from service.projections.projector import hand_rows, table_row, transfer_rows
from service.projections.rebuild.bulk_load import load
from service.projections.rebuild.shadow_build import PROGRESS, ShadowBuild, progress
from service.projections.seats_and_invitations import LAST_INVITATION, rows_of_left, seat_and_invitation_rows
from service.tables.fold import Step, TableAt

Values: TypeAlias = tuple[Any, ...]


class RebuiltTable(Struct, frozen=True):
    """A card table at the last rebuilt position."""

    table_at: TableAt
    opened_at: str


class RebuiltRows(Struct):
    """Rows to write in one transaction: new rows, and the *latest* state of each stream.

    *left* are the rows of players who left their seats. The rows of the latest state replace older rows of the streams
    in *stored*; the other streams have no rows yet.
    """

    transfers: list[Values] = []
    hands: list[Values] = []
    left: list[Values] = []
    latest: dict[bytes, RebuiltTable] = {}
    stored: set[bytes] = set()

    @property
    def count(self) -> int:
        """The approximate number of rows."""
        return len(self.transfers) + len(self.hands) + len(self.left) + len(self.latest)

    def add(self, stream_id: bytes, steps: Sequence[Step], rebuilt: RebuiltTable, *, is_stored: bool) -> None:
        """Add the rows of a command.

        *rebuilt*: the table after the command. *is_stored*: the shadow build already has rows of this table.
        """
        self.transfers += [(stream_id, *row) for step in steps for row in transfer_rows(step)]
        self.hands += [(stream_id, *row) for row in hand_rows(steps)]
        self.left += [(stream_id, *row) for row in rows_of_left(steps)]
        self.latest[stream_id] = rebuilt
        if is_stored:
            self.stored.add(stream_id)

    def write(self, connection: Connection, shadow: ShadowBuild) -> None:
        """Write all rows into the shadow build."""
        load(connection, shadow.name(transfers.name), transfers, self.transfers)
        load(connection, shadow.name(hands.name), hands, self.hands)
        if self.stored:
            for name, of_state in ((tables.name, ""), (seats.name, _OF_STATE), (PROGRESS, "")):
                delete = text(f"DELETE FROM {shadow.name(name)} WHERE stream_id = :stream_id{of_state}")  # noqa: S608
                connection.execute(delete, [{"stream_id": stream_id} for stream_id in self.stored])
        latest = self.latest.items()
        load(connection, shadow.name(tables.name), tables, [_of_table(*one) for one in latest])
        load(
            connection,
            shadow.name(seats.name),
            seats,
            [*self.left, *(row for one in latest for row in _of_seats(*one))],
        )
        reached = [(stream_id, rebuilt.table_at.position) for stream_id, rebuilt in latest]
        load(connection, shadow.name(PROGRESS), progress, reached)


_OF_STATE: Final = f" AND seat <= {LAST_INVITATION}"


def _of_table(stream_id: bytes, rebuilt: RebuiltTable) -> Values:
    values = {"stream_id": stream_id, **table_row(rebuilt.opened_at, rebuilt.table_at.state)}
    return tuple(values[name] for name in tables.columns.keys())  # noqa: SIM118  # The columns are not a mapping.


def _of_seats(stream_id: bytes, rebuilt: RebuiltTable) -> Iterator[Values]:
    return ((stream_id, seat, player) for seat, player in seat_and_invitation_rows(rebuilt.table_at.state).items())
