"""Compares the snapshots of a table with the states of a replay at the same positions (DECISIONS 42)."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace
from sqlalchemy import Connection

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.event_store.store import Log
from service.tables import snapshots
from service.tables.fold import Step, table_id

CHECK: Final = "snapshots_must_equal_a_rebuild"


class SnapshotCheck:
    """Compares the snapshots of one table with a replay.

    The check leaves out the snapshots of other releases, because this release never reads those snapshots.
    """

    def __init__(self, connection: Connection, log: Log, stream_id: bytes) -> None:
        self._connection = connection
        self._log = log
        self._stream_id = stream_id
        self._left = set(snapshots.positions(connection, stream_id))

    def check_command(self, steps: Sequence[Step]) -> Iterator[Finding]:
        """Check the snapshot at the end of the next command, if there is a snapshot."""
        table_at = steps[-1].after
        if table_at.position not in self._left:
            return
        self._left.remove(table_at.position)
        try:
            snapshot = snapshots.at(self._connection, self._log, self._stream_id, table_at.position)
        except snapshots.Unusable as error:
            yield self._finding(table_at.position, "the snapshot as it was written", str(error))
            return
        if snapshot is not None and snapshot != replace(table_at, imported_at=""):
            yield self._finding(table_at.position, "the state after a replay", "another state")

    def check_end(self) -> Iterator[Finding]:
        """Yield a finding for each snapshot whose position is not the end of a command."""
        for position in sorted(self._left):
            yield self._finding(position, "the end of a command", NOTHING)

    def _finding(self, position: int, expected: str, found: str) -> Finding:
        table = table_id(self._stream_id)
        return Finding(table=table, position=position, check=CHECK, expected=expected, found=found)
