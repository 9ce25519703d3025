"""Writes an export: leaves, byte for byte as they were hashed, and optionally the sealed fields that are public."""

# DECISIONS 64

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import BinaryIO, Final, Protocol

import msgspec
from sqlalchemy import Connection, Engine

from service import __version__
from service.database.engines import reading
from service.deck import Deck
from service.disputes.dispute_events import DISPUTE_CODEC
from service.event_store import disclosure, export_format
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState, FieldPlace, SealedField
from service.event_store.entries import EMPTY, Head, is_of_disputes, stream_name
from service.event_store.export_format import Begin, BrokenStream, End, StreamHead
from service.event_store.hash_chain import SEALED_VALUE_LOST, ChainPoint
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log, NoSuchStream, NotSealed
from service.event_store.stream_reader import StreamReader
from service.exchange import exported_streams
from service.exchange.exported_streams import TableStreams
from service.exchange.reason_lines import DisputeLines, TextLost
from service.games.common_events import ValueErased
from service.secrets.encryption import Tampered, WrongKey
from service.secrets.openings import FieldOpening, OpeningMustMatch
from service.tables import visibility
from service.tables.envelopes import with_openings
from service.tables.sealed_store import read_field

VIEWER: Final = "spectator"

_PAGE: Final = 1_000
_HEADLESS: Final = "the stream has events and no head"


def begin(lines: export_format.Lines, origin: str) -> Begin:
    """Return the first line of an export of the log *origin* ("": unknown); *lines* is the form of its lines."""
    return Begin(release=__version__, viewer=VIEWER, lines=lines, origin=origin)


def write_export(output: BinaryIO, engine: Engine, log: Log, begin: Begin, *, stream_id: bytes | None = None) -> End:
    """Write the table *stream_id* to *output*, after the first line *begin*.

    If *stream_id* is None, write every table except those whose import is unfinished. The disputes of a table come
    right after the table. A damaged stream is written up to the damage. The last line, which is returned, names the
    damaged streams, and the reasons.

    Raises:
        CannotExport: there is no stream *stream_id*, or the import of the stream is not finished.
    """
    streams = exported_streams.every(engine) if stream_id is None else [exported_streams.of_table(engine, stream_id)]
    return write_streams(output, engine, log, begin, streams)


def write_streams(output: BinaryIO, engine: Engine, log: Log, begin: Begin, streams: Iterable[TableStreams]) -> End:
    """Write *streams* to *output* as `write_export` writes tables; return the last line."""
    return _File(output, engine, log).write(streams, begin)


class _Writer(Protocol):
    """Makes the lines of one stream, page by page, in order."""

    def lines(self, connection: Connection, page: Sequence[RecordedEvent]) -> Sequence[bytes]:
        """Return the lines of the next page.

        Raises:
            _Altered, TextLost: a sealed field of the page is missing or altered.
        """


class _Altered(Exception):
    """A sealed field is missing or altered: only the *lines* before the event that discloses it can be written."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        super().__init__(SEALED_VALUE_LOST)
        self.lines = lines


class _File:
    """Writes an export to *output*, and counts its streams and leaves."""

    def __init__(self, output: BinaryIO, engine: Engine, log: Log) -> None:
        self._output = output
        self._engine = engine
        self._log = log
        self._of_disputes = StreamReader(DISPUTE_CODEC, log.quarantine)
        self._streams = 0
        self._leaves = 0
        self._heads: list[StreamHead] = []
        self._broken: list[BrokenStream] = []

    def write(self, streams: Iterable[TableStreams], begin: Begin) -> End:
        """Write *streams* with lines of the form that *begin* names; return the last line."""
        self._output.write(export_format.begin_line(begin) + b"\n")
        is_open = begin.lines == export_format.OPENINGS
        for stream_id, disputes in streams:
            # The head of the disputes is read before the table, so no exported step of a dispute is newer than the
            # exported table.
            until = self._head(disputes) if disputes else None
            self._stream(stream_id, self._writer(stream_id) if is_open else _Leaves())
            if disputes:
                self._stream(disputes, self._writer(disputes) if is_open else _Leaves(), until)
        end = End(
            is_whole=not self._broken,
            streams=self._streams,
            leaves=self._leaves,
            heads=tuple(self._heads),
            broken=tuple(self._broken),
        )
        self._output.write(export_format.end_line(end) + b"\n")
        return end

    def _writer(self, stream_id: bytes) -> _Writer:
        return DisputeLines(self._log, stream_id) if is_of_disputes(stream_id) else _Openings(self._log, stream_id)

    def _head(self, stream_id: bytes) -> Head | None:
        """Return the head of a stream; None: it has no head row."""
        with reading(self._engine) as connection, suppress(NoSuchStream):
            return self._log.head(connection, stream_id)
        return None

    def _stream(self, stream_id: bytes, writer: _Writer, end: Head | None = None) -> None:
        """Write the lines of a stream, up to *end* (None: the stream's present head)."""
        self._streams += 1
        last: ChainPoint = EMPTY
        while True:
            page, lines, broken = self._page(stream_id, last, writer, end)
            self._output.writelines(line + b"\n" for line in lines)
            self._leaves += len(lines)
            last = page[len(lines) - 1] if lines else last
            if broken or not page:
                break
        if last.position:
            self._heads.append(StreamHead(stream_name(stream_id), last.position, last.hash.hex()))
        if broken:
            self._broken.append(broken)

    def _reader(self, stream_id: bytes) -> StreamReader:
        return self._of_disputes if is_of_disputes(stream_id) else self._log.reader

    def _page(
        self, stream_id: bytes, last: ChainPoint, writer: _Writer, end: Head | None
    ) -> tuple[Sequence[RecordedEvent], Sequence[bytes], BrokenStream | None]:
        """Return the page of events after *last*, their lines, and the damage that prevents further lines, if any."""
        name, why = stream_name(stream_id), ""
        with reading(self._engine) as connection:
            try:
                head = end or self._log.head(connection, stream_id)
                page = self._reader(stream_id).read(connection, stream_id, last, _PAGE, head=head)
            except NoSuchStream:
                return (), (), BrokenStream(name, last.position + 1, _HEADLESS)
            except StreamCorrupted as error:
                page, why = error.sound_events, error.why
            try:
                lines = writer.lines(connection, page)
            except (_Altered, TextLost) as error:
                lines, why = error.lines, SEALED_VALUE_LOST
        return page, lines, BrokenStream(name, last.position + len(lines) + 1, why) if why else None


class _Leaves:
    """Makes lines that each have one leaf."""

    def lines(self, _connection: Connection, page: Sequence[RecordedEvent]) -> Sequence[bytes]:
        """Return the leaves of *page*."""
        return [one.leaf for one in page]


class _Openings:
    """Makes lines that each have an event of one stream, as the events endpoint returns it to a spectator."""

    def __init__(self, log: Log, stream_id: bytes) -> None:
        self._log = log
        self._stream_id = stream_id
        self._disclosure: DisclosureState = disclosure.NOTHING_SEALED
        self._erased: set[FieldPlace] = set()

    def lines(self, connection: Connection, page: Sequence[RecordedEvent]) -> Sequence[bytes]:
        """Return the events of *page* in envelopes, with the sealed fields that these events make public.

        Raises:
            _Altered: a sealed field can't be decrypted, does not match its commitment, or is missing although the
                stream is not imported and records no erasure of the field.
        """
        hidden = _Hidden(self._log, connection, self._stream_id, self._erased)
        try:
            fields = visibility.disclosed_fields(page, self._disclosure, 0, hidden)
        except (OpeningMustMatch, Tampered, WrongKey) as error:
            raise _Altered(self._up_to_the_first(page, hidden)) from error
        for one in page:
            self._disclosure = disclosure.evolve(self._disclosure, one)
        return [msgspec.json.encode(item) for item in with_openings(page, (), fields)]

    def _up_to_the_first(self, page: Sequence[RecordedEvent], hidden: "_Hidden") -> Sequence[bytes]:
        lines: list[bytes] = []
        for one in page:
            try:
                fields = visibility.disclosed_fields([one], self._disclosure, 0, hidden)
            except (OpeningMustMatch, Tampered, WrongKey):
                break
            self._disclosure = disclosure.evolve(self._disclosure, one)
            lines += [msgspec.json.encode(item) for item in with_openings([one], (), fields)]
        return lines


class _Hidden:
    """The `Unsealer` of a spectator, from which `visibility` takes the sealed fields that everybody may read."""

    def __init__(self, log: Log, connection: Connection, stream_id: bytes, erased: set[FieldPlace]) -> None:
        self._log = log
        self._connection = connection
        self._stream_id = stream_id
        self._erased = erased  # This set has the fields whose erasures were found so far.

    def deck(self, epoch: str) -> Deck:
        """Raise `NotSealed` for every deck: a spectator has no cards."""
        raise NotSealed(epoch)

    def field(self, sealed_field: SealedField) -> FieldOpening:
        """Return the opening of a sealed field.

        Raises:
            NotSealed: the field is missing, and was erased or is of an imported stream.
            OpeningMustMatch: the field does not match its commitment, or is missing although the stream is not imported
                and records no erasure of the field.
            WrongKey, Tampered: as for `Sealer.open`.
        """
        try:
            return read_field(self._log, self._connection, self._stream_id, sealed_field)
        except NotSealed as error:
            if self._may_be_missing((sealed_field.position, sealed_field.field)):
                raise
            raise OpeningMustMatch(str(error)) from error

    def _may_be_missing(self, place: FieldPlace) -> bool:
        if place in self._erased or self._log.imported_at(self._connection, self._stream_id):
            return True
        try:
            recorded: Sequence[RecordedEvent] = self._log.reader.read(self._connection, self._stream_id)
        except StreamCorrupted as error:
            recorded = error.sound_events
        events = [one.event for one in recorded]
        self._erased |= {(one.position, one.field) for one in events if isinstance(one, ValueErased)}
        return place in self._erased
