"""Importing: tables that were played at another service, checked and taken in whole, to be read and never continued."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeAlias

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
from service.event_store import leaf
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import EMPTY, Head, stream_name
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log, NoSuchStream, NotSealed
from service.exchange.export_reader import CannotImport, EventLine, TableLines, tables
from service.exchange.import_batches import ImportBatches, Plaintext
from service.projections.swap_guard import retry_after_swap
from service.secrets.openings import FieldOpening, OpeningMustMatch, check_opening, padded_plaintext
from service.tables.fold import table_id
from service.tables.sealed_store import SEED

_TABLE: Final = stream_name(b"")
_CLOCKS_DIFFER: Final = timedelta(days=1)

Openings: TypeAlias = Mapping[FieldPlace, FieldOpening]


class ImportedTable(Struct, frozen=True, kw_only=True):
    """A table that is here now, whole as far as its file has it.

    *is_new*: it was not here before. *added*: so many of its *events* were not. *is_live*: its game was not over.
    *missing*: how many sealed fields are open to everybody, and did not come with it.
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
    """A *table* that was not imported, and *why*; "": what is wrong is not of any one table's lines."""

    table: str
    why: CannotImport


class _Here(Struct, frozen=True):
    """A stream as it is here: its *head*, whether it was *is_imported*, and whether all of its import was written."""

    head: Head = EMPTY
    is_imported: bool = True
    is_finished: bool = False


class Importer:
    """Imports tables one after the other, each in pieces that hold commands up for a moment only."""

    def __init__(self, engine: Engine, log: Log, codec: Codec, clock: Clock) -> None:
        self._engine = engine
        self._log = log
        self._codec = codec
        self._clock = clock

    def import_tables(self, lines: Iterable[bytes]) -> Iterator[ImportedTable | FailedImport]:
        """Import every table of *lines*, a file as `exported.tables` reads it; one that cannot be does not stop others.

        A table that is here already goes on where the file has more of it, if it was imported; openings that did not
        come before are added. Nobody is shown a new table before all of it is written. What is killed in between
        goes on when the same file is imported again.

        Raises:
            WorkUnderWay: another import is under way; nothing was imported.
        """
        with exclusive_work(self._engine, IMPORT):
            for one in tables(lines, self._codec):
                try:
                    done: ImportedTable | FailedImport = self._table(one)
                except CannotImport as error:
                    done = FailedImport(_name(one.stream), error)
                yield done

    def _table(self, one: TableLines) -> ImportedTable:
        if one.fault:
            raise one.fault
        read = one.read
        stream_id = _stream_id(one.stream, read[0].line)
        _must_run_on(read)
        _must_have_happened(read, self._clock.now())
        recorded = tuple([each.recorded for each in read])
        openings = _openings(read)
        _must_be_as_the_rules_have_it(stream_id, recorded, openings)
        here = self._here(stream_id, recorded, read[0].line)
        pieces = ImportBatches(self._engine, self._log, self._clock, stream_id)
        if here.is_imported:
            pieces.write(recorded, here.head)
            pieces.seal(self._missing(stream_id, recorded, openings))
        report = self._audited(stream_id)
        if not here.is_finished:
            pieces.finish()
        return self._taken_in(stream_id, report, len(recorded), here)

    def _here(self, stream_id: bytes, recorded: Sequence[RecordedEvent], line: int) -> _Here:
        """Return the stream as it is here, where *recorded* begins as it does.

        Raises:
            CannotBeTakenIn: it has other events, or was played here and has fewer, or does not hold.
        """
        table = table_id(stream_id)
        try:
            with reading(self._engine) as connection:
                head = self._log.head(connection, stream_id)
                is_imported = bool(self._log.imported_at(connection, stream_id))
                here = _Here(head, is_imported, not self._log.is_unfinished(connection, stream_id))
                common = min(head.position, len(recorded))
                (last,) = self._log.reader.read(connection, stream_id, common - 1, 1, head=head)
        except NoSuchStream:
            return _Here()
        except StreamCorrupted as error:
            raise CannotImport(f"{table} is here already, and damaged at position {error.position}.") from error
        if last.hash != recorded[common - 1].hash:
            raise CannotImport(f"{table} is here already, with other events.", line=line)
        if len(recorded) > head.position and not is_imported:
            why = f"{table} is played here, up to position {head.position}; an import does not continue it."
            raise CannotImport(why, line=line)
        return here

    def _missing(self, stream_id: bytes, recorded: Sequence[RecordedEvent], openings: Openings) -> list[Plaintext]:
        """Return the revealed seeds of *recorded* and those of its *openings* that are not in the sealed store yet."""
        told = disclosures_of(recorded)
        found = [
            Plaintext(opened.position, SEED, bytes.fromhex(told.ended[epoch].event.server_seed))
            for epoch, opened in told.opened.items()
            if epoch in told.ended
        ]
        found += [Plaintext(*place, padded_plaintext(opening)) for place, opening in openings.items()]
        with reading(self._engine) as connection:
            return [one for one in found if not self._is_sealed(connection, stream_id, one)]

    def _is_sealed(self, connection: Connection, stream_id: bytes, one: Plaintext) -> bool:
        try:
            self._log.hidden(connection, stream_id, one.position, one.field)
        except NotSealed:
            return False
        return True

    def _audited(self, stream_id: bytes) -> TableReport:
        """Audit a table as it is written; a new one is not shown to anybody before.

        Raises:
            CannotBeTakenIn: it fails.
        """
        report = _inspected(self._engine, stream_id, self._log, self._codec)
        if report.verdict is Verdict.FAILED:
            raise CannotImport(f"{report.table} fails its audit.", findings=report.findings)
        return report

    def _taken_in(self, stream_id: bytes, report: TableReport, given: int, here: _Here) -> ImportedTable:
        with reading(self._engine) as connection:
            every = self._log.reader.read(connection, stream_id)
            sealed = {(one.position, one.field) for one in self._log.openings(connection, stream_id, every)}
        told = disclosures_of(every)
        return ImportedTable(
            table=report.table,
            events=report.events,
            added=max(0, given - here.head.position),
            hands=len(report.hands),
            verdict=report.verdict,
            is_new=not here.is_finished,
            is_live=not told.is_over,
            missing=sum(end == "open" and place not in sealed for place, end in told.ends.items()),
        )


@retry_after_swap
def _inspected(engine: Engine, stream_id: bytes, log: Log, codec: Codec) -> TableReport:
    with reading(engine, without_idle_limit=True) as connection:
        return audit_table(connection, stream_id, log, codec)


def _name(stream: str) -> str:
    """Return the id of the table of *stream*; "": it is no table's."""
    try:
        return table_id(_stream_id(stream, 0))
    except CannotImport:
        return ""


def _stream_id(stream: str, line: int) -> bytes:
    try:
        found = bytes.fromhex(stream.removeprefix(_TABLE))
    except ValueError:
        found = b""
    if stream_name(found) != stream or len(found) != 16:  # noqa: PLR2004 -- the bytes of a table's id
        raise CannotImport(f"{stream!r} is no table's stream.", line=line)
    return found


def _openings(read: Sequence[EventLine]) -> Openings:
    """Return the openings of sealed fields that come with the events, each once.

    Raises:
        CannotBeTakenIn: one is not of what a leaf before it, or its own, commits to.
    """
    sealed: dict[FieldPlace, str] = {}
    found: dict[FieldPlace, FieldOpening] = {}
    for one in read:
        sealed |= {(one.recorded.position, field): kept.c for field, kept in one.recorded.priv.items()}
        for opening in one.fields:
            place = (opening.position, opening.field)
            try:
                check_opening(opening, sealed[place] if opening.stream == one.stream else "")
            except (KeyError, OpeningMustMatch) as error:
                why = f"{opening.field!r} of position {opening.position} is not what its leaf commits to."
                raise CannotImport(why, line=one.line) from error
            found[place] = opening
    return found


def _fields(openings: Openings, recorded: RecordedEvent) -> Mapping[str, Any]:
    """Find what was sealed with an event among *openings*."""
    places = [(recorded.position, field) for field in recorded.priv]
    return {place[1]: openings[place].value for place in places if place in openings}


def _must_be_as_the_rules_have_it(stream_id: bytes, recorded: Sequence[RecordedEvent], openings: Openings) -> None:
    """Audit a stream before anything of it is written: what a forged event does to a projection is not tried.

    Raises:
        CannotBeTakenIn: it fails.
    """
    table, fields = table_id(stream_id), partial(_fields, openings)
    failed = import_audit.failures(stream_id, recorded, fields)
    if not failed:
        return
    differences = adjudicate(stream_id, recorded, fields=fields).differences
    if differences and all(one.position == len(recorded) + 1 and one.found == NOTHING for one in differences):
        raise CannotImport(f"The events of {table} end in the middle of a command: the file is cut off.")
    raise CannotImport(f"{table} fails its audit.", findings=failed)


def _must_have_happened(read: Sequence[EventLine], now: str) -> None:
    """Pass events of the past; clocks may differ by a day.

    Raises:
        CannotBeTakenIn: one is to come yet: its table would head every list until then.
    """
    latest = datetime.fromisoformat(now) + _CLOCKS_DIFFER
    for one in read:
        if datetime.fromisoformat(one.recorded.at) > latest:
            raise CannotImport(f"This event is of {one.recorded.at}, which is to come yet.", line=one.line)


def _must_run_on(read: Sequence[EventLine]) -> None:
    """Pass events that stand at 1, 2, 3 and so on, each naming the one before.

    Raises:
        CannotBeTakenIn: they do not.
    """
    before, commands_ = leaf.NO_HASH, set[str]()
    for position, one in enumerate(read, start=1):
        if one.recorded.cmd and one.recorded.cmd in commands_:
            raise CannotImport("This command was recorded before: each stands once.", line=one.line)
        commands_.add(one.recorded.cmd)
        if one.recorded.position != position:
            raise CannotImport(f"Position {position} must come here, not {one.recorded.position}.", line=one.line)
        if one.recorded.prev != before:
            raise CannotImport(f"The leaf must name {before} as the one before it.", line=one.line)
        before = one.recorded.hash.hex()
