"""Checks, stream by stream, that each leaf has one index with its hash or waits for one, and that the indexes rise."""

# The leaves of imported tables must have no index.

from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from sqlalchemy import Connection

from service.audit.differences import NOTHING
from service.audit.findings import Finding
from service.database.spread.spread_check import SPREAD, kind
from service.database.sql import Sql
from service.event_store.entries import place_name
from service.event_store.leaf import leaf_hash

_PAGE: Final = 500
_LAST: Final = b"\xff" * 16


class StreamRow(NamedTuple):
    """A row of `streams`, and the stream's highest position in the outbox (0: no row of the outbox)."""

    stream_id: bytes
    head: int
    is_imported: bool
    outbox: int


class LeafRow(NamedTuple):
    """A row of `leaf_indexes`, and the stored leaf; None: the log has no such leaf."""

    stream_id: bytes
    position: int
    leaf_index: int
    leaf_hash: bytes
    leaf: bytes | None


class IndexAudit:
    """Checks the indexes, and counts the leaves; *only* is the id of the one stream to check; None: all streams."""

    def __init__(self, connection: Connection, only: bytes | None = None) -> None:
        self.indexed = 0
        self.waiting = 0
        self._connection = connection
        self._only = only

    def findings(self) -> Iterator[Finding]:
        """Yield the findings, stream by stream."""
        streams: Iterator[StreamRow | LeafRow] = self._streams()
        both = merge(streams, self._leaves(), key=itemgetter(0))  # A stream's row comes before the rows of its leaves.
        for _, rows in groupby(both, key=itemgetter(0)):
            yield from self._of_stream(rows)

    def _of_stream(self, rows: Iterator[StreamRow | LeafRow]) -> Iterator[Finding]:
        first = next(rows)
        if isinstance(first, StreamRow):
            yield from self._stream(first, rows)
        else:
            self.indexed += 1 + sum(1 for _ in rows)
            yield _finding(first.stream_id, first.position, "index_must_name_a_stream", "a stream of the log", NOTHING)

    def _stream(self, stream: StreamRow, rows: Iterator[StreamRow | LeafRow]) -> Iterator[Finding]:
        position, index = 0, -1
        for row in rows:
            assert isinstance(row, LeafRow)  # noqa: S101  # mypy can't infer this.
            self.indexed += 1
            yield from _leaf(stream, row, position, index)
            position, index = max(position, row.position), row.leaf_index
        if stream.is_imported:
            return
        if (covered := max(position, stream.outbox)) < stream.head:
            yield _missing(stream.stream_id, covered + 1)
        self.waiting += max(0, stream.head - position)

    def _streams(self) -> Iterator[StreamRow]:
        after, last = self._bounds()
        while rows := _STREAMS.all(self._connection, {"after": after, "last": last, "most": _PAGE}):
            for stream_id, head, is_imported, outbox in rows:
                yield StreamRow(bytes(stream_id), head, bool(is_imported), outbox)
            after = bytes(rows[-1][0])

    def _leaves(self) -> Iterator[LeafRow]:
        after, last = self._bounds()
        position = 2**31 - 1  # above every position of the stream *after*
        while rows := _LEAVES[kind(self._connection)].all(
            self._connection, {"after": after, "position": position, "last": last, "most": _PAGE}
        ):
            for stream_id, at, index, hash_, leaf in rows:
                yield LeafRow(bytes(stream_id), at, index, bytes(hash_), None if leaf is None else bytes(leaf))
            after, position = bytes(rows[-1][0]), rows[-1][1]

    def _bounds(self) -> tuple[bytes, bytes]:
        """Return two bounds: the ids of the streams to check are above the first, and not above the second."""
        if self._only is None:
            return b"", _LAST
        number = int.from_bytes(self._only)
        return ((number - 1).to_bytes(16) if number else b""), self._only


def _leaf(stream: StreamRow, row: LeafRow, position: int, index: int) -> Iterator[Finding]:
    """Check *row*; *position* and *index* are those of the stream's row before *row* (0 and -1: *row* is the first)."""
    place = f"index {row.leaf_index}"
    if row.position == position:
        yield _finding(row.stream_id, row.position, "leaf_must_have_one_index", f"index {index} alone", place)
    elif row.position != position + 1:
        yield _missing(row.stream_id, position + 1)
    if row.leaf_index <= index:
        yield _finding(row.stream_id, row.position, "indexes_must_rise", f"an index above {index}", place)
    if stream.is_imported:
        yield _finding(row.stream_id, row.position, "imported_leaf_must_have_no_index", NOTHING, place)
    expected = f"leaf hash {row.leaf_hash.hex()}"
    if row.leaf is None:
        yield _finding(row.stream_id, row.position, "index_must_name_a_leaf", expected, NOTHING, place)
    elif (found := leaf_hash(row.leaf)) != row.leaf_hash:
        found_hash = f"leaf hash {found.hex()}"
        yield _finding(row.stream_id, row.position, "leaf_must_be_the_indexed_one", expected, found_hash, place)


def _missing(stream_id: bytes, position: int) -> Finding:
    return _finding(stream_id, position, "leaf_must_have_an_index", "an index, or a row of the outbox", NOTHING)


def _finding(  # noqa: PLR0913  # These are the members of a finding.
    stream_id: bytes, position: int, check: str, expected: str, found: str, detail: str = ""
) -> Finding:
    return Finding(
        table=place_name(stream_id), position=position, check=check, expected=expected, found=found, detail=detail
    )


_STREAMS: Final = Sql(
    "SELECT stream_id, head, imported_at IS NOT NULL,"
    " COALESCE((SELECT max(position) FROM outbox WHERE outbox.stream_id = streams.stream_id), 0)"
    " FROM streams WHERE stream_id > :after AND stream_id <= :last ORDER BY stream_id LIMIT :most"
)
# The statement looks up the leaf of each row. With a join, the database could read all events from the first event on,
# and again for each page.
_LOOKED_UP: Final = Sql(
    "SELECT stream_id, position, leaf_index, leaf_hash, (SELECT leaf FROM events"
    " WHERE events.stream_id = leaf_indexes.stream_id AND events.position = leaf_indexes.position)"
    " FROM leaf_indexes WHERE (stream_id, position) > (:after, :position) AND stream_id <= :last"
    " ORDER BY stream_id, position LIMIT :most"
)
# Citus can't look up a leaf for each row, so this statement joins the leaves to one page of indexes (DECISIONS 129).
_JOINED: Final = Sql(
    "SELECT indexed.stream_id, indexed.position, leaf_index, leaf_hash, leaf FROM"
    " (SELECT stream_id, position, leaf_index, leaf_hash FROM leaf_indexes"
    " WHERE (stream_id, position) > (:after, :position) AND stream_id <= :last"
    " ORDER BY stream_id, position LIMIT :most) AS indexed LEFT JOIN events"
    " ON events.stream_id = indexed.stream_id AND events.position = indexed.position"
    " ORDER BY indexed.stream_id, indexed.position"
)
_LEAVES: Final = {"sqlite": _LOOKED_UP, "postgresql": _LOOKED_UP, SPREAD: _JOINED}
