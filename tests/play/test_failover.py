"""A failover loses commits while a command runs: intact tables continue, and an alteration is still found."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from service.audit.log_audit import verify
from service.database.engines import reading, writing
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.quarantine import StreamCorrupted, StreamReplaced
from service.games import EVENTS
from service.play.orders import NoSuchTable, Refused
from service.projections import projector
from service.tables.fold import TableAt
from tests.damage import ALTER, alter, flipped
from tests.failover import Copy
from tests.play.tables import House, Table, legal_command, opening, owner, play_on

LOST = 5  # the number of commands that the failover loses


@pytest.fixture
def house(engine: Engine) -> House:
    made = House(engine)
    made.log.generation.watch(engine)
    return made


@pytest.fixture
def table(house: House) -> Table:
    made = Table(house).started()
    play_on(made, random.Random(1), 20)
    return made


@pytest.fixture
def copy(engine: Engine, house: House, table: Table) -> Iterator[Copy]:
    """Yield a copy of the database that lacks the last LOST commands."""
    made = Copy(engine, house.log.generation)
    came_back(house)
    play_on(table, random.Random(2), LOST)
    yield made
    made.remove()


def once(monkeypatch: pytest.MonkeyPatch, place: object, name: str, happens: Callable[[], None]) -> None:
    """Call *happens* right before the first call of the method *name* of *place*."""
    called, left = getattr(place, name), [happens]

    def calling(*given: Any, **named: Any) -> Any:  # noqa: ANN401 -- the method may be any
        while left:
            left.pop()()
        return called(*given, **named)

    monkeypatch.setattr(place, name, calling)


def came_back(house: House) -> None:
    """Wait until the process has noticed that its connections were cut, and has new connections."""
    house.play._lanes.whole._connection.release()
    while True:
        try:
            with reading(house.engine) as connection:
                connection.exec_driver_sql("SELECT 1")
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
        else:
            return


def tried(table: Table) -> None:
    """Give a legal command; the rules may refuse it if earlier commands were lost."""
    seat, command = legal_command(table.table_at, random.Random(3))
    with suppress(Refused):
        table.do(owner(seat), command)


def must_go_on(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that players can play on, that `verify` has no findings, and that no damage was logged."""
    play_on(table, random.Random(4), 30)
    assert not verify(table.house.engine, table.house.log, Codec(EVENTS)).findings
    assert "log_damaged" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("elsewhere", [0, LOST, 2 * LOST], ids=["behind", "beside", "ahead"])
@pytest.mark.walk
def test_a_command_decided_before_a_failover_and_written_after_it_is_decided_again(
    house: House,
    table: Table,
    copy: Copy,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    elsewhere: int,
) -> None:
    def fails_over() -> None:
        copy.take_over()
        came_back(house)
        other = Table(House(house.engine))  # Another process records other commands first.
        other._keys = count(10_000)
        play_on(other, random.Random(5), elsewhere)

    once(monkeypatch, house.play._lanes, "record", fails_over)
    tried(table)
    must_go_on(table, capsys)


def test_a_wholly_lost_table_is_reported_as_missing(
    house: House, table: Table, copy: Copy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = Table(house, 2).started()
    seat, command = legal_command(newer.table_at, random.Random(3))

    def fails_over() -> None:
        copy.take_over()
        came_back(house)

    once(monkeypatch, house.play._lanes, "record", fails_over)
    with pytest.raises(NoSuchTable):
        newer.do(owner(seat), command)
    must_go_on(table, capsys)


def test_the_cache_is_not_compared_with_another_database(
    house: House, table: Table, copy: Copy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, seen = table.table_at, house.tables.cached

    def seen_and_lost(stream_id: bytes) -> TableAt | None:
        found = seen(stream_id)
        monkeypatch.setattr(house.tables, "cached", seen)
        house.log.generation.end()
        return found

    copy.take_over()
    came_back(house)
    house.tables.put(before, house.log.generation.number)  # as if the process had read this table before the failover
    monkeypatch.setattr(house.tables, "cached", seen_and_lost)
    assert table.table_at.position < before.position
    must_go_on(table, capsys)


def test_a_repeat_does_not_return_a_command_that_a_failover_lost(
    house: House, table: Table, copy: Copy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails_over() -> None:
        copy.take_over()
        came_back(house)

    seat, command = legal_command(table.table_at, random.Random(3))
    table.do(owner(seat), command, key="once")
    once(monkeypatch, house.play._lanes, "wait_until_durable", fails_over)
    with suppress(Refused):  # The rules may refuse the command at the table after the failover.
        assert not table.do(owner(seat), command, key="once").replayed
    must_go_on(table, capsys)


@pytest.mark.walk
def test_a_lost_command_is_not_confirmed(house: House, table: Table) -> None:
    with reading(house.engine) as connection:
        *_, last = house.log.reader.read(connection, table.stream_id)
    others = RecordedEvent(
        last.position, flipped(last.leaf), last.hash, last.event, last.type, last.by, last.at, last.cmd, last.prev, {}
    )
    for stream_id, told in ((table.stream_id, others), (bytes(16), last)):
        with pytest.raises(StreamReplaced), writing(house.engine) as connection:
            projector.wait_until_durable(connection, stream_id, told)
    with writing(house.engine) as connection:
        projector.wait_until_durable(connection, table.stream_id, last)


def altered(house: House, table: Table, position: int) -> None:
    with reading(house.engine) as connection:
        (one,) = house.log.reader.read(connection, table.stream_id, position - 1, 1)
    alter(house.engine, ALTER, leaf=flipped(one.leaf), stream_id=table.stream_id, position=position)


def test_an_alteration_is_found_after_a_failover_as_well(
    house: House, table: Table, copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_over() -> None:
        copy.take_over()
        came_back(house)
        altered(House(house.engine), table, 7)

    once(monkeypatch, house.play._lanes, "record", fails_over)
    with pytest.raises(StreamCorrupted) as found:
        tried(table)
    assert found.value.position == 7


def test_an_alteration_without_a_failover_is_damage(
    house: House, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = table.table_at.position
    behead = "UPDATE streams SET head_hash = :leaf WHERE stream_id = :stream_id"
    once(
        monkeypatch,
        house.play._lanes,
        "record",
        lambda: alter(house.engine, behead, leaf=bytes(32), stream_id=table.stream_id),
    )
    with pytest.raises(StreamCorrupted) as found:
        tried(table)
    assert found.value.position == position


def test_a_stream_damaged_in_a_lost_database_is_found_intact(
    house: House, table: Table, copy: Copy, capsys: pytest.CaptureFixture[str]
) -> None:
    altered(house, table, 7)
    house.tables.drop(table.stream_id)
    with pytest.raises(StreamCorrupted):
        tried_as_it_was(house, table)
    copy.take_over()
    came_back(house)
    assert house.log.quarantine.get(table.stream_id) is None
    capsys.readouterr()
    must_go_on(table, capsys)


def tried_as_it_was(house: House, table: Table) -> None:
    table.do(owner(1), legal_command(table.table_at, random.Random(3))[1])


def test_damage_lasts_in_every_generation_even_behind_a_snapshot(house: House) -> None:
    table = Table(house).started()
    while table.table_at.position < 260:
        assert play_on(table, random.Random(1), 10) == 10
    with reading(house.engine) as connection:
        assert house.tables.from_snapshot(connection, table.stream_id)
    altered(house, table, 7)
    with pytest.raises(StreamCorrupted), reading(house.engine) as connection:
        house.log.reader.read(connection, table.stream_id)
    for _ in range(3):
        house.log.generation.end()
        seat, command = 1, opening(2)
        with pytest.raises(StreamCorrupted):
            table.do(owner(seat), command)
        assert house.log.quarantine.get(table.stream_id) is not None


def test_new_connections_to_the_same_database_do_not_end_a_cache_generation(house: House, table: Table) -> None:
    number = house.log.generation.number
    held: list[Connection] = [house.engine.connect() for _ in range(4)]
    for one in held:
        one.close()
    assert house.log.generation.number == number
