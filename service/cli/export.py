"""`chiptrail export`: the leaves of the log, byte for byte as they were hashed, and what is open to everybody."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Final, Protocol

import click
import msgspec
from sqlalchemy import Connection, Engine, exists, select

from service import __version__
from service.cli.support import flags, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.cli.verify import stream_of
from service.database.engines import reading
from service.database.partitions import ALL_STREAMS
from service.deck import Deck
from service.entropy import Entropy
from service.event_store import disclosure, export_format, log_tables
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import DisclosureState, FieldPlace, SealedField
from service.event_store.entries import EMPTY, stream_name
from service.event_store.export_format import Begin, BrokenStream, End, StreamHead
from service.event_store.hash_chain import SEALED_VALUE_LOST, ChainPoint
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log, NoSuchStream, NotSealed
from service.games.common_events import ValueErased
from service.secrets.encryption import Tampered, WrongKey
from service.secrets.openings import FieldOpening, OpeningMustMatch
from service.settings import Settings
from service.tables import visibility
from service.tables.envelopes import with_openings
from service.tables.sealed_store import read_field

VIEWER: Final = "spectator"

_PAGE: Final = 1_000
_NAMED: Final = 10  # broken streams in a message; the file's last line names all
_HEADLESS: Final = "the stream has events and no head"


@click.command()
@flags.with_settings
@click.option("--table", metavar="tbl_…", help="Export this table alone.")
@click.option("--openings", is_flag=True, help="With each leaf its hash, and the sealed fields that it opens to all.")
def export(settings: Settings, *, table: str | None, openings: bool) -> None:
    """Write leaves to standard output, one a line, each byte for byte as it was hashed.

    Table by table, in the order of the log. What is sealed and keys are not in it. With --openings each line is what
    the events endpoint tells a spectator: all that it takes to decide every decision again.

    The last line names each table's head, and says whether the file is whole. A damaged table is written as far as it
    holds and does not stop the others; the exit code is 3 then.
    """
    with open_database.check_and_open(settings) as engine:
        log, _ = open_database.open_log(engine, settings, Entropy())
        streams = _this(engine, stream_of(table)) if table else _all(engine)
        end = _File(sys.stdout.buffer, engine, log).write(streams, "openings" if openings else "leaves")
    if not end.is_whole:
        named = ", ".join(f"{one.stream} at position {one.position} ({one.why})" for one in end.broken[:_NAMED])
        more = f", and {len(end.broken) - _NAMED:,} more" if len(end.broken) > _NAMED else ""
        raise CommandFailed(
            ExitCode.VERIFICATION_FAILED,
            f"Damaged, and written up to there: {named}{more}.",
            "chiptrail verify says what else is not as it must be",
        )


class _Writer(Protocol):
    """Makes the lines of one stream, page by page in their order."""

    def lines(self, connection: Connection, page: Sequence[RecordedEvent]) -> Sequence[bytes]:
        """Return the lines of the next page.

        Raises:
            _Altered: a line can't be made.
        """


class _Altered(Exception):
    """What is sealed is missing, or not what a leaf commits to: only *lines* can be written of the page."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        super().__init__(SEALED_VALUE_LOST)
        self.lines = lines


class _File:
    """Writes a whole file to *output*, and counts what is in it."""

    def __init__(self, output: BinaryIO, engine: Engine, log: Log) -> None:
        self._output = output
        self._engine = engine
        self._log = log
        self._streams = 0
        self._leaves = 0
        self._heads: list[StreamHead] = []
        self._broken: list[BrokenStream] = []

    def write(self, streams: Iterable[bytes], form: export_format.Lines) -> End:
        """Write *streams* in the form of lines that is asked for, and return what the last line says."""
        self._output.write(export_format.begin_line(Begin(release=__version__, viewer=VIEWER, lines=form)) + b"\n")
        for stream_id in streams:
            self._streams += 1
            self._stream(stream_id, _Openings(self._log, stream_id) if form == export_format.OPENINGS else _Leaves())
        end = End(
            is_whole=not self._broken,
            streams=self._streams,
            leaves=self._leaves,
            heads=tuple(self._heads),
            broken=tuple(self._broken),
        )
        self._output.write(export_format.end_line(end) + b"\n")
        return end

    def _stream(self, stream_id: bytes, writer: _Writer) -> None:
        last: ChainPoint = EMPTY
        while True:
            page, lines, broken = self._page(stream_id, last, writer)
            self._output.writelines(line + b"\n" for line in lines)
            self._leaves += len(lines)
            last = page[len(lines) - 1] if lines else last
            if broken or not page:
                break
        if last.position:
            self._heads.append(StreamHead(stream_name(stream_id), last.position, last.hash.hex()))
        if broken:
            self._broken.append(broken)

    def _page(
        self, stream_id: bytes, last: ChainPoint, writer: _Writer
    ) -> tuple[Sequence[RecordedEvent], Sequence[bytes], BrokenStream | None]:
        """Return the events after *last*, their lines, as many as there can be, and why there can't be more."""
        name, why = stream_name(stream_id), ""
        with reading(self._engine) as connection:
            try:
                head = self._log.head(connection, stream_id)
                page = self._log.reader.read(connection, stream_id, last, _PAGE, head=head)
            except NoSuchStream:
                return (), (), BrokenStream(name, last.position + 1, _HEADLESS)
            except StreamCorrupted as error:
                page, why = error.sound_events, error.why
            try:
                lines = writer.lines(connection, page)
            except _Altered as error:
                lines, why = error.lines, SEALED_VALUE_LOST
        return page, lines, BrokenStream(name, last.position + len(lines) + 1, why) if why else None


class _Leaves:
    """Writes bare leaves."""

    def lines(self, _connection: Connection, page: Sequence[RecordedEvent]) -> Sequence[bytes]:
        """Return the leaves of *page*."""
        return [one.leaf for one in page]


class _Openings:
    """Writes the events of one stream as the events endpoint tells them to a spectator."""

    def __init__(self, log: Log, stream_id: bytes) -> None:
        self._log = log
        self._stream_id = stream_id
        self._kept: DisclosureState = disclosure.NOTHING_SEALED
        self._erased: set[FieldPlace] = set()

    def lines(self, connection: Connection, page: Sequence[RecordedEvent]) -> Sequence[bytes]:
        """Return *page* in envelopes with what it opens.

        Raises:
            _Altered: what is sealed is missing without an erasure on record, or not what a leaf commits to.
        """
        hidden = _Hidden(self._log, connection, self._stream_id, self._erased)
        try:
            fields = visibility.disclosed_fields(page, self._kept, 0, hidden)
        except (OpeningMustMatch, Tampered, WrongKey) as error:
            raise _Altered(self._up_to_the_first(page, hidden)) from error
        for one in page:
            self._kept = disclosure.evolve(self._kept, one)
        return [msgspec.json.encode(item) for item in with_openings(page, (), fields)]

    def _up_to_the_first(self, page: Sequence[RecordedEvent], hidden: "_Hidden") -> Sequence[bytes]:
        lines: list[bytes] = []
        for one in page:
            try:
                fields = visibility.disclosed_fields([one], self._kept, 0, hidden)
            except (OpeningMustMatch, Tampered, WrongKey):
                break
            self._kept = disclosure.evolve(self._kept, one)
            lines += [msgspec.json.encode(item) for item in with_openings([one], (), fields)]
        return lines


class _Hidden:
    """What a stream hides, for `sight` to show from; no deck is asked for here."""

    def __init__(self, log: Log, connection: Connection, stream_id: bytes, erased: set[FieldPlace]) -> None:
        self._log = log
        self._connection = connection
        self._stream_id = stream_id
        self._erased = erased  # as far as was asked for

    def deck(self, epoch: str) -> Deck:
        """Know none: a spectator has no cards."""
        raise NotSealed(epoch)

    def field(self, kept: SealedField) -> FieldOpening:
        """Return the opening of a sealed field.

        Raises:
            NotSealed: it was erased, or is another service's.
            OpeningMustMatch: it is missing, or not what the leaf commits to, and no erasure is on record.
        """
        try:
            return read_field(self._log, self._connection, self._stream_id, kept)
        except NotSealed as error:
            if self._may_be_missing((kept.position, kept.field)):
                raise
            raise OpeningMustMatch(str(error)) from error

    def _may_be_missing(self, place: FieldPlace) -> bool:
        if place in self._erased or self._log.imported_at(self._connection, self._stream_id):
            return True
        try:
            every: Sequence[RecordedEvent] = self._log.reader.read(self._connection, self._stream_id)
        except StreamCorrupted as error:
            every = error.sound_events
        events = [one.event for one in every]
        self._erased |= {(one.position, one.field) for one in events if isinstance(one, ValueErased)}
        return place in self._erased


def _this(engine: Engine, stream_id: bytes) -> Sequence[bytes]:
    """Return the stream that is asked for.

    Raises:
        CommandFailed: there is none, or it is being imported.
    """
    with reading(engine) as connection:
        unfinished = log_tables.unfinished_imports
        if connection.execute(select(unfinished.c.stream_id).where(unfinished.c.stream_id == stream_id)).first():
            raise CommandFailed(
                ExitCode.FAILED, f"The import of tbl_{stream_id.hex()} is not finished: import its file again."
            )
        for table in (log_tables.streams, log_tables.events):
            if connection.execute(select(table.c.stream_id).where(table.c.stream_id == stream_id).limit(1)).first():
                return [stream_id]
    raise CommandFailed(ExitCode.FAILED, f"There is no table tbl_{stream_id.hex()}.")


def _all(engine: Engine) -> Iterator[bytes]:
    """Yield every stream in the order of the log, those that have lost their head among them."""
    streams, events = log_tables.streams.c.stream_id, log_tables.events.c.stream_id
    after, has_more = b"", True
    while has_more:
        with reading(engine) as connection:
            page = connection.scalars(
                select(streams).where(streams > after, ~_IS_UNFINISHED).order_by(streams).limit(_PAGE)
            ).all()
            has_more = len(page) == _PAGE
            last = page[-1] if has_more else ALL_STREAMS.last
            headless = select(events).where(events > after, events <= last, ~exists().where(streams == events))
            found = {bytes(one) for one in (*page, *connection.scalars(headless.distinct()))}
        yield from sorted(found)
        after = last


_IS_UNFINISHED: Final = exists().where(log_tables.unfinished_imports.c.stream_id == log_tables.streams.c.stream_id)
