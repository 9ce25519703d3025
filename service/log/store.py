"""The log: streams of events, appended in one order, read back as they were hashed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row
from sqlalchemy.exc import IntegrityError

from service.entropy import Entropy
from service.log import codec, faults, holding, openings, sealing, statements
from service.log.database import reading
from service.log.entries import EMPTY, Draft, Entries, Entry, Head, stream_name
from service.log.holding import Break, Damages, Reader
from service.log.openings import FieldOpening
from service.log.sql import Row as SqlRow
from service.log.tables import command_column
from service.log.together import Rows

ALL: Final = holding.ALL
_TAKEN_AT_ONCE: Final = 500  # events


class StalePosition(Exception):
    """Somebody else appended first: the stream stands at *actual*, not at *expected*."""

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(f"expected the stream at position {expected}, found it at {actual}")
        self.expected = expected
        self.actual = actual


class CommandRecorded(Exception):
    """The stream holds the command's id already: it was made before."""


class StreamIsImported(Exception):
    """The stream was written by another service: here it is only read."""


class StreamExists(Exception):
    """A stream can be created once: this one was there already."""


class NoSuchStream(Exception):
    """Nothing was ever appended under this id, nor was it created."""


class NotSealed(LookupError):
    """Nothing is sealed there, or no more: it was erased, or its stream is another service's."""


class Log(Reader):
    """Appends and reads inside a transaction that its caller begins and ends."""

    def __init__(
        self, codec: codec.Codec, sealer: sealing.Sealer, entropy: Entropy, damages: Damages | None = None
    ) -> None:
        super().__init__(codec, damages or Damages())
        self._sealer = sealer
        self._entries = Entries(codec, sealer, entropy)
        self.sealed_beside: Final = sealing.Beside(sealer, entropy)

    def create(self, connection: Connection, stream_id: bytes, *, imported_at: str = "") -> Head:
        """Make an empty stream; with *imported_at* one that is taken in, and takes no commands.

        Raises:
            StreamExists: it is there; the transaction must end.
        """
        row = {"stream_id": stream_id, "head": 0, "head_hash": EMPTY.hash, "imported_at": imported_at or None}
        try:
            statements.CREATE.run(connection, row)
        except IntegrityError as error:
            if faults.classify(error) is faults.Fault.DUPLICATE_ROW:
                raise StreamExists(stream_name(stream_id)) from error
            raise
        return EMPTY

    def head(self, connection: Connection, stream_id: bytes) -> Head:
        """Return where the stream stands.

        Raises:
            NoSuchStream: it was never created.
        """
        row = statements.HEAD.run(connection, {"stream_id": stream_id}).first()
        if row is None:
            raise NoSuchStream(stream_name(stream_id))
        return Head(row.head, row.head_hash)

    def heads(self, engine: Engine, streams: Collection[bytes]) -> Mapping[bytes, int]:
        """Return at which position each of *streams* stands, those that there are."""
        with reading(engine) as connection:
            rows = connection.execute(statements.HEADS, {"streams": list(streams)})
            return {bytes(row.stream_id): row.head for row in rows}

    def imported_at(self, connection: Connection, stream_id: bytes) -> str:
        """Return when the stream was imported; "": it is written here, or there is none."""
        row = statements.IMPORTED.run(connection, {"stream_id": stream_id}).first()
        return (row.imported_at or "") if row else ""

    def take_in(self, connection: Connection, stream_id: bytes, recorded: Sequence[codec.Recorded]) -> None:
        """Add events as another service wrote them to a stream that was created as imported; they must run on."""
        for start in range(0, len(recorded), _TAKEN_AT_ONCE):
            page = recorded[start : start + _TAKEN_AT_ONCE]
            statements.GROW_IMPORTED.run(
                connection, {"stream_id": stream_id, "head": page[-1].position, "head_hash": page[-1].hash}
            )
            statements.EVENTS.run(connection, event_rows(stream_id, page))

    def hide(self, connection: Connection, stream_id: bytes, position: int, field: str, plaintext: bytes) -> None:
        """Seal what an imported stream tells of itself later, so that it is found where our own streams have it."""
        statements.SEALED.run(connection, [self._entries.sealed(stream_id, position, field, plaintext)])

    def entry(self, stream_id: bytes, head: Head, drafts: Sequence[Draft]) -> Entry:
        """Return *drafts*, at least one, as they are written right after *head*."""
        return self._entries.made(stream_id, head, drafts)

    def append(
        self, connection: Connection, stream_id: bytes, head: Head, drafts: Sequence[Draft]
    ) -> tuple[codec.Recorded, ...]:
        """Append *drafts*, at least one, right after *head*, with what is sealed in them.

        Raises:
            StalePosition, CommandRecorded, NoSuchStream, StreamIsImported, LogMustRunOn: as `write`.
        """
        entry = self.entry(stream_id, head, drafts)
        self.write(connection, entry)
        return entry.recorded

    def write(self, connection: Connection, entry: Entry) -> None:
        """Write *entry*, and wait for whoever is at its stream.

        Raises:
            StalePosition: the stream has gone on.
            CommandRecorded: a decision of it was recorded before; the transaction must end.
            NoSuchStream: it was never created.
            StreamIsImported: it is only read here.
            LogMustRunOn: it is not the stream that the entry's head was read from, or what it erases is not there.
        """
        new = {"head": entry.recorded[-1].position, "head_hash": entry.recorded[-1].hash}
        old = {"old_head": entry.head.position, "old_head_hash": entry.head.hash}
        if statements.ADVANCE.run(connection, {"stream_id": entry.stream_id, **new, **old}).rowcount != 1:
            raise self._why_not(connection, entry.stream_id, entry.head)
        try:
            for one in rows([entry]):
                one.insert.run(connection, one.rows)
        except IntegrityError as error:
            if faults.classify(error) is faults.Fault.DUPLICATE_COMMAND:
                raise CommandRecorded(stream_name(entry.stream_id)) from error
            raise
        for position, field in entry.erases:
            values = {"stream_id": entry.stream_id, "position": position, "field": field}
            if statements.ERASE.run(connection, values).rowcount != 1:
                raise self.damaged(connection, entry.stream_id, Break(position, holding.UNSEALED))

    def hidden(self, connection: Connection, stream_id: bytes, position: int, field: str) -> bytes:
        """Return what was sealed with the event at *position* under *field*, and is in no leaf.

        Raises:
            NotSealed: there is nothing, or no more.
        """
        values = {"stream_id": stream_id, "position": position, "field": field}
        row = statements.HIDDEN.run(connection, values).first()
        if row is None:
            raise NotSealed(f"{field} is not sealed at position {position} of {stream_name(stream_id)}")
        return self._opened(stream_id, position, field, row)

    def field(
        self, connection: Connection, stream_id: bytes, position: int, field: str, commitment: str
    ) -> FieldOpening:
        """Return the opening of the sealed *field* of the event at *position*, whose leaf commits to it so (hex).

        Raises:
            NotSealed: it was erased, or is another service's.
            OpeningMustMatch: it is not what the leaf commits to.
        """
        plaintext = self.hidden(connection, stream_id, position, field)
        return openings.checked(stream_name(stream_id), position, field, plaintext, commitment)

    def openings(
        self, connection: Connection, stream_id: bytes, recorded: Sequence[codec.Recorded]
    ) -> tuple[FieldOpening, ...]:
        """Return the openings of all sealed fields of *recorded*; fields that were erased have none.

        Who may have which of them is not decided here.

        Raises:
            OpeningMustMatch: one is not what its leaf commits to.
        """
        committed = {(one.position, field): seal.c for one in recorded for field, seal in one.priv.items()}
        if not committed:
            return ()
        positions = [position for position, _ in committed]
        values = {"stream_id": stream_id, "first": min(positions), "last": max(positions)}
        return tuple(
            self._opening(stream_id, row, committed[row.position, row.field])
            for row in statements.SEALED_FIELDS.run(connection, values)
            if (row.position, row.field) in committed
        )

    def _opened(self, stream_id: bytes, position: int, field: str, row: Row[Any]) -> bytes:
        kept = sealing.Sealed(row.key_id, row.nonce, row.ciphertext)
        return self._sealer.open(stream_name(stream_id), position, field, kept)

    def _opening(self, stream_id: bytes, row: Row[Any], commitment: str) -> FieldOpening:
        plaintext = self._opened(stream_id, row.position, row.field, row)
        return openings.checked(stream_name(stream_id), row.position, row.field, plaintext, commitment)

    def _why_not(self, connection: Connection, stream_id: bytes, head: Head) -> Exception:
        actual = self.head(connection, stream_id)
        if self.imported_at(connection, stream_id):
            return StreamIsImported(stream_name(stream_id))
        if actual.position > head.position:
            return StalePosition(head.position, actual.position)
        return self.damaged(connection, stream_id, Break(max(1, head.position), holding.BACKWARDS))


def rows(entries: Sequence[Entry]) -> tuple[Rows, ...]:
    """Return what *entries* add to the log and the sealed store."""
    events = [row for one in entries for row in event_rows(one.stream_id, one.recorded)]
    return Rows(statements.EVENTS, events), Rows(statements.SEALED, [row for one in entries for row in one.sealed])


def event_rows(stream_id: bytes, recorded: Iterable[codec.Recorded]) -> list[SqlRow]:
    """Return the rows of a stream's events."""
    return [(stream_id, one.position, one.leaf, command_column(one.cmd)) for one in recorded]
