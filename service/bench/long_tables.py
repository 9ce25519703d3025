"""Figures that compare a table of 100,000 events with one of 100 events: requests to both should take the same time."""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from random import Random
from statistics import median
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, Engine

from service.audit.judging.audit_known import no_fields
from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.bench import databases, headless, streams
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.clock import Clock
from service.database import engines
from service.database.sql import Insert
from service.event_store import queries
from service.event_store.entries import EMPTY
from service.event_store.store import Log, event_rows
from service.games.game import seat_actor
from service.play.orders import Order
from service.projections.projection_tables import hands, transfers
from service.projections.projector import hand_rows, transfer_rows
from service.projections.rebuild.bulk_load import load
from service.projections.statements import used_balances
from service.projections.winnings import winnings
from service.tables import snapshots
from service.tables.fold import TableAt
from service.tables.replay import commands
from service.tables.sealed_store import SEED

SHORT: Final = 100  # events
LONG: Final = 100_000
TRIES: Final = 40

_CHIPS: Final = 1_000_000  # so that no game ends
_PAGE: Final = 500
_HANDS: Final = Insert(hands, "stream_id", "hand", "first", "last")


class FilledTable(Struct, frozen=True):
    """A table in the database of *engine*; *hands* is the number of its settled hands."""

    engine: Engine
    table_at: TableAt
    hands: int
    keys: Iterator[int]
    dice: Random

    @property
    def stream_id(self) -> bytes:
        """The table's stream."""
        return self.table_at.stream_id


def measure(temporary: TemporaryDatabases, kind: str, clock: Clock) -> Iterator[Figure]:
    """Measure requests to a process with an empty cache, and a command to a process that has cached the table."""
    with temporary.create(kind) as url, databases.opened(url) as engine:
        tables = [_filled(engine, number, events) for number, events in ((1, SHORT), (2, LONG))]
        for what, ask in _REQUESTS.items():
            ask(tables[0])()  # The first call also builds shared objects, so it does not count.
            short, long = ([_seconds(ask(table), clock) for _ in range(TRIES)] for table in tables)
            remark = f"{1000 * median(short):.2f} ms at {SHORT:,} events, {1000 * median(long):.2f} ms at {LONG:,}"
            yield Figure(f"long.{kind}.{what}_ratio", median(long) / median(short), remark)


def _seconds(work: Callable[[], object], clock: Clock) -> float:
    begun = clock.monotonic()
    work()
    return clock.monotonic() - begun


def _filled(engine: Engine, number: int, events: int) -> FilledTable:
    """Play at a table in memory until it has at least *events* events; then write the table to the database.

    The database gets the stream, the seeds, and what `_put_what_follows` writes.
    """
    playing, dice = streams.Playing(number, headless.Repeatable(10_000_000 * number)), Random(number)
    playing.start(_CHIPS)
    while playing.table_at.position < events:
        seat, command = headless.random_move(playing.table_at, dice)
        playing.do(replace(command, by=seat_actor(seat)))
    stream, log = playing.stream(), headless.HeadlessService(engine).log
    with engines.administering(engine) as connection:
        log.create(connection, stream.stream_id)
        _put_events(connection, stream)
        for epoch, position in playing.table_at.opened.items():
            log.seal_imported_value(connection, stream.stream_id, position, SEED, playing.seed(epoch))
        _put_what_follows(connection, log, stream)
    return FilledTable(engine, playing.table_at, stream.hands, count(), dice)


def _put_events(connection: Connection, stream: streams.Stream) -> None:
    head = EMPTY
    for start in range(0, len(stream.recorded), _PAGE):
        page = stream.recorded[start : start + _PAGE]
        values = {"stream_id": stream.stream_id, "old_head": head.position, "old_head_hash": head.hash}
        last = page[-1]
        queries.ADVANCE.run(connection, {**values, "head": last.position, "head_hash": last.hash})
        queries.EVENTS.run(connection, event_rows(stream.stream_id, page))
        head = replace(head, position=last.position, hash=last.hash)


def _put_what_follows(connection: Connection, log: Log, stream: streams.Stream) -> None:
    """Write the projections of hands and transfers, and snapshots at least `SNAPSHOT_INTERVAL` events apart."""
    snapshot_at = 0
    moved: list[tuple[Any, ...]] = []
    for steps in commands(stream.stream_id, stream.recorded):
        after = steps[-1].after
        _HANDS.run(connection, [(stream.stream_id, *row) for row in hand_rows(steps)])
        moved += [(stream.stream_id, *row) for step in steps for row in transfer_rows(step)]
        if after.position - snapshot_at >= snapshots.SNAPSHOT_INTERVAL:
            snapshots.put(connection, log, after)
            snapshot_at = after.position
    load(connection, transfers.name, transfers, moved)


def _command(table: FilledTable, service: headless.HeadlessService) -> Callable[[], object]:
    with engines.reading(table.engine) as connection:
        now = headless.HeadlessService(table.engine).tables.current(connection, table.stream_id)
    assert now is not None  # noqa: S101 -- mypy needs this assertion: the table exists
    seat, command = headless.random_move(now, table.dice)
    order = Order(
        stream_id=table.stream_id, caller=headless.owner(seat), key=f"long {next(table.keys)}", command=command
    )
    return lambda: service.play.do(order)


def _first_command(table: FilledTable) -> Callable[[], object]:
    return _command(table, headless.HeadlessService(table.engine))


def _next_command(table: FilledTable) -> Callable[[], object]:
    service = headless.HeadlessService(table.engine)
    _view(table, service)()
    return _command(table, service)


def _view(table: FilledTable, service: headless.HeadlessService, at: int = 0) -> Callable[[], object]:
    def look() -> object:
        with engines.reading(table.engine) as connection:
            now = service.tables.current(connection, table.stream_id)
            return service.tables.at_position(connection, now, at) if at and now else now

    return look


def _first_view(table: FilledTable) -> Callable[[], object]:
    return _view(table, headless.HeadlessService(table.engine))


def _past_view(table: FilledTable) -> Callable[[], object]:
    return _view(table, headless.HeadlessService(table.engine), table.dice.randint(1, table.table_at.position))


def _hand(table: FilledTable) -> Callable[[], object]:
    return _judge(table, table.dice.randint(1, table.hands))


def _early_hand(table: FilledTable) -> Callable[[], object]:
    return _judge(table, 1)


def _judge(table: FilledTable, hand: int) -> Callable[[], object]:
    service = headless.HeadlessService(table.engine)

    def judge() -> object:
        with engines.reading(table.engine) as connection:
            return adjudicate_stored_hand(connection, service.log, service.tables, table.table_at, hand, no_fields)

    return judge


def _balances(table: FilledTable) -> Callable[[], object]:
    service, position = headless.HeadlessService(table.engine), table.dice.randint(1, table.table_at.position)

    def ask() -> object:
        with engines.reading(table.engine) as connection:
            found = service.tables.balances_at(connection, table.table_at, position)
            used = used_balances(connection, table.stream_id, found, position)
            return winnings(connection, table.stream_id, table.table_at.state.players, used, position)

    return ask


_REQUESTS: Final[Mapping[str, Callable[[FilledTable], Callable[[], object]]]] = {
    "next_command": _next_command,
    "first_command": _first_command,
    "first_view": _first_view,
    "past_view": _past_view,
    "hand": _hand,
    "early_hand": _early_hand,
    "balances": _balances,
}
"""The requests to a table. Only `next_command` finds the table in the cache; for all others the cache is empty."""
