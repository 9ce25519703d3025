"""Imports the disputes of an imported table: checks the whole stream, then writes what is new in one transaction."""

# DECISIONS 109

from collections.abc import Sequence
from functools import partial

from msgspec import Struct
from sqlalchemy import Connection, Engine

from service.audit.checks.sealed_rows import stored_fields
from service.audit.disputes.dispute_audit import erased_in
from service.audit.disputes.step_check import steps_findings
from service.audit.disputes.table_history import TableHistory
from service.clock import Clock
from service.database.engines import administering, reading
from service.disputes import disputes_table, stored_disputes
from service.disputes.dispute_events import DISPUTE_CODEC, DisputeOpened
from service.event_store import queries
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import EMPTY, Head, disputes_stream, place_name, stream_id_of
from service.event_store.quarantine import StreamCorrupted
from service.event_store.stream_reader import StreamReader
from service.exchange.export_reader import CannotImport, EventLine, TableLines
from service.exchange.import_batches import Logs
from service.exchange.line_checks import Openings, must_be_chained, must_be_past, openings_in
from service.secrets.openings import padded_plaintext
from service.service_log import import_events, stream_events
from service.service_log.import_events import ImportStep


class ImportedDisputes(Struct, frozen=True, kw_only=True):
    """The disputes of *table*, imported as the stream *stream*: the number of all *events*, and of *added* events."""

    table: str
    stream: str
    events: int
    added: int


class DisputesImporter:
    """Imports disputes of tables that are here already. Imported disputes are read-only, like imported tables."""

    def __init__(self, engine: Engine, logs: Logs, clock: Clock) -> None:
        self._engine = engine
        self._log, self._service_log = logs
        self._clock = clock
        self._reader = StreamReader(DISPUTE_CODEC, self._log.quarantine)

    def import_disputes(self, stream: TableLines) -> ImportedDisputes:
        """Import those events of *stream* that are not stored yet, and the openings of texts in the lines of *stream*.

        Raises:
            CannotImport: the table is not here; the table or its stored disputes are damaged; the lines fail a check,
                contradict the table, or contradict what is stored; or the table is played here and the lines have new
                events. Nothing was written.
        """
        first = stream.lines[0]
        stream_id, table_stream = _streams(stream.stream, first)
        must_be_chained(stream.lines)
        must_be_past(stream.lines, self._clock.now())
        recorded, openings = tuple(each.recorded for each in stream.lines), openings_in(stream.lines)
        with reading(self._engine) as connection:
            head = self._stored(connection, stream_id, recorded, first.line)
            is_local = self._is_local(connection, table_stream, first.line)
            if is_local and len(recorded) > head.position:
                why = f"{place_name(table_stream)} is played here; an import does not add disputes to it."
                raise CannotImport(why, line=first.line)
            self._must_pass_audit(connection, stream_id, table_stream, recorded)
            missing = {} if is_local else self._missing(connection, stream_id, recorded, openings)
        new = recorded[head.position :]
        if new or missing:
            with administering(self._engine) as connection:
                self._write(connection, stream, stream_id, new, missing, is_new=head == EMPTY)
                self._write_rows(connection, table_stream)
        table, name = place_name(table_stream), place_name(stream_id)
        return ImportedDisputes(table=table, stream=name, events=max(head.position, len(recorded)), added=len(new))

    def _stored(self, connection: Connection, stream_id: bytes, recorded: Sequence[RecordedEvent], line: int) -> Head:
        """Return the head of the stored stream (`EMPTY`: there is none), after comparing the stream with *recorded*.

        Raises:
            CannotImport: the stored stream has other events, or is damaged.
        """
        row = queries.HEAD.run(connection, {"stream_id": stream_id}).first()
        if row is None:
            return EMPTY
        head = Head(row.head, bytes(row.head_hash))
        common = min(head.position, len(recorded))
        try:
            (last,) = self._reader.read(connection, stream_id, common - 1, 1, head=head)
        except StreamCorrupted as error:
            raise CannotImport(f"{place_name(stream_id)} is here already, and damaged.") from error
        if last.hash != recorded[common - 1].hash:
            raise CannotImport(f"{place_name(stream_id)} is here already, with other events.", line=line)
        return head

    def _is_local(self, connection: Connection, table_stream: bytes, line: int) -> bool:
        """Return whether the table is played here.

        Raises:
            CannotImport: there is no such table, or its first import has not ended.
        """
        is_there = queries.HEAD.run(connection, {"stream_id": table_stream}).first() is not None
        if not is_there or self._log.is_unfinished(connection, table_stream):
            why = f"{place_name(table_stream)} is not here, so its disputes can't be checked; import the table first."
            raise CannotImport(why, line=line)
        return not self._log.imported_at(connection, table_stream)

    def _must_pass_audit(
        self, connection: Connection, stream_id: bytes, table_stream: bytes, recorded: Sequence[RecordedEvent]
    ) -> None:
        """Decide the disputes again, from the stored events of their table.

        Raises:
            CannotImport: a step of a dispute fails its audit, or the table's stream is damaged.
        """
        try:
            of_table = self._log.reader.read(connection, table_stream)
        except StreamCorrupted as error:
            raise CannotImport(f"{place_name(table_stream)} is damaged at position {error.position}.") from error
        fields = partial(stored_fields, connection, self._log, table_stream)
        found = steps_findings(place_name(stream_id), TableHistory(table_stream, of_table, fields), recorded)
        if found:
            raise CannotImport(f"{place_name(stream_id)} fails its audit.", findings=found)

    def _missing(
        self, connection: Connection, stream_id: bytes, recorded: Sequence[RecordedEvent], openings: Openings
    ) -> Openings:
        """Return the openings of texts that the sealed store lacks, except those of erased texts."""
        stored = set(import_events.sealed_places(connection, stream_id))
        gone = stored | erased_in(recorded) | stream_events.erased_values(connection, place_name(stream_id))
        return {place: opening for place, opening in openings.items() if place not in gone}

    def _write(  # noqa: PLR0913  # The parameters say what to write, and where.
        self,
        connection: Connection,
        stream: TableLines,
        stream_id: bytes,
        new: Sequence[RecordedEvent],
        missing: Openings,
        *,
        is_new: bool,
    ) -> None:
        self._service_log.open_if_needed(connection)
        if is_new:
            self._log.create(connection, stream_id, imported_at=self._clock.now())
        if new:
            self._log.append_imported(connection, stream_id, new)
        values: list[FieldPlace] = sorted(missing)
        for place in values:
            self._log.seal_imported_value(connection, stream_id, *place, padded_plaintext(missing[place]))
        step = ImportStep(
            stream_id=stream_id,
            origin=stream.origin,
            head=self._log.head(connection, stream_id),
            imported_at=self._log.imported_at(connection, stream_id),
            values=values,
        )
        self._service_log.append(connection, [import_events.imported(step)])

    def _write_rows(self, connection: Connection, table_stream: bytes) -> None:
        """Write the rows of the list of disputes.

        Raises:
            CannotImport: the stream is damaged after the imported events.
        """
        stream_id = disputes_stream(table_stream)
        try:
            recorded = self._reader.read(connection, stream_id)
            state = stored_disputes.folded(connection, self._reader, stream_id, recorded)
        except StreamCorrupted as error:
            why = f"{place_name(stream_id)} is here already, and damaged at position {error.position}."
            raise CannotImport(why) from error
        for dispute in state.disputes.values():
            disputes_table.write_row(connection, table_stream, dispute)


def _streams(name: str, first: EventLine) -> tuple[bytes, bytes]:
    """Return the id of the stream of disputes *name*, and the id of the stream of its table.

    Raises:
        CannotImport: the *first* event opens no dispute, or *name* is not the stream of disputes of the table that the
            event names.
    """
    try:
        stream_id = stream_id_of(name)
    except ValueError as error:
        raise CannotImport(f"{name!r} is no stream of disputes.", line=first.line) from error
    event = first.recorded.event
    if not isinstance(event, DisputeOpened):
        raise CannotImport(f"The first event of {name} must be a dispute_opened.", line=first.line)
    table_stream = bytes.fromhex(event.table.removeprefix("tbl_"))
    if disputes_stream(table_stream) != stream_id:
        raise CannotImport(f"{name} is not the stream of the disputes of {event.table}.", line=first.line)
    return stream_id, table_stream
