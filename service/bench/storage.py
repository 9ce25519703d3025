"""Figures of the disk space that an event and a hand take, with indexes and projections."""

from collections.abc import Iterator
from random import Random
from typing import Final

from sqlalchemy import Connection, Engine, text

from service.bench import databases, headless
from service.bench.databases import TemporaryDatabases
from service.bench.figures import Figure
from service.database import engines
from service.database.spread.spread_check import is_spread

TABLES: Final = 16
MOVES: Final = 6_000  # at all tables together; with fewer moves, half-filled pages would count too much
RELATIONS: Final = ("streams", "events", "sealed", "transfers", "tables", "seats", "hands")


def measure(temporary: TemporaryDatabases) -> Iterator[Figure]:
    """Play at several tables in turn on PostgreSQL, and measure the stored bytes per event and per hand."""
    with temporary.create(databases.POSTGRESQL) as url, databases.opened(url) as engine:
        hands = _play(engine)
        with engines.reading(engine) as connection:
            bytes_of = {relation: _bytes_of(connection, relation) for relation in RELATIONS}
            events = connection.execute(text("SELECT count(*) FROM events")).scalar_one()
            leaves = connection.execute(text("SELECT sum(length(leaf)) FROM events")).scalar_one()
    total = sum(bytes_of.values())
    parts = ", ".join(f"{relation} {size / events:.0f}" for relation, size in bytes_of.items() if size > total / 100)
    remark = f"{events:,} events, each with a leaf of {leaves / events:.0f} bytes; with indexes: {parts}"
    yield Figure("storage.postgresql.bytes_per_event", total / events, remark)
    remark = f"{hands:,} hands of four players, {events / hands:.1f} events each"
    yield Figure("storage.postgresql.bytes_per_hand", total / hands, remark)


def _play(engine: Engine) -> int:
    """Play at all tables in turn; return the number of settled hands."""
    service = headless.HeadlessService(engine)
    tables = [headless.Table(service, number, headless.OPTIONS) for number in range(1, TABLES + 1)]
    playing = [table.play_at_random(Random(number)) for number, table in enumerate(tables)]
    for turn in range(MOVES):
        next(playing[turn % TABLES], None)
    states = [table.table_at.state for table in tables]
    return sum(state.hand - state.hand_is_running for state in states)


def _bytes_of(connection: Connection, relation: str) -> int:
    """Return the bytes of *relation* with its indexes and its out-of-line (TOAST) values."""
    function = "citus_total_relation_size" if is_spread(connection) else "pg_total_relation_size"
    found: int = connection.execute(text(f"SELECT {function}(:name)"), {"name": relation}).scalar_one()
    return found
