"""Reads streams: checks the hash chain of what it reads, and quarantines a stream whose chain is broken."""

# DECISIONS 84

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from sqlalchemy import Connection

from service.event_store import queries
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.hash_chain import (
    HASH_MISMATCH,
    HISTORY_CHANGED,
    LEAF_UNREADABLE,
    ChainPoint,
    KnownPoint,
    check_head,
    decode_chain,
    find_break,
)
from service.event_store.leaf import Malformed
from service.event_store.log_tables import command_column
from service.event_store.quarantine import ChainBreak, Quarantine, StreamCorrupted, StreamReplaced

ALL: Final = 2**31 - 1
"""A position, and a number of events, that no stream can reach."""


class StreamReader:
    """Reads the events of streams; every method that returns events, except `read_unchecked`, checks their chain."""

    def __init__(self, codec: Codec, quarantine: Quarantine) -> None:
        self._codec = codec
        self._quarantine = quarantine

    def read(
        self,
        connection: Connection,
        stream_id: bytes,
        after: int | ChainPoint = 0,
        limit: int = ALL,
        *,
        head: ChainPoint | None = None,
    ) -> tuple[RecordedEvent, ...]:
        """Return the events at positions above *after*, in order: at most *limit*, and none above *head*.

        If *after* has a hash, the first event must name this hash. *head* is a later point of the chain that the caller
        knows. With *head*, the hash of the last event is checked too: against the next event in the stream, or against
        *head*.

        Raises:
            StreamCorrupted: the chain is broken at one of the events, or an event is missing.
        """
        point = KnownPoint(after, b"") if isinstance(after, int) else after
        limit_with_next = min(limit + 1, max(0, head.position - point.position)) if head else limit
        values = {"stream_id": stream_id, "after": point.position, "limit": limit_with_next}
        leaves = [data for (data,) in queries.READ.all(connection, values)]
        events, broken = decode_chain(leaves, self._codec.decode, point)
        if head and not broken and len(events) <= limit:
            broken = check_head(events[-1] if events else point, head)
            events = events[:-1] if broken and events and broken.position == events[-1].position else events
        if broken:
            raise self.quarantine_stream(connection, stream_id, broken, tuple(events[:limit]))
        return tuple(events[:limit])

    def checked(
        self, connection: Connection, stream_id: bytes, leaves: Sequence[bytes], after: ChainPoint, head: ChainPoint
    ) -> tuple[RecordedEvent, ...]:
        """Return the events of *leaves*, which the caller has read.

        *leaves* must be all leaves of the stream between the point *after*, exclusive, and the point *head*, inclusive.

        Raises:
            StreamCorrupted: the chain is broken at one of the events, or an event is missing.
        """
        events, broken = decode_chain(leaves, self._codec.decode, after)
        broken = broken or check_head(events[-1] if events else after, head)
        if broken:
            raise self.quarantine_stream(connection, stream_id, broken, tuple(events))
        return tuple(events)

    def read_unchecked(self, connection: Connection, stream_id: bytes) -> tuple[RecordedEvent, ...]:
        """Return all events of a stream without checking its chain, so that an audit can judge a corrupted stream.

        Raises:
            StreamCorrupted: a leaf can't be decoded.
        """
        rows = queries.READ.all(connection, {"stream_id": stream_id, "after": 0, "limit": ALL})
        try:
            return tuple([self._codec.decode(data) for (data,) in rows])
        except Malformed as error:
            raise self.quarantine_stream(connection, stream_id, ChainBreak(1, LEAF_UNREADABLE)) from error

    def newer(
        self, connection: Connection, stream_id: bytes, since: ChainPoint, or_cmd: str = "", *, generation: int
    ) -> tuple[RecordedEvent, ...]:
        """Return all events after *since*.

        If the stream has the decision of the command *or_cmd* (hex) at or before *since*, this decision comes first.
        The caller read *since* in the cache generation *generation*.

        Raises:
            StreamCorrupted: the events do not follow *since*, or their chain is broken; the stream is a suspect, and
                its chain is broken at any position; or the chain is broken at the decision, or the decision's leaf
                names another command.
            StreamReplaced: another cache generation has begun, and the events do not follow *since* or their chain is
                broken.
        """
        if self._quarantine.is_suspected(stream_id):
            self._check_suspect(connection, stream_id)
        values = {"stream_id": stream_id, "after": since.position}
        if or_cmd:
            rows = queries.NEWER_OR_COMMAND.all(connection, {**values, "cmd": command_column(or_cmd)})
        else:
            rows = queries.NEWER.all(connection, values)
        head_hash = rows[-1][1] if rows else EMPTY.hash
        of_command = list(takewhile(since.position.__ge__, (position for position, _ in rows[:-1])))
        events, broken = decode_chain([data for _, data in rows[len(of_command) : -1]], self._codec.decode, since)
        if not broken and (events[-1] if events else since).hash != head_hash:
            last = events[-1].position if events else since.position
            broken = ChainBreak(last, HASH_MISMATCH if events else HISTORY_CHANGED)
        if broken:
            raise self.continuation_error(connection, stream_id, broken, generation)
        return (*(self._decision_at(connection, stream_id, at, or_cmd, since) for at in of_command), *events)

    def is_recorded(self, connection: Connection, stream_id: bytes, cmd: str) -> bool:
        """Return whether the stream has a decision of the command *cmd* (hex)."""
        row = queries.COMMAND.run(connection, {"stream_id": stream_id, "cmd": command_column(cmd)}).first()
        return row is not None

    def decision(self, connection: Connection, stream_id: bytes, cmd: str) -> RecordedEvent | None:
        """Return the decision of the command *cmd* (hex), or None if the stream has no such decision.

        Raises:
            StreamCorrupted: the chain is broken at the decision, or the leaf names another command.
        """
        row = queries.COMMAND.run(connection, {"stream_id": stream_id, "cmd": command_column(cmd)}).first()
        if row is None:
            return None
        head = queries.HEAD.run(connection, {"stream_id": stream_id}).one()
        return self._decision_at(connection, stream_id, row.position, cmd, KnownPoint(head.head, head.head_hash))

    def quarantine_stream(
        self, connection: Connection, stream_id: bytes, broken: ChainBreak, sound_events: tuple[RecordedEvent, ...] = ()
    ) -> StreamCorrupted:
        """Quarantine a stream with its first break, and return the error that the caller must raise.

        *broken* is the break that the caller found; an earlier break may exist. *sound_events* are those events before
        *broken* that the caller has read.
        """
        known = self._quarantine.get(stream_id)
        if known is None:
            known = self._quarantine.add(stream_id, find_break(connection, stream_id, self._codec) or broken)
        return StreamCorrupted(stream_id, *known, sound_events)

    def continuation_error(
        self, connection: Connection, stream_id: bytes, broken: ChainBreak, generation: int
    ) -> StreamCorrupted | StreamReplaced:
        """Return the error for a stream that does not continue from a point that was read in *generation*.

        The stream counts as corrupted only if the same database answered the earlier read and this read. After a change
        of generation another database may have answered, so the caller must read the stream again from its beginning.
        """
        if generation != self._quarantine.generation.number:
            return StreamReplaced(stream_id)
        return self.quarantine_stream(connection, stream_id, broken)

    def _decision_at(
        self, connection: Connection, stream_id: bytes, position: int, cmd: str, head: ChainPoint
    ) -> RecordedEvent:
        """Return the decision at *position*, whose row has the command *cmd* (hex) in the column `cmd`.

        Raises:
            StreamCorrupted: the chain is broken at *position*, or the leaf names another command.
        """
        events = self.read(connection, stream_id, position - 1, 1, head=head)
        if not events or command_column(events[0].cmd) != command_column(cmd):
            raise self.quarantine_stream(connection, stream_id, ChainBreak(position, HASH_MISMATCH))
        return events[0]

    def _check_suspect(self, connection: Connection, stream_id: bytes) -> None:
        """Check the whole chain of a suspected stream; if the chain is intact, remove the stream from the suspects.

        Raises:
            StreamCorrupted: the chain is broken.
        """
        if broken := find_break(connection, stream_id, self._codec):
            raise self.quarantine_stream(connection, stream_id, broken)
        self._quarantine.release(stream_id)
