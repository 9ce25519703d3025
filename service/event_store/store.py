"""The log: creates streams, appends events with their sealed values, and opens sealed values (DECISIONS 81 and 84)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row
from sqlalchemy.exc import IntegrityError

from service.database import errors
from service.database.spread.node_readers import read_reachable
from service.database.sql import Row as SqlRow, padded
from service.entropy import Entropy
from service.event_store import codec, hash_chain, queries
from service.event_store.batch import RowsToInsert
from service.event_store.disclosure import SealedField, sealed_fields
from service.event_store.entries import EMPTY, Entry, EntryMaker, Head, UncommittedEvent, stream_name
from service.event_store.log_tables import command_column
from service.event_store.quarantine import ChainBreak, Quarantine
from service.event_store.stream_reader import StreamReader
from service.secrets import encryption, openings
from service.secrets.openings import Committed, FieldOpening

_IMPORT_PAGE: Final = 500  # events


class StalePosition(Exception):
    """Another command was appended first: the stream's head is at *actual*, not at *expected*."""

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(f"expected the stream at position {expected}, found it at {actual}")
        self.expected = expected
        self.actual = actual


class CommandRecorded(Exception):
    """The stream already has a decision with this command's id."""


class StreamIsImported(Exception):
    """Another service wrote this stream, so this service can't append commands to it."""


class StreamExists(Exception):
    """The stream to create already exists."""


class NoSuchStream(Exception):
    """There is no stream with this id."""


class NotSealed(LookupError):
    """The sealed store does not have the value: it was never sealed, was erased, or is sealed at another service."""


class Log:
    """Appends to streams, in transactions that the callers begin and end; *reader* reads the streams."""

    def __init__(
        self, codec: codec.Codec, sealer: encryption.Sealer, entropy: Entropy, quarantine: Quarantine | None = None
    ) -> None:
        self.quarantine: Final = quarantine or Quarantine()
        self.generation: Final = self.quarantine.generation
        self.reader: Final = StreamReader(codec, self.quarantine)
        self.snapshot_sealer: Final = encryption.SnapshotSealer(sealer, entropy)
        self._sealer = sealer
        self._entry_maker = EntryMaker(codec, sealer, entropy)

    def create(self, connection: Connection, stream_id: bytes, *, imported_at: str = "") -> Head:
        """Create an empty stream; with *imported_at*, create an imported stream, which accepts no commands.

        Raises:
            StreamExists: the stream exists; the caller must end the transaction.
        """
        row = {"stream_id": stream_id, "head": 0, "head_hash": EMPTY.hash, "imported_at": imported_at or None}
        try:
            queries.CREATE.run(connection, row)
        except IntegrityError as error:
            if errors.classify(error) is errors.Fault.DUPLICATE_ROW:
                raise StreamExists(stream_name(stream_id)) from error
            raise
        return EMPTY

    def head(self, connection: Connection, stream_id: bytes) -> Head:
        """Return the stream's head.

        Raises:
            NoSuchStream: the stream does not exist.
        """
        row = queries.HEAD.run(connection, {"stream_id": stream_id}).first()
        if row is None:
            raise NoSuchStream(stream_name(stream_id))
        return Head(row.head, row.head_hash)

    def heads(self, engine: Engine, streams: Collection[bytes]) -> Mapping[bytes, int]:
        """Return the position of the head of each of *streams*, by stream.

        A stream is left out if it does not exist, or if its node does not answer.
        """

        def read(connection: Connection) -> list[tuple[bytes, int]]:
            rows = connection.execute(queries.HEADS, {"streams": padded(streams)})
            return [(bytes(row.stream_id), row.head) for row in rows]

        return dict(chain(*read_reachable(engine, lambda reach: reach.each(read)).value))

    def imported_at(self, connection: Connection, stream_id: bytes) -> str:
        """Return when the stream was imported, or "" if this service writes the stream or has no such stream."""
        row = queries.IMPORTED.run(connection, {"stream_id": stream_id}).first()
        return (row.imported_at or "") if row else ""

    def begin_import(self, connection: Connection, stream_id: bytes, at: str) -> None:
        """Create an empty imported stream; *at* is the time of the import.

        The card table of the stream stays invisible until `end_import`.

        Raises:
            StreamExists: the stream exists; the caller must end the transaction.
        """
        self.create(connection, stream_id, imported_at=at)
        queries.IMPORT_BEGUN.run(connection, {"stream_id": stream_id})

    def end_import(self, connection: Connection, stream_id: bytes) -> None:
        """Make the card table of an imported stream visible."""
        queries.IMPORT_ENDED.run(connection, {"stream_id": stream_id})

    def is_unfinished(self, connection: Connection, stream_id: bytes) -> bool:
        """Return whether the stream's first import is running, was killed or failed."""
        return queries.UNFINISHED.run(connection, {"stream_id": stream_id}).first() is not None

    def append_imported(
        self, connection: Connection, stream_id: bytes, recorded: Sequence[codec.RecordedEvent]
    ) -> None:
        """Append events of another service to an imported stream; these events must continue the stream's chain."""
        for start in range(0, len(recorded), _IMPORT_PAGE):
            page = recorded[start : start + _IMPORT_PAGE]
            queries.GROW_IMPORTED.run(
                connection, {"stream_id": stream_id, "head": page[-1].position, "head_hash": page[-1].hash}
            )
            queries.EVENTS.run(connection, event_rows(stream_id, page))

    def seal_imported_value(
        self, connection: Connection, stream_id: bytes, position: int, field: str, plaintext: bytes
    ) -> None:
        """Seal a value of an imported stream, as if this service had recorded the stream."""
        queries.SEALED.run(connection, [self._entry_maker.sealed_row(stream_id, position, field, plaintext)])

    def erase_imported_value(self, connection: Connection, stream_id: bytes, position: int, field: str) -> None:
        """Delete a sealed value of an imported stream.

        The database refuses the deletion unless the last event of the service's own stream records this erasure.

        Raises:
            NotSealed: the value is gone already; the caller must roll the transaction back.
        """
        values = {"stream_id": stream_id, "position": position, "field": field}
        if queries.ERASE.run(connection, values).rowcount != 1:
            raise NotSealed(f"{field} is not sealed at position {position} of {stream_name(stream_id)}")

    def entry(
        self, stream_id: bytes, head: Head, uncommitted_events: Sequence[UncommittedEvent], at: str = ""
    ) -> Entry:
        """Return the entry that appends *uncommitted_events*, at least one event, right after *head*.

        *at* is the time of the events ("": now).
        """
        return self._entry_maker.make(stream_id, head, uncommitted_events, at)

    def write(self, connection: Connection, entry: Entry, generation: int) -> None:
        """Write *entry*, which was decided in cache generation *generation*; wait for other writers of its stream.

        Raises:
            StalePosition: the stream has newer events.
            CommandRecorded: the stream already has the command; the caller must end the transaction.
            NoSuchStream: the stream does not exist.
            StreamIsImported: the stream was imported.
            StreamCorrupted: at the position of the entry's head, the stream has no leaf or another leaf; or the sealed
                store lacks a value that the entry erases.
            StreamReplaced: another cache generation has begun, and at the position of the entry's head, the stream has
                no leaf or another leaf.
        """
        if not queries.advance(connection, entry):
            raise self._head_mismatch(connection, entry.stream_id, entry.head, generation)
        try:
            for insertion in rows([entry]):
                insertion.insert.run(connection, insertion.rows)
        except IntegrityError as error:
            if errors.classify(error) is errors.Fault.DUPLICATE_COMMAND:
                raise CommandRecorded(stream_name(entry.stream_id)) from error
            raise
        for position, field in entry.erases:
            values = {"stream_id": entry.stream_id, "position": position, "field": field}
            if queries.ERASE.run(connection, values).rowcount != 1:
                lost = ChainBreak(position, hash_chain.SEALED_VALUE_LOST)
                raise self.reader.quarantine_stream(connection, entry.stream_id, lost)

    def hidden(self, connection: Connection, stream_id: bytes, position: int, field: str) -> bytes:
        """Return the plaintext that was sealed under *field* with the event at *position*.

        Raises:
            NotSealed: nothing is sealed under *field* at *position*.
            WrongKey, Tampered: as for `Sealer.open`.
        """
        values = {"stream_id": stream_id, "position": position, "field": field}
        row = queries.HIDDEN.run(connection, values).first()
        if row is None:
            raise NotSealed(f"{field} is not sealed at position {position} of {stream_name(stream_id)}")
        return self._plaintext(stream_id, position, field, row)

    def field(self, connection: Connection, stream_id: bytes, sealed: SealedField) -> FieldOpening:
        """Return the opening of the sealed field *sealed*.

        Raises:
            NotSealed, WrongKey, Tampered: as for `hidden`.
            OpeningMustMatch: the sealed value does not match the commitments in the leaf.
        """
        plaintext = self.hidden(connection, stream_id, sealed.position, sealed.field)
        return openings.open_field(stream_name(stream_id), sealed.position, sealed.field, plaintext, sealed.committed)

    def openings(
        self, connection: Connection, stream_id: bytes, recorded: Sequence[codec.RecordedEvent]
    ) -> tuple[FieldOpening, ...]:
        """Return the openings of those sealed fields of *recorded* that the sealed store has.

        The caller decides who may read the openings.

        Raises:
            OpeningMustMatch: a sealed value does not match the commitment in its leaf.
            WrongKey, Tampered: as for `Sealer.open`.
        """
        committed = {(one.position, one.field): one for each in recorded for one in sealed_fields(each)}
        if not committed:
            return ()
        positions = [position for position, _ in committed]
        values = {"stream_id": stream_id, "first": min(positions), "last": max(positions)}
        return tuple(
            self._opening(stream_id, row, committed[row.position, row.field].committed)
            for row in queries.SEALED_FIELDS.run(connection, values)
            if (row.position, row.field) in committed
        )

    def _plaintext(self, stream_id: bytes, position: int, field: str, row: Row[Any]) -> bytes:
        sealed = encryption.Sealed(row.key_id, row.nonce, row.ciphertext)
        return self._sealer.open(stream_name(stream_id), position, field, sealed)

    def _opening(self, stream_id: bytes, row: Row[Any], committed: Committed) -> FieldOpening:
        plaintext = self._plaintext(stream_id, row.position, row.field, row)
        return openings.open_field(stream_name(stream_id), row.position, row.field, plaintext, committed)

    def _head_mismatch(self, connection: Connection, stream_id: bytes, head: Head, generation: int) -> Exception:
        """Return the error for an entry that does not begin at the stream's head."""
        actual = self.head(connection, stream_id)
        if self.imported_at(connection, stream_id):
            return StreamIsImported(stream_name(stream_id))
        if actual.position > head.position:
            return StalePosition(head.position, actual.position)
        broken = ChainBreak(max(1, head.position), hash_chain.HISTORY_CHANGED)
        return self.reader.continuation_error(connection, stream_id, broken, generation)


def rows(entries: Sequence[Entry]) -> tuple[RowsToInsert, ...]:
    """Return the rows that *entries* add to the log, to the sealed store and to the outbox."""
    events = [row for entry in entries for row in event_rows(entry.stream_id, entry.recorded)]
    sealed = [row for entry in entries for row in entry.sealed]
    outbox = [(entry.stream_id, entry.recorded[-1].position) for entry in entries]
    return (
        RowsToInsert(queries.EVENTS, events),
        RowsToInsert(queries.SEALED, sealed),
        RowsToInsert(queries.OUTBOX, outbox),
    )


def event_rows(stream_id: bytes, recorded: Iterable[codec.RecordedEvent]) -> list[SqlRow]:
    """Return the rows of the table `events` for *recorded*."""
    return [(stream_id, one.position, one.leaf, command_column(one.cmd)) for one in recorded]
