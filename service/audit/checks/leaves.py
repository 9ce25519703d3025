"""Checks a stream's rows: the form of each leaf (log/v1), the hash chain, the column `cmd`, and the head row."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.canonical import NotCanonical
from service.event_store.codec import Codec, RecordedEvent, recorded
from service.event_store.entries import Head, place_name, stream_name
from service.event_store.leaf import NO_HASH, Malformed, leaf_hash
from service.event_store.log_tables import command_column


class Row(NamedTuple):
    """A row of the SQL table `events`, without the stream's id."""

    position: int
    leaf: bytes
    cmd: bytes | None


class ChainCheck:
    """Checks and decodes the rows of one stream, in the order of their positions."""

    def __init__(self, stream_id: bytes, codec: Codec) -> None:
        self.recorded: RecordedEvent | None = None
        """The event of the last checked row; None: the row's leaf cannot be decoded, or no row has been checked."""
        self.rows = 0
        self._codec = codec
        self._stream = stream_name(stream_id)
        self._table = place_name(stream_id)
        self._position = 0
        self._hash = NO_HASH
        self._commands: set[str] = set()

    def check_row(self, row: Row) -> Iterator[Finding]:
        """Check the next row, and decode its leaf."""
        self.rows += 1
        runs_on = row.position == self._position + 1
        if not runs_on:
            missing = self._position + 1
            yield self._finding(missing, "positions_must_run_on", "an event", f"{NOTHING} before {row.position}")
        self.recorded = None
        read_leaf: Any = None
        try:
            read_leaf = self._codec.read_leaf(row.leaf)
            self.recorded = recorded(read_leaf, row.leaf)
            self._codec.check_canonical(row.leaf, read_leaf)
        except Malformed as error:
            yield self._finding(row.position, "leaf_must_be_readable", "a leaf of log/v1", str(error))
        except NotCanonical as error:
            yield self._finding(row.position, "leaf_must_be_canonical", "the bytes that log/v1 writes", str(error))
        if self.recorded:
            yield from self._bound(row, self.recorded, read_leaf.stream, runs_on=runs_on)
        self._position = row.position
        self._hash = (self.recorded.hash if self.recorded else leaf_hash(row.leaf)).hex()

    def check_end(self, head: Head | None) -> Iterator[Finding]:
        """Compare the last event with *head*, which is None if the stream has no head row."""
        last = f"position {self._position}, leaf hash {self._hash}"
        found = f"position {head.position}, leaf hash {head.hash.hex()}" if head else NOTHING
        if found != last or not self._position:
            expected = last if self._position else "at least one event, which opens the table"
            yield self._finding(self._position, "head_row_must_be_the_last_leaf", expected, found, "streams")

    def _bound(self, row: Row, recorded: RecordedEvent, stream: str, *, runs_on: bool) -> Iterator[Finding]:
        if stream != self._stream:
            yield self._finding(row.position, "stream_must_be_its_own", self._stream, stream)
        if recorded.position != row.position:
            expected, found = f"position {row.position}", f"position {recorded.position}"
            yield self._finding(row.position, "position_must_be_the_leafs", expected, found)
        if runs_on and recorded.prev != self._hash:
            # Either this leaf was altered, or the previous leaf. The finding names the position of the previous leaf: a
            # forger is more likely to alter the members of the previous leaf than the `prev` of this leaf.
            ours, theirs = f"leaf hash {recorded.prev}", f"leaf hash {self._hash}"
            yield self._finding(self._position or 1, "next_leaf_must_name_this_one", ours, theirs, "prev")
        if recorded.cmd or row.cmd is not None:
            yield from self._commanded(row, recorded.cmd)

    def _commanded(self, row: Row, cmd: str) -> Iterator[Finding]:
        if row.cmd != (expected := command_column(cmd)):
            ours, theirs = (each.hex() if each else NOTHING for each in (expected, row.cmd))
            yield self._finding(row.position, "cmd_column_must_be_the_leafs", ours, theirs, "cmd")
        if cmd in self._commands:
            yield self._finding(row.position, "command_must_be_recorded_once", "a new command id", cmd, "cmd")
        if cmd:
            self._commands.add(cmd)

    def _finding(self, position: int, check: str, expected: str, found: str, detail: str = "") -> Finding:
        return Finding(table=self._table, position=position, check=check, expected=expected, found=found, detail=detail)
