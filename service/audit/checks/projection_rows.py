"""Compares the projections of a table with a rebuild from the table's events."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Table

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.database.sql import Sql
from service.event_store.stream_reader import ALL
from service.projections import projector
from service.projections.projection_tables import hands, seats, snapshots, tables, transfers
from service.projections.seats_and_invitations import rows_of_left, seat_and_invitation_rows
from service.projections.swap_guard import require_current_projections
from service.tables.fold import Step, table_id

CHECKS: Final = frozenset(
    f"{table.name}_must_equal_a_rebuild" for table in (transfers, tables, seats, hands, snapshots)
)

Values = tuple[Any, ...]

_KEYS: Final = {"transfers": 2, "hands": 1, "seats": 1, "tables": 0}  # how many key columns follow the stream's id
_BEFORE_ALL: Final = -(2**31)
_ALL: Final[Mapping[str, int]] = {}
_BATCH: Final = 500


class ProjectionCheck:
    """Rebuilds the projections' rows of one card table, and compares these rows with the stored rows."""

    def __init__(self, connection: Connection, stream_id: bytes) -> None:
        require_current_projections(connection)
        self._connection = connection
        self._stream_id = stream_id
        self._table = table_id(stream_id)
        self._transfers: list[Values] = []
        self._hands: list[Values] = []
        self._left: list[Values] = []
        self._compared = _BEFORE_ALL
        self._opened_at = ""
        self._last: Step | None = None

    def check_command(self, steps: Sequence[Step]) -> Iterator[Finding]:
        """Rebuild the rows that the next command added; compare the transfers in batches of _BATCH or more."""
        self._opened_at = self._opened_at or steps[0].recorded.at
        self._last = steps[-1]
        self._transfers += [row for step in steps for row in projector.transfer_rows(step)]
        self._hands += projector.hand_rows(steps)
        self._left += rows_of_left(steps)
        if len(self._transfers) >= _BATCH:
            yield from self._moved(steps[-1].recorded.position)

    def check_end(self) -> Iterator[Finding]:
        """Compare the remaining transfers, the hands, and the rows of `seats` and `tables`."""
        yield from self._moved(ALL)
        yield from self._compare(hands, self._hands, lambda row: int(row[2]))
        position = 0
        taken: list[Values] = []
        row: list[Values] = []
        if self._last:
            position, state = self._last.recorded.position, self._last.after.state
            taken = [*seat_and_invitation_rows(state).items(), *self._left]
            values = projector.table_row(self._opened_at, state)
            row = [tuple(values[name] for name in tables.columns.keys()[1:])]
        yield from self._compare(seats, taken, lambda _: position)
        yield from self._compare(tables, row, lambda _: position)

    def _moved(self, upto: int) -> Iterator[Finding]:
        """Compare the transfers after the last compared position, up to the position *upto*."""
        some = {"first": self._compared + 1, "last": upto}
        yield from self._compare(transfers, self._transfers, lambda row: int(row[1]), some)
        self._transfers, self._compared = [], upto

    def _compare(
        self,
        table: Table,
        expected: list[Values],
        position: Callable[[Values], int],
        some: Mapping[str, int] = _ALL,
    ) -> Iterator[Finding]:
        stored = _STORED[table.name].all(self._connection, {"stream_id": self._stream_id, **some})
        # The fast path. If the lists differ, perhaps only in their order, the rows are compared by key.
        if stored == expected:
            return
        ours, theirs = _by_key(table, expected), _by_key(table, stored)
        for key in sorted(ours.keys() | theirs.keys()):
            wanted, found = ours.get(key), theirs.get(key)
            if wanted != found:
                yield self._finding(table, position(wanted or found or ()), key, wanted, found)

    def _finding(
        self, table: Table, position: int, key: Values, wanted: Values | None, found: Values | None
    ) -> Finding:
        _, *names = table.columns.keys()
        differ: list[str] = []
        if wanted and found:
            differ = [name for name, ours, theirs in zip(names, wanted, found, strict=True) if ours != theirs]
        return Finding(
            table=self._table,
            position=position,
            check=f"{table.name}_must_equal_a_rebuild",
            expected=_members(names, wanted, differ),
            found=_members(names, found, differ),
            detail=", ".join(f"{name} {value}" for name, value in zip(names, key, strict=False)),
        )


def _by_key(table: Table, rows: Sequence[Values]) -> dict[Values, Values]:
    return {row[: _KEYS[table.name]]: row for row in rows}


def _members(names: Sequence[str], row: Values | None, wanted: Collection[str] = ()) -> str:
    """Return as text, such as "hand 3, first 17", the columns of *row* with the names *wanted* (empty: all columns)."""
    if row is None:
        return NOTHING
    pairs = zip(names, row, strict=True)
    return ", ".join(f"{name} {value}" for name, value in pairs if not wanted or name in wanted)


def _read(table: Table, where: str = "") -> Sql:
    """Return the statement that reads a stream's rows of *table*, without the column `stream_id`."""
    _, *names = table.columns.keys()
    keys = ", ".join(table.primary_key.columns.keys())
    rows = f"FROM {table.name} WHERE stream_id = :stream_id{where} ORDER BY {keys}"
    return Sql(f"SELECT {', '.join(names)} {rows}")


_STORED: Final = {
    table.name: _read(table, " AND position BETWEEN :first AND :last" if table is transfers else "")
    for table in (transfers, hands, seats, tables)
}
