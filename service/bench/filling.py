"""Fills databases with streams: plays a few in memory, copies them under many ids, and loads the copies in bulk."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, Engine, Table

from service.bench import streams
from service.bench.streams import Stream
from service.database.engines import administering
from service.event_store import log_tables
from service.event_store.codec import RecordedEvent
from service.event_store.leaf import NO_HASH, leaf_hash
from service.event_store.log_tables import command_column
from service.projections import projection_tables
from service.projections.projector import hand_rows, table_row, transfer_rows
from service.projections.rebuild.bulk_load import load
from service.projections.seats_and_invitations import rows_of_left, seat_and_invitation_rows
from service.tables.replay import commands

PLAYED: Final = 4  # different streams, which are then copied
MOVES: Final = 700  # in each played stream
_STREAMS_AT_ONCE: Final = 20
_PREV: Final = b'"prev":"'

Values = tuple[Any, ...]


class Filled(Struct, frozen=True, kw_only=True):
    """The numbers of *streams*, *events* and *postings* that were added to a database."""

    streams: int
    events: int
    postings: int


class _Played(Struct, frozen=True, kw_only=True):
    """A played stream, and its rows in the database tables, without the column `stream_id`."""

    name: bytes
    leaves: Sequence[tuple[bytes, bytes]]
    commands: Sequence[bytes | None]
    transfers: Sequence[Values]
    hands: Sequence[Values]
    seats: Sequence[Values]
    table: Values


def fill(engine: Engine, events: int, *, first: int = 0) -> Filled:
    """Add copies of played tables, with their projections, until at least *events* events are added.

    Every copy has its own hash chain, but the same commitments to seeds as the played table that was copied. *first* is
    the number of the first copy: different numbers give different stream ids.
    """
    played = _copied(MOVES)
    added = copies = moved = 0
    while added < events:
        with administering(engine) as connection:
            for _ in range(_STREAMS_AT_ONCE):
                one = played[copies % PLAYED]
                _load(connection, _stream_id(first + copies), one)
                copies, added, moved = copies + 1, added + len(one.leaves), moved + 2 * len(one.transfers)
                if added >= events:
                    break
    return Filled(streams=copies, events=added, postings=moved)


def fill_tables(engine: Engine, tables: int, moves: int, *, first: int = 0) -> Filled:
    """Add *tables* copies of played tables, as `fill` does, each with *moves* moves after its start."""
    played = _copied(moves)
    with administering(engine) as connection:
        for number in range(tables):
            _load(connection, _stream_id(first + number), played[number % PLAYED])
    of_each = [played[number % PLAYED] for number in range(tables)]
    events, transfers = sum(len(one.leaves) for one in of_each), sum(len(one.transfers) for one in of_each)
    return Filled(streams=tables, events=events, postings=2 * transfers)


def _copied(moves: int) -> list[_Played]:
    return [_prepared(streams.played(number, moves)) for number in range(1, PLAYED + 1)]


def _stream_id(number: int) -> bytes:
    """Return the stream id of copy *number*; these ids are distributed like random ids."""
    return sha256(b"%d" % number).digest()[:16]


def _prepared(stream: Stream) -> _Played:
    steps = list(commands(stream.stream_id, stream.recorded))
    last = steps[-1][-1].after.state
    table = table_row(stream.recorded[0].at, last)
    return _Played(
        name=stream.stream_id.hex().encode(),
        leaves=[_around_prev(one) for one in stream.recorded],
        commands=[command_column(one.cmd) for one in stream.recorded],
        transfers=[row for command in steps for step in command for row in transfer_rows(step)],
        hands=[row for command in steps for row in hand_rows(command)],
        seats=[*seat_and_invitation_rows(last).items(), *(row for command in steps for row in rows_of_left(command))],
        table=tuple(table[name] for name in projection_tables.tables.columns.keys()[1:]),
    )


def _around_prev(recorded: RecordedEvent) -> tuple[bytes, bytes]:
    before, mark, after = recorded.leaf.partition(_PREV)
    return before + mark, after[len(NO_HASH) :]


def _load(connection: Connection, stream_id: bytes, played: _Played) -> None:
    rows = list(_events(stream_id, played))
    head_hash = leaf_hash(rows[-1][2])
    _add(connection, log_tables.streams, stream_id, [(len(rows), head_hash, None)])
    load(connection, "events", log_tables.events, rows)
    _add(connection, projection_tables.transfers, stream_id, played.transfers)
    _add(connection, projection_tables.hands, stream_id, played.hands)
    _add(connection, projection_tables.tables, stream_id, [played.table])
    _add(connection, projection_tables.seats, stream_id, played.seats)


def _events(stream_id: bytes, played: _Played) -> Iterator[Values]:
    name, prev = stream_id.hex().encode(), NO_HASH.encode()
    rows = zip(played.leaves, played.commands, strict=True)
    for position, ((before, after), cmd) in enumerate(rows, start=1):
        leaf = before + prev + after.replace(played.name, name)
        prev = leaf_hash(leaf).hex().encode()
        yield stream_id, position, leaf, cmd


def _add(connection: Connection, table: Table, stream_id: bytes, rows: Sequence[Values]) -> None:
    load(connection, table.name, table, [(stream_id, *row) for row in rows])
