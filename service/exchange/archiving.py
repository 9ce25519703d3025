"""Copies tables that have ended into an archive, which is a whole export; the log keeps everything (DECISIONS 122)."""

from collections.abc import Sequence
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, Engine, or_, select

from service.audit import log_audit
from service.audit.table_audit import TableReport
from service.audit.verdicts import Verdict
from service.database.engines import administering, reading
from service.database.exclusive import ARCHIVE, exclusive_work
from service.event_store import leaf, queries
from service.event_store.codec import Codec
from service.event_store.entries import place_name, stream_id_of
from service.event_store.export_format import End
from service.event_store.leaf import Malformed
from service.event_store.store import Log, NoSuchStream
from service.exchange import exported_streams, exporting, new_files
from service.exchange.exported_streams import CannotExport, TableStreams
from service.projections.projection_tables import tables
from service.projections.seats_and_invitations import seats_ever_of
from service.projections.swap_guard import require_current_projections, retry_after_swap
from service.service_log import stream_events
from service.service_log.service_events import TableArchived
from service.service_log.service_log import ServiceLog

_ENDED: Final = ("finished", "closed")


class ArchiveFilter(Struct, frozen=True, kw_only=True):
    """Selects tables that have ended.

    *owner* ("": anybody): select only tables that this owner hosts, or at which this owner has or had a seat.
    *before* ("": any time): select only tables whose events, and whose disputes' events, are all older than this time.
    *again*: also select tables of which an archive already has every event, including the events of their disputes.
    """

    owner: str = ""
    before: str = ""
    again: bool = False


class CannotArchive(Exception):
    """A table was damaged while the archive was written, so there is no archive. The message names the table."""


class Archived(Struct, frozen=True, kw_only=True):
    """The result of `archive`: *end* is the last line of the archive, or None if no file was written.

    *failed* has the reports of the selected tables that failed their audit, or whose disputes failed their audit. The
    archive does not have these tables.
    """

    end: End | None
    failed: Sequence[TableReport]


class Archiver:
    """Writes archives of the tables in *log*; the events of *service_log* record which tables an archive has."""

    def __init__(self, engine: Engine, log: Log, codec: Codec, service_log: ServiceLog) -> None:
        self._engine = engine
        self._log = log
        self._codec = codec
        self._service_log = service_log

    def archive(self, file: Path, origin: str, chosen: ArchiveFilter) -> Archived:
        """Verify the tables that *chosen* selects, archive the sound tables in *file*, and record these tables.

        If no selected table is sound, nothing is written. If the process is killed, *file* is either whole or absent;
        *service_log* may then lack the record of a whole file.

        Raises:
            CannotWriteFile: *file* exists already, or can't be written; nothing was recorded.
            CannotArchive: a table was damaged during the writing; there is no file, and nothing was recorded.
            WorkUnderWay: another process is writing an archive, perhaps of the same tables; nothing was done.
        """
        with exclusive_work(self._engine, ARCHIVE):
            return self._archive(file, origin, chosen)

    def _archive(self, file: Path, origin: str, chosen: ArchiveFilter) -> Archived:
        sound: list[TableStreams] = []
        failed: list[TableReport] = []
        for streams in self._selected(chosen):
            report = self._verified(streams.stream_id)
            failed += [report] if _has_failed(report) else []
            sound += [] if _has_failed(report) else [streams]
        if not sound:
            return Archived(end=None, failed=failed)
        with new_files.new_file(file) as part:
            with part.open("wb") as output:
                begin = exporting.begin("openings", origin)
                end = exporting.write_streams(output, self._engine, self._log, begin, sound)
            if not end.is_whole:
                raise CannotArchive(", ".join(f"{one.stream} at position {one.position}" for one in end.broken))
            with part.open("rb") as written:
                digest = file_digest(written, "sha256").hexdigest()
        self._record(end, digest)
        return Archived(end=end, failed=failed)

    def _selected(self, chosen: ArchiveFilter) -> Sequence[TableStreams]:
        with reading(self._engine) as connection:
            recorded = {} if chosen.again else stream_events.archived_heads(connection)
        selected = []
        for stream_id in _ended(self._engine, chosen.owner):
            with suppress(CannotExport):  # The import of this table is not finished.
                streams = exported_streams.of_table(self._engine, stream_id)
                if self._is_due(streams, recorded, chosen.before):
                    selected.append(streams)
        return selected

    def _is_due(self, streams: TableStreams, recorded: dict[str, tuple[int, str]], before: str) -> bool:
        """Return whether one of *streams* has another head than in *recorded*, and all of them are older than *before*.

        *recorded* has the head of each archived stream in its newest archive; a stream that is not in *recorded* counts
        as not archived. The age of a stream is that of its last event; if *before* is "", the streams may have any age.
        A table is always due if one of *streams* has no head row.
        """
        is_new, last = False, ""
        with reading(self._engine) as connection:
            for stream_id in filter(None, streams):
                try:
                    head = self._log.head(connection, stream_id)
                except NoSuchStream:
                    return True  # The head row is missing, which the audit finds.
                is_new |= recorded.get(place_name(stream_id)) != (head.position, bytes(head.hash).hex())
                last = max(last, _time_of(connection, stream_id, head.position))
        return is_new and (not before or last < before)

    def _verified(self, stream_id: bytes) -> TableReport:
        (report,) = log_audit.reports(self._engine, self._log, self._codec, stream_id=stream_id)
        return report

    def _record(self, end: End, digest: str) -> None:
        events = [
            TableArchived(
                table=place_name(stream_id_of(head.stream)),
                position=head.position,
                leaf_hash=head.leaf_hash,
                file_hash=digest,
            )
            for head in end.heads
        ]
        with administering(self._engine) as connection:
            self._service_log.open_if_needed(connection)
            self._service_log.append(connection, events)


@retry_after_swap
def _ended(engine: Engine, owner: str) -> list[bytes]:
    """Return the streams of the tables that have ended.

    If *owner* is given, return only tables that this owner hosts, or at which this owner has or had a seat.
    """
    statement = select(tables.c.stream_id).where(tables.c.status.in_(_ENDED)).order_by(tables.c.stream_id)
    if owner:
        statement = statement.where(or_(tables.c.host == owner, tables.c.stream_id.in_(seats_ever_of(owner))))
    with reading(engine) as connection:
        require_current_projections(connection)
        return [bytes(stream_id) for stream_id in connection.scalars(statement)]


def _time_of(connection: Connection, stream_id: bytes, position: int) -> str:
    """Return the time of the event at *position*; "": its leaf is missing or unreadable, which the audit finds."""
    values = {"stream_id": stream_id, "after": position - 1, "limit": 1}
    with suppress(Malformed):
        for (data,) in queries.READ.all(connection, values):
            return leaf.decode(bytes(data)).at
    return ""


def _has_failed(report: TableReport) -> bool:
    return report.verdict is Verdict.FAILED or bool(report.disputes and report.disputes.findings)
