"""Imports tables from another service: checks, writes and audits each table. Imported tables are read-only."""

# DECISIONS 22 and 82

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Engine

from service.audit import import_audit
from service.audit.differences import NOTHING
from service.audit.judging.adjudicate import adjudicate
from service.audit.judging.disclosures import disclosures_of
from service.audit.table_audit import TableReport, audit_table
from service.audit.verdicts import Verdict
from service.clock import Clock
from service.database.engines import reading
from service.database.exclusive import IMPORT, exclusive_work
from service.database.metadata import SERVICE_STREAM
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.entries import EMPTY, Head, is_of_table, place_name, stream_id_of
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log, NoSuchStream, NotSealed
from service.exchange.export_reader import DISPUTES, CannotImport, TableLines, tables
from service.exchange.import_batches import ImportBatches, Logs, Plaintext
from service.exchange.importing_disputes import DisputesImporter, ImportedDisputes
from service.exchange.line_checks import Openings, must_be_chained, must_be_past, openings_in
from service.projections.swap_guard import retry_after_swap
from service.secrets.openings import padded_plaintext
from service.service_log import stream_events
from service.tables.fold import table_id
from service.tables.sealed_store import SEED


class ImportedTable(Struct, frozen=True, kw_only=True):
    """A table of which this service now has every event in the file.

    *events*: the number of stored events. *added*: the number of events that this import added. *is_new*: the table was
    not visible here before. *is_live*: the game has not ended, and the table is not closed. *missing*: the number of
    sealed fields that everybody may read but that the sealed store does not have.
    """

    table: str
    events: int
    added: int
    hands: int
    verdict: Verdict
    is_new: bool
    is_live: bool
    missing: int = 0


class FailedImport(Struct, frozen=True):
    """A table, or the disputes of a table, that were not imported; *why* is the reason.

    *table* is the id of the table or of its stream of disputes; "": the failure concerns no single stream.
    """

    table: str
    why: CannotImport


class _Stored(Struct, frozen=True):
    """The stored part of a stream: its *head*, whether the stream *is_imported*, and whether its import *is_finished*.

    The default values describe a stream that is not stored yet.
    """

    head: Head = EMPTY
    is_imported: bool = True
    is_finished: bool = False


class Importer:
    """Imports tables one after the other, each in short transactions that delay commands only for a moment."""

    def __init__(self, engine: Engine, logs: Logs, codec: Codec, clock: Clock) -> None:
        self._engine = engine
        self._logs = logs
        self._log = logs.log
        self._codec = codec
        self._clock = clock
        self._disputes = DisputesImporter(engine, logs, clock)

    def import_tables(self, lines: Iterable[bytes]) -> Iterator[ImportedTable | ImportedDisputes | FailedImport]:
        """Import every table of *lines*, and the tables' disputes; if a table fails, continue with the next table.

        `export_reader.tables` defines the format of *lines*. If a table was imported before, only its new events and
        openings are imported. A new table becomes visible after the whole table is written and audited. If an import is
        killed, another import of the same file continues the killed import.

        Raises:
            WorkUnderWay: another import is running; nothing was imported.
        """
        with exclusive_work(self._engine, IMPORT):
            for one in tables(lines, self._codec):
                try:
                    done: ImportedTable | ImportedDisputes | FailedImport = self._import_stream(one)
                except CannotImport as error:
                    done = FailedImport(_name(one.stream), error)
                yield done

    def _import_stream(self, stream: TableLines) -> ImportedTable | ImportedDisputes:
        if stream.fault:
            raise stream.fault
        if stream.stream.startswith(DISPUTES):
            return self._disputes.import_disputes(stream)
        return self._import_table(stream)

    def _import_table(self, table: TableLines) -> ImportedTable:
        lines = table.lines
        stream_id = _stream_id(table.stream, lines[0].line)
        must_be_chained(lines)
        must_be_past(lines, self._clock.now())
        recorded = tuple([each.recorded for each in lines])
        openings = openings_in(lines)
        _must_pass_audit(stream_id, recorded, openings)
        stored = self._stored(stream_id, recorded, lines[0].line)
        batches = ImportBatches(self._engine, self._logs, self._clock, stream_id, table.origin)
        if stored.is_imported:
            batches.write(recorded, stored.head)
            batches.seal(self._missing_plaintexts(stream_id, recorded, openings))
        report = self._audit_stored(stream_id)
        if not stored.is_finished:
            batches.finish()
        return self._imported_table(stream_id, report, len(recorded), stored)

    def _stored(self, stream_id: bytes, recorded: Sequence[RecordedEvent], line: int) -> _Stored:
        """Return the stored part of the stream *stream_id*, after checking that this part agrees with *recorded*.

        Raises:
            CannotImport: the stored stream has other events or is damaged, or the table is played here and *recorded*
                has more events.
        """
        table = table_id(stream_id)
        try:
            with reading(self._engine) as connection:
                head = self._log.head(connection, stream_id)
                is_imported = bool(self._log.imported_at(connection, stream_id))
                stored = _Stored(head, is_imported, not self._log.is_unfinished(connection, stream_id))
                common = min(head.position, len(recorded))
                (last,) = self._log.reader.read(connection, stream_id, common - 1, 1, head=head)
        except NoSuchStream:
            return _Stored()
        except StreamCorrupted as error:
            raise CannotImport(f"{table} is here already, and damaged at position {error.position}.") from error
        if last.hash != recorded[common - 1].hash:
            raise CannotImport(f"{table} is here already, with other events.", line=line)
        if len(recorded) > head.position and not is_imported:
            why = f"{table} is played here, up to position {head.position}; an import does not continue it."
            raise CannotImport(why, line=line)
        return stored

    def _missing_plaintexts(
        self, stream_id: bytes, recorded: Sequence[RecordedEvent], openings: Openings
    ) -> list[Plaintext]:
        """Return revealed seeds and opened values that the sealed store lacks, except those that were erased."""
        revealed = disclosures_of(recorded)
        found = [
            Plaintext(opened.position, SEED, bytes.fromhex(revealed.ended[epoch].event.server_seed))
            for epoch, opened in revealed.opened.items()
            if epoch in revealed.ended
        ]
        found += [Plaintext(*place, padded_plaintext(opening)) for place, opening in openings.items()]
        with reading(self._engine) as connection:
            missing = [one for one in found if not self._is_sealed(connection, stream_id, one)]
            erased = stream_events.erased_values(connection, table_id(stream_id)) if missing else frozenset()
            return [one for one in missing if (one.position, one.field) not in erased]

    def _is_sealed(self, connection: Connection, stream_id: bytes, plaintext: Plaintext) -> bool:
        try:
            self._log.hidden(connection, stream_id, plaintext.position, plaintext.field)
        except NotSealed:
            return False
        return True

    def _audit_stored(self, stream_id: bytes) -> TableReport:
        """Audit the stored events of a table. During the audit, a new table is not visible.

        Raises:
            CannotImport: the table fails its audit.
        """
        report = _audit(self._engine, stream_id, self._log, self._codec)
        if report.verdict is Verdict.FAILED:
            raise CannotImport(f"{report.table} fails its audit.", findings=report.findings)
        return report

    def _imported_table(self, stream_id: bytes, report: TableReport, given: int, stored: _Stored) -> ImportedTable:
        with reading(self._engine) as connection:
            recorded = self._log.reader.read(connection, stream_id)
            sealed = {(one.position, one.field) for one in self._log.openings(connection, stream_id, recorded)}
        revealed = disclosures_of(recorded)
        return ImportedTable(
            table=report.table,
            events=report.events,
            added=max(0, given - stored.head.position),
            hands=len(report.hands),
            verdict=report.verdict,
            is_new=not stored.is_finished,
            is_live=not revealed.is_over,
            missing=sum(end == "open" and place not in sealed for place, end in revealed.ends.items()),
        )


@retry_after_swap
def _audit(engine: Engine, stream_id: bytes, log: Log, codec: Codec) -> TableReport:
    with reading(engine, without_idle_limit=True) as connection:
        return audit_table(connection, stream_id, log, codec)


def _name(stream: str) -> str:
    """Return the id of the table, or of the disputes, of *stream*; "" if *stream* is another stream."""
    try:
        found = stream_id_of(stream)
    except ValueError:
        found = SERVICE_STREAM
    return "" if found == SERVICE_STREAM else place_name(found)


def _stream_id(stream: str, line: int) -> bytes:
    try:
        found = stream_id_of(stream)
    except ValueError:
        found = SERVICE_STREAM
    if not is_of_table(found):
        raise CannotImport(f"{stream!r} is no table's stream.", line=line)
    return found


def _values_of(openings: Openings, recorded: RecordedEvent) -> Mapping[str, Any]:
    """Return the values that the event *recorded* sealed, by field; values without an opening are left out."""
    places = [(recorded.position, field) for field in recorded.priv]
    return {place[1]: openings[place].value for place in places if place in openings}


def _must_pass_audit(stream_id: bytes, recorded: Sequence[RecordedEvent], openings: Openings) -> None:
    """Audit a stream before any of its events is written, because a forged event could corrupt a projection.

    Raises:
        CannotImport: the stream fails its audit, or ends in the middle of a command.
    """
    table, fields = table_id(stream_id), partial(_values_of, openings)
    failed = import_audit.failures(stream_id, recorded, fields)
    if not failed:
        return
    differences = adjudicate(stream_id, recorded, fields=fields).differences
    if differences and all(one.position == len(recorded) + 1 and one.found == NOTHING for one in differences):
        raise CannotImport(f"The events of {table} end in the middle of a command: the file is cut off.")
    raise CannotImport(f"{table} fails its audit.", findings=failed)
