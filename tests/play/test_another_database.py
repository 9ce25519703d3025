"""After a failover or a restore, a database lacks events that a process has read: the process forgets these events."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine

from service.audit.log_audit import verify
from service.database import schema_check
from service.database.engines import make_engine
from service.event_store.codec import Codec
from service.games import EVENTS
from service.play.handler import Play
from service.play.orders import NoSuchTable
from tests.play.tables import House, Table, legal_command, owner, play_on


@pytest.fixture
def now(tmp_path: Path) -> Iterator[Engine]:
    yield from _database(tmp_path / "now.db")


@pytest.fixture
def then(tmp_path: Path) -> Iterator[Engine]:
    yield from _database(tmp_path / "then.db")


def _database(file: Path) -> Iterator[Engine]:
    engine = make_engine(f"sqlite:///{file}")
    schema_check.migrate(engine)
    yield engine
    engine.dispose()


def copied(house: House, to: Engine) -> None:
    """Copy the whole SQLite database of *house* into the database of *to*."""
    source, target = (sqlite3.connect(str(engine.url.database)) for engine in (house.engine, to))
    with closing(source), closing(target):
        source.backup(target)


def moved(house: House, to: Engine) -> House:
    """Return the process of *house* on the database of *to*, after the process has found its connections cut."""
    made = House(to)
    made.log, made.tables, made.sealed_store = house.log, house.tables, house.sealed_store
    made.play = Play(to, made.log, made.tables, made.sealed_store, made.entropy, made.signer, made.derivation)
    made.log.generation.end()
    return made


def test_lost_decks_are_dealt_from_no_more(now: Engine, then: Engine) -> None:
    house = House(now)
    table = Table(house).started()
    copied(house, then)
    play_on(table, random.Random(1), 200)
    table = Table(moved(house, then))
    table._keys = count(10_000)
    play_on(table, random.Random(2), 200)
    assert not verify(then, table.house.log, Codec(EVENTS)).findings


def test_a_table_read_before_the_cache_was_emptied_is_not_cached_after_it(now: Engine) -> None:
    house = House(now)
    table = Table(house).started()
    generation, table_at = house.log.generation.number, table.table_at
    house.log.generation.end()
    house.tables.put(table_at, generation)
    assert house.tables.cached(table.stream_id) is None


def test_a_deck_opened_while_the_cache_is_emptied_is_not_cached(now: Engine) -> None:
    house = House(now)
    kept = house.sealed_store._decks

    def make() -> str:
        house.log.generation.end()
        return "old"

    assert kept.get("epoch", make) == "old"  # type: ignore[arg-type, comparison-overlap]
    assert kept.get("epoch", lambda: "new") == "new"  # type: ignore[arg-type, return-value, comparison-overlap]


def test_a_lost_table_is_reported_as_missing_and_not_as_damaged(now: Engine, then: Engine) -> None:
    house = House(now)
    table_at = Table(house).started().table_at
    other = House(then)
    other.tables.put(table_at, other.log.generation.number)
    seat, command = legal_command(table_at, random.Random(1))
    for _ in range(2):
        with pytest.raises(NoSuchTable):
            Table(other).do(owner(seat), command)
    assert other.log.quarantine.get(table_at.stream_id) is None
