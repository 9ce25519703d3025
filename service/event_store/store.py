"""The log: streams of events, appended in one order, read back as they were hashed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row
from sqlalchemy.exc import IntegrityError

from service.database import errors
from service.database.engines import reading
from service.database.sql import Row as SqlRow
from service.entropy import Entropy
from service.event_store import codec, hash_chain, queries
from service.event_store.batch import RowsToInsert
from service.event_store.entries import EMPTY, Entry, EntryMaker, Head, UncommittedEvent, stream_name
from service.event_store.hash_chain import Reader
from service.event_store.log_tables import command_column
from service.event_store.quarantine import ChainBreak, Quarantine
from service.secrets import encryption, openings
from service.secrets.openings import FieldOpening

ALL: Final = hash_chain.ALL
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
        self, codec: codec.Codec, sealer: encryption.Sealer, entropy: Entropy, quarantine: Quarantine | None = None
    ) -> None:
        super().__init__(codec, quarantine or Quarantine())
        self._sealer = sealer
        self._entries = EntryMaker(codec, sealer, entropy)
        self.snapshot_sealer: Final = encryption.SnapshotSealer(sealer, entropy)

    def create(self, connection: Connection, stream_id: bytes, *, imported_at: str = "") -> Head:
        """Make an empty stream; with *imported_at* one that is taken in, and takes no commands.

        Raises:
            StreamExists: it is there; the transaction must end.
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
        """Return where the stream stands.

        Raises:
            NoSuchStream: it was never created.
        """
        row = queries.HEAD.run(connection, {"stream_id": stream_id}).first()
        if row is None:
            raise NoSuchStream(stream_name(stream_id))
        return Head(row.head, row.head_hash)

    def heads(self, engine: Engine, streams: Collection[bytes]) -> Mapping[bytes, int]:
        """Return at which position each of *streams* stands, those that there are."""
        with reading(engine) as connection:
            rows = connection.execute(queries.HEADS, {"streams": list(streams)})
            return {bytes(row.stream_id): row.head for row in rows}

    def imported_at(self, connection: Connection, stream_id: bytes) -> str:
        """Return when the stream was imported; "": it is written here, or there is none."""
        row = queries.IMPORTED.run(connection, {"stream_id": stream_id}).first()
        return (row.imported_at or "") if row else ""

    def begin_import(self, connection: Connection, stream_id: bytes, at: str) -> None:
        """Make an empty stream that is imported at the moment *at*; nobody is shown it before `end_import`.

        Raises:
            StreamExists: it is there; the transaction must end.
        """
        self.create(connection, stream_id, imported_at=at)
        queries.IMPORT_BEGUN.run(connection, {"stream_id": stream_id})

    def end_import(self, connection: Connection, stream_id: bytes) -> None:
        """Let an imported stream be seen from now on."""
        queries.IMPORT_ENDED.run(connection, {"stream_id": stream_id})

    def is_unfinished(self, connection: Connection, stream_id: bytes) -> bool:
        """Tell whether the stream's first import is under way, or was killed."""
        return queries.UNFINISHED.run(connection, {"stream_id": stream_id}).first() is not None

    def append_imported(
        self, connection: Connection, stream_id: bytes, recorded: Sequence[codec.RecordedEvent]
    ) -> None:
        """Add events as another service wrote them to a stream that was created as imported; they must run on."""
        for start in range(0, len(recorded), _TAKEN_AT_ONCE):
            page = recorded[start : start + _TAKEN_AT_ONCE]
            queries.GROW_IMPORTED.run(
                connection, {"stream_id": stream_id, "head": page[-1].position, "head_hash": page[-1].hash}
            )
            queries.EVENTS.run(connection, event_rows(stream_id, page))

    def seal_imported_value(
        self, connection: Connection, stream_id: bytes, position: int, field: str, plaintext: bytes
    ) -> None:
        """Seal what an imported stream tells of itself later, so that it is found where our own streams have it."""
        queries.SEALED.run(connection, [self._entries.sealed(stream_id, position, field, plaintext)])

    def entry(self, stream_id: bytes, head: Head, uncommitted_events: Sequence[UncommittedEvent]) -> Entry:
        """Return *uncommitted_events*, at least one, as they are written right after *head*."""
        return self._entries.make(stream_id, head, uncommitted_events)

    def append(
        self, connection: Connection, stream_id: bytes, head: Head, uncommitted_events: Sequence[UncommittedEvent]
    ) -> tuple[codec.RecordedEvent, ...]:
        """Append *uncommitted_events*, at least one, right after *head*, with what is sealed in them.

        Raises:
            StalePosition, CommandRecorded, NoSuchStream, StreamIsImported, StreamCorrupted: as `write`.
        """
        entry = self.entry(stream_id, head, uncommitted_events)
        self.write(connection, entry, self.generation.number)
        return entry.recorded

    def write(self, connection: Connection, entry: Entry, generation: int) -> None:
        """Write *entry*, which was decided in a *generation*, and wait for whoever is at its stream.

        Raises:
            StalePosition: the stream has gone on.
            CommandRecorded: a decision of it was recorded before; the transaction must end.
            NoSuchStream: it was never created.
            StreamIsImported: it is only read here.
            StreamCorrupted: it is not the stream that the entry's head was read from, or what it erases is not there.
            StreamReplaced: it is another stream than that, and another generation has begun.
        """
        new = {"head": entry.recorded[-1].position, "head_hash": entry.recorded[-1].hash}
        old = {"old_head": entry.head.position, "old_head_hash": entry.head.hash}
        if queries.ADVANCE.run(connection, {"stream_id": entry.stream_id, **new, **old}).rowcount != 1:
            raise self._why_not(connection, entry.stream_id, entry.head, generation)
        try:
            for one in rows([entry]):
                one.insert.run(connection, one.rows)
        except IntegrityError as error:
            if errors.classify(error) is errors.Fault.DUPLICATE_COMMAND:
                raise CommandRecorded(stream_name(entry.stream_id)) from error
            raise
        for position, field in entry.erases:
            values = {"stream_id": entry.stream_id, "position": position, "field": field}
            if queries.ERASE.run(connection, values).rowcount != 1:
                raise self.quarantine_stream(
                    connection, entry.stream_id, ChainBreak(position, hash_chain.SEALED_VALUE_LOST)
                )

    def hidden(self, connection: Connection, stream_id: bytes, position: int, field: str) -> bytes:
        """Return what was sealed with the event at *position* under *field*, and is in no leaf.

        Raises:
            NotSealed: there is nothing, or no more.
        """
        values = {"stream_id": stream_id, "position": position, "field": field}
        row = queries.HIDDEN.run(connection, values).first()
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
        return openings.open_field(stream_name(stream_id), position, field, plaintext, commitment)

    def openings(
        self, connection: Connection, stream_id: bytes, recorded: Sequence[codec.RecordedEvent]
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
            for row in queries.SEALED_FIELDS.run(connection, values)
            if (row.position, row.field) in committed
        )

    def _opened(self, stream_id: bytes, position: int, field: str, row: Row[Any]) -> bytes:
        kept = encryption.Sealed(row.key_id, row.nonce, row.ciphertext)
        return self._sealer.open(stream_name(stream_id), position, field, kept)

    def _opening(self, stream_id: bytes, row: Row[Any], commitment: str) -> FieldOpening:
        plaintext = self._opened(stream_id, row.position, row.field, row)
        return openings.open_field(stream_name(stream_id), row.position, row.field, plaintext, commitment)

    def _why_not(self, connection: Connection, stream_id: bytes, head: Head, generation: int) -> Exception:
        actual = self.head(connection, stream_id)
        if self.imported_at(connection, stream_id):
            return StreamIsImported(stream_name(stream_id))
        if actual.position > head.position:
            return StalePosition(head.position, actual.position)
        return self.continuation_error(
            connection, stream_id, ChainBreak(max(1, head.position), hash_chain.HISTORY_CHANGED), generation
        )


def rows(entries: Sequence[Entry]) -> tuple[RowsToInsert, ...]:
    """Return what *entries* add to the log and the sealed store."""
    events = [row for one in entries for row in event_rows(one.stream_id, one.recorded)]
    return RowsToInsert(queries.EVENTS, events), RowsToInsert(
        queries.SEALED, [row for one in entries for row in one.sealed]
    )


def event_rows(stream_id: bytes, recorded: Iterable[codec.RecordedEvent]) -> list[SqlRow]:
    """Return the rows of a stream's events."""
    return [(stream_id, one.position, one.leaf, command_column(one.cmd)) for one in recorded]
