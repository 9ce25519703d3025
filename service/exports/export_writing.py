"""Writes an export of tables in one format, part by part; memory does not grow with the number of events."""

# DECISIONS 116

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sqlalchemy import Engine

from service.event_store.entries import Head, is_of_disputes
from service.event_store.store import Log
from service.exchange.exported_streams import TableStreams
from service.exports import table_following
from service.exports.export_parts import Damaged, Selection, Writer
from service.exports.stream_steps import CannotRead, StreamPages
from service.exports.table_following import TableFollower
from service.tables.fold import table_id
from service.tables.replay import CannotReplay

_NO_TABLE: Final = "the stream of disputes belongs to no table"


class Part(NamedTuple):
    """The next bytes of an export, and the number of events that were read for these bytes."""

    data: bytes
    events: int


class ExportWriting:
    """Writes with *writer* what *selected* selects of the tables; reads at most *page* events in one transaction.

    Each table is written up to the head that it had when its turn came, so the balances of a table are of one moment.
    A writer of hand histories reads each hand again, in a transaction of its own.
    """

    def __init__(self, engine: Engine, log: Log, selected: Selection, writer: Writer, page: int) -> None:
        self.damaged: Final[list[Damaged]] = []
        """The tables that could not be written whole so far."""
        self.tables = 0
        """The number of tables written so far."""
        self._selected = selected
        self._writer = writer
        self._events = 0
        self._page = page
        self._pages = StreamPages(engine, log, page, self._count)

    def parts(self, tables: Iterable[TableStreams]) -> Iterator[Part]:
        """Yield the export of *tables* in parts; no transaction is open between two parts."""
        yield Part(_encoded(self._writer.begin()), 0)
        for one in tables:
            yield from self._parts(self._table(one))
        yield Part(_encoded(self._writer.end(self.tables, tuple(self.damaged))), 0)

    def _count(self, events: int) -> None:
        self._events += events

    def _parts(self, written: Iterator[str]) -> Iterator[Part]:
        """Join the texts *written* for one table into parts; a part ends when a page of events was read for it."""
        texts: list[str] = []
        for text in written:
            if text:
                texts.append(text)
            if self._events >= self._page:
                yield self._part(texts)
                texts = []
        yield self._part(texts)

    def _part(self, texts: list[str]) -> Part:
        events, self._events = self._events, 0
        return Part(_encoded("".join(texts)), events)

    def _table(self, streams: TableStreams) -> Iterator[str]:
        name = table_id(streams.stream_id)
        try:
            _must_be_of_table(streams.stream_id)
            of_disputes = self._pages.head(streams.disputes) if streams.disputes else None
            head = self._pages.head(streams.stream_id)
            is_chosen = not self._selected.owner
            for has_sat in () if is_chosen else self._pages.seats_taken(streams.stream_id, head, self._selected.owner):
                yield ""
                if is_chosen := has_sat:
                    break
            if is_chosen:
                self.tables += 1
                yield from self._followed(streams, head, of_disputes)
        except CannotRead as error:
            self.damaged.append(Damaged(name, error.position, str(error)))
        except CannotReplay as error:
            self.damaged.append(Damaged(name, error.recorded[-1].position, "the event is impossible at its position"))

    def _followed(self, streams: TableStreams, head: Head, of_disputes: Head | None) -> Iterator[str]:
        follower = TableFollower(streams.stream_id, head, self._selected, self._writer)
        yield from follower.follow(self._pages.events(streams.stream_id, head))
        if follower.table and streams.disputes and of_disputes:
            events = self._pages.events(streams.disputes, of_disputes)
            try:
                yield from table_following.corrections(follower.table, events, self._selected, self._writer)
            except CannotRead as error:
                raise CannotRead(error.position, f"{error}, in the stream of its disputes") from error


def _must_be_of_table(stream_id: bytes) -> None:
    if is_of_disputes(stream_id):
        raise CannotRead(1, _NO_TABLE)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
