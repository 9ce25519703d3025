"""Whether a stream still holds: each leaf named by the next one, the last by its head row. And what to do where not."""

from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Final, NamedTuple, Protocol

from sqlalchemy import Connection, select

from service.event_store import leaf, queries
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.leaf import Malformed
from service.event_store.log_tables import command_column, streams
from service.event_store.quarantine import ChainBreak, Quarantine, StreamCorrupted, StreamReplaced

_PAGE: Final = 1_000
_NOTHING: Final = bytes(32)
ALL: Final = 2**31 - 1
"""More events than a stream can hold."""

LEAF_UNREADABLE: Final = "the leaf can't be read"
HASH_MISMATCH: Final = "the leaf is not the one that what follows it names"
EVENT_MISSING: Final = "an event is missing"
EVENT_IMPOSSIBLE: Final = "the event can't come there"
SEALED_VALUE_LOST: Final = "what was sealed with the event is missing or altered, and no erasure is on record"
HISTORY_CHANGED: Final = "the stream is not the one that was read before: it was changed, or a database restored"


class ChainPoint(Protocol):
    """An event by its *position* (0: before the first) and its leaf's *hash*."""

    @property
    def position(self) -> int:
        """Where it stands."""

    @property
    def hash(self) -> bytes:
        """What the next one must name; b"": it is not known."""


class KnownPoint(NamedTuple):
    """As `ChainPoint`, of what was not read."""

    position: int
    hash: bytes


def decode_chain(
    leaves: Iterable[bytes], decode: Callable[[bytes], RecordedEvent], since: ChainPoint
) -> tuple[list[RecordedEvent], ChainBreak | None]:
    """Decode *leaves*, which come right after *since*, as far as each names the one before it."""
    found: list[RecordedEvent] = []
    position, named = since.position, since.hash.hex()
    for data in leaves:
        position += 1
        try:
            one = decode(data)
        except Malformed:
            return found, ChainBreak(position, LEAF_UNREADABLE)
        if one.position != position:
            return found, ChainBreak(position, EVENT_MISSING)
        if named and one.prev != named:
            # The leaf before is the one that anybody would alter.
            return found[:-1], ChainBreak(max(1, position - 1), HASH_MISMATCH)
        named = one.hash.hex()
        found.append(one)
    return found, None


def check_head(last: ChainPoint, head: ChainPoint) -> ChainBreak | None:
    """Hold the *last* event that there is against the *head* row; None: it is that one, or was read before the head."""
    if last.position == head.position and last.hash not in {b"", head.hash}:
        return ChainBreak(max(1, last.position), HASH_MISMATCH)
    return ChainBreak(last.position + 1, EVENT_MISSING) if last.position < head.position else None


def find_break(connection: Connection, stream_id: bytes, codec: Codec) -> ChainBreak | None:
    """Go through the whole stream, and return where it does not hold at first; None: as a chain it holds."""
    row = queries.HEAD.run(connection, {"stream_id": stream_id}).first()
    head = KnownPoint(row.head, row.head_hash) if row else KnownPoint(0, _NOTHING)
    last: ChainPoint = KnownPoint(0, _NOTHING)
    while last.position < head.position:
        most = min(_PAGE, head.position - last.position)
        values = {"stream_id": stream_id, "after": last.position, "limit": most}
        leaves = [data for (data,) in queries.READ.all(connection, values)]
        read, found = decode_chain(leaves, codec.decode, last)
        if found or not leaves:
            return found or ChainBreak(last.position + 1, EVENT_MISSING)
        last = read[-1]
    return check_head(last, head)


def find_breaks(connection: Connection, codec: Codec, most: int) -> tuple[int, dict[bytes, ChainBreak]]:
    """Go through streams of *most* events together; return of how many, and where those break that do not hold."""
    checked, found = 0, dict[bytes, ChainBreak]()
    for stream_id, head in connection.execute(select(streams.c.stream_id, streams.c.head).limit(most)).all():
        if checked + head <= most:
            checked += head
            if broken := find_break(connection, stream_id, codec):
                found[bytes(stream_id)] = broken
    return checked, found


class Reader:
    """Reads streams, and passes on nothing that does not hold; where something does not, it says so once."""

    def __init__(self, codec: Codec, quarantine: Quarantine) -> None:
        self.quarantine: Final = quarantine
        self.generation: Final = quarantine.generation
        self._codec = codec

    def read(
        self,
        connection: Connection,
        stream_id: bytes,
        after: int | ChainPoint = 0,
        limit: int = ALL,
        *,
        head: ChainPoint | None = None,
    ) -> tuple[RecordedEvent, ...]:
        """Return the events at positions above *after*, in order, each named by the next one.

        Where *after* is an event, the first must name it; with *head*, up to which the stream is known to hold,
        the last is held against what comes after it.

        Raises:
            StreamCorrupted: one of them is not as it was hashed.
        """
        last = KnownPoint(after, b"") if isinstance(after, int) else after
        more = min(limit + 1, max(0, head.position - last.position)) if head else limit
        values = {"stream_id": stream_id, "after": last.position, "limit": more}
        leaves = [data for (data,) in queries.READ.all(connection, values)]
        found, broken = decode_chain(leaves, self._codec.decode, last)
        if head and not broken and len(found) <= limit:
            broken = check_head(found[-1] if found else last, head)
            found = found[:-1] if broken and found and broken.position == found[-1].position else found
        if broken:
            raise self.quarantine_stream(connection, stream_id, broken, tuple(found[:limit]))
        return tuple(found[:limit])

    def read_unchecked(self, connection: Connection, stream_id: bytes) -> tuple[RecordedEvent, ...]:
        """Return all events of a stream that does not hold, to be judged.

        Raises:
            StreamCorrupted: one can't be read at all.
        """
        rows = queries.READ.all(connection, {"stream_id": stream_id, "after": 0, "limit": ALL})
        try:
            return tuple([self._codec.decode(data) for (data,) in rows])
        except Malformed as error:
            raise self.quarantine_stream(connection, stream_id, ChainBreak(1, LEAF_UNREADABLE)) from error

    def newer(
        self, connection: Connection, stream_id: bytes, since: ChainPoint, or_cmd: str = "", *, generation: int
    ) -> tuple[RecordedEvent, ...]:
        """Return all events after *since*, up to where the stream stands, and before them the decision *or_cmd* (hex).

        *since* was read in a *generation*.

        Raises:
            StreamCorrupted: they do not, or one is not as it was hashed.
            StreamReplaced: they do not come after *since*, and another generation has begun.
        """
        if self.quarantine.is_suspected(stream_id):
            self._go_through(connection, stream_id)
        values = {"stream_id": stream_id, "after": since.position}
        if or_cmd:
            found = queries.NEWER_OR_COMMAND.all(connection, {**values, "cmd": command_column(or_cmd)})
        else:
            found = queries.NEWER.all(connection, values)
        head = found[-1][1] if found else _NOTHING
        earlier = list(takewhile(since.position.__ge__, (position for position, _ in found[:-1])))
        newer, broken = decode_chain([data for _, data in found[len(earlier) : -1]], self._codec.decode, since)
        if not broken and (newer[-1] if newer else since).hash != head:
            broken = (
                ChainBreak(newer[-1].position, HASH_MISMATCH) if newer else ChainBreak(since.position, HISTORY_CHANGED)
            )
        if broken:
            raise self.continuation_error(connection, stream_id, broken, generation)
        return (*(self._made_by(connection, stream_id, position, or_cmd, since) for position in earlier), *newer)

    def is_recorded(self, connection: Connection, stream_id: bytes, cmd: str) -> bool:
        """Tell whether the command *cmd* (hex) was recorded."""
        found = queries.COMMAND.run(connection, {"stream_id": stream_id, "cmd": command_column(cmd)})
        return found.first() is not None

    def decision(self, connection: Connection, stream_id: bytes, cmd: str) -> RecordedEvent | None:
        """Return the decision of the command *cmd* (hex); None: it was not recorded.

        Raises:
            StreamCorrupted: it is not as it was hashed.
        """
        row = queries.COMMAND.run(connection, {"stream_id": stream_id, "cmd": command_column(cmd)}).first()
        if row is None:
            return None
        head = queries.HEAD.run(connection, {"stream_id": stream_id}).one()
        return self._made_by(connection, stream_id, row.position, cmd, KnownPoint(head.head, head.head_hash))

    def _made_by(
        self, connection: Connection, stream_id: bytes, position: int, cmd: str, head: ChainPoint
    ) -> RecordedEvent:
        """Return the decision at *position*, at which the command *cmd* (hex) was found; up to *head* it holds.

        Raises:
            StreamCorrupted: it is not as it was hashed, or it is another command's.
        """
        found = self.read(connection, stream_id, position - 1, 1, head=head)
        if not found or command_column(found[0].cmd) != command_column(cmd):
            raise self.quarantine_stream(connection, stream_id, ChainBreak(position, HASH_MISMATCH))
        return found[0]

    def quarantine_stream(
        self, connection: Connection, stream_id: bytes, seen: ChainBreak, sound_events: tuple[RecordedEvent, ...] = ()
    ) -> StreamCorrupted:
        """Remember that the stream does not hold, from where it breaks at first, and return what says so.

        *sound_events* is what was read before the break that was *seen*.
        """
        known = self.quarantine.get(stream_id)
        if known is None:
            known = self.quarantine.add(stream_id, find_break(connection, stream_id, self._codec) or seen)
        return StreamCorrupted(stream_id, *known, sound_events)

    def continuation_error(
        self, connection: Connection, stream_id: bytes, seen: ChainBreak, generation: int
    ) -> StreamCorrupted | StreamReplaced:
        """Return what says that the stream does not run on from what was read of it in a *generation*.

        It is damaged only if all was read from one database: else it is to be read again, from its beginning.
        """
        if generation != self.generation.number:
            return StreamReplaced(stream_id)
        return self.quarantine_stream(connection, stream_id, seen)

    def _go_through(self, connection: Connection, stream_id: bytes) -> None:
        """Read all of a stream that is suspected.

        Raises:
            StreamCorrupted: it does not hold.
        """
        if found := find_break(connection, stream_id, self._codec):
            raise self.quarantine_stream(connection, stream_id, found)
        self.quarantine.remove(stream_id)

    def matches_next(self, data: bytes, following: bytes | None, head: ChainPoint) -> bool:
        """Tell whether the leaf *data* is the one that the leaf *following* names; None: whether *head* does."""
        try:
            named = leaf.decode(following).prev if following else head.hash.hex()
        except Malformed:
            return False
        return leaf.leaf_hash(data).hex() == named
