"""Group commit: a leader writes waiting commands together, and each command gets its own result or error."""

import random
from collections.abc import Sequence
from threading import Event, Thread
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from service.database.engines import UnknownCommit, administering, reading
from service.database.spread.nodes import NodeMap
from service.database.write_lock import WriteLockNotAcquired
from service.event_store import batch
from service.event_store.batch import RowsToInsert
from service.event_store.entries import Entry
from service.event_store.quarantine import StreamCorrupted
from service.play.writing.group_commit import Writer
from tests import databases
from tests.damage import alter
from tests.play.tables import House, Table, legal_command, owner

PATIENCE = 0.2


class Held:
    """Blocks each thread that writes a batch until `may_go_on` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_writing, self.may_go_on = Event(), Event()
        self.batches: list[int] = []
        self.written: list[int] = []
        write = batch.write

        def held(connection: Connection, entries: Sequence[Entry], rows: Sequence[RowsToInsert]) -> frozenset[bytes]:
            self.batches.append(len(entries))
            self.is_writing.set()
            assert self.may_go_on.wait(60)
            advanced = write(connection, entries, rows)
            self.written.append(len(advanced))
            return advanced

        monkeypatch.setattr(batch, "write", held)


class Doing:
    """A command that runs in its own thread, and its result or error."""

    def __init__(self, table: Table) -> None:
        seat, command = legal_command(table.table_at, random.Random(1))
        self.came: Any = None
        self._table, self._seat, self._command = table, seat, command
        self.thread = Thread(target=self._do)
        self.thread.start()

    def _do(self) -> None:
        try:
            self.came = self._table.do(owner(self._seat), self._command)
        except BaseException as error:  # noqa: BLE001 -- the test checks any error
            self.came = error

    def ended(self) -> Any:  # noqa: ANN401 -- this is a result or an error
        self.thread.join(60)
        return self.came


@pytest.fixture
def house(storage: Engine, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(NodeMap, "node_of", lambda *_: None)  # one writer, even on a spread database
    made = House(storage)
    made.play._lanes.whole = Writer(storage, made.log, made.entropy, patience_seconds=60)
    return made


def tables(house: House, number: int) -> list[Table]:
    return [Table(house, at).started() for at in range(1, number + 1)]


def waiting(house: House, number: int) -> None:
    """Return as soon as *number* commands wait for the leader."""
    writer = house.play._lanes.whole
    while len(writer._waiting) < number:
        Event().wait(0.001)


def test_the_next_leader_records_all_waiting_commands_and_each_gets_its_own_result(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = tables(house, 4)
    held = Held(monkeypatch)
    leads = Doing(first)
    assert held.is_writing.wait(60)
    follow = [Doing(table) for table in others]
    waiting(house, 3)
    held.may_go_on.set()
    for doing, table in zip([leads, *follow], [first, *others], strict=True):
        assert doing.ended().receipt.position == table.table_at.position
    assert held.batches == [1, 3]


def test_two_commands_of_one_table_are_not_written_together(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tables(house, 2)
    held = Held(monkeypatch)
    leads = Doing(first)
    assert held.is_writing.wait(60)
    follow = [Doing(second), Doing(second)]  # the same command with two Idempotency-Keys
    waiting(house, 2)
    held.may_go_on.set()
    assert leads.ended().receipt
    came = [doing.ended() for doing in follow]
    assert sum(hasattr(one, "receipt") for one in came) == 1  # The other command is decided again, and refused.
    assert held.batches[:2] == [1, 1]


def test_nothing_is_written_on_a_head_row_of_another_hash(house: House) -> None:
    (table,) = tables(house, 1)
    behead = "UPDATE streams SET head_hash = :other WHERE stream_id = :stream_id"
    position = table.table_at.position
    alter(house.engine, behead, stream_id=table.stream_id, other=bytes(32))
    assert isinstance(Doing(table).ended(), StreamCorrupted)
    with reading(house.engine) as connection:
        head = "SELECT head FROM streams WHERE head = (SELECT max(position) FROM events)"
        assert connection.exec_driver_sql(head).scalar_one() == position


def test_a_waiter_behind_a_hanging_leader_learns_that_nothing_is_recorded(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tables(house, 2)
    house.play._lanes.whole = Writer(house.engine, house.log, house.entropy, patience_seconds=PATIENCE)
    held = Held(monkeypatch)
    leads = Doing(first)
    assert held.is_writing.wait(60)
    before = second.table_at.position
    assert isinstance(Doing(second).ended(), WriteLockNotAcquired)
    held.may_go_on.set()
    assert leads.ended().receipt
    assert second.table_at.position == before
    assert Doing(second).ended().receipt.position > before


def test_a_command_in_the_batch_of_a_hanging_leader_has_an_unknown_outcome(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = tables(house, 3)
    house.play._lanes.whole = Writer(house.engine, house.log, house.entropy, patience_seconds=5)
    held = Held(monkeypatch)
    write, hangs = batch.write, Event()

    def hanging(connection: Connection, entries: Sequence[Entry], rows: Sequence[RowsToInsert]) -> frozenset[bytes]:
        done = write(connection, entries, rows)
        if len(entries) > 1:
            assert hangs.wait(60)
        return done

    monkeypatch.setattr(batch, "write", hanging)
    leads = Doing(first)
    assert held.is_writing.wait(60)
    follow = [Doing(table) for table in others]
    waiting(house, 2)
    held.may_go_on.set()
    assert leads.ended().receipt
    while not any(doing.came is not None for doing in follow):
        Event().wait(0.001)
    hangs.set()
    came = [doing.ended() for doing in follow]
    assert sum(isinstance(one, UnknownCommit) for one in came) == 1
    assert sum(hasattr(one, "receipt") for one in came) == 1


# On PostgreSQL alone: SQLite locks the whole database, and on a spread database a batch waits for the other session.
@pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:-1])
def test_a_stream_that_another_session_holds_does_not_hold_up_the_others(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = tables(house, 3)
    held = Held(monkeypatch)
    leads = Doing(first)
    assert held.is_writing.wait(60)
    follow = [Doing(second), Doing(third)]
    waiting(house, 2)
    with administering(house.engine) as holder:
        lock = text("SELECT head FROM streams WHERE stream_id = :stream_id FOR UPDATE")
        holder.execute(lock, {"stream_id": second.stream_id})
        held.may_go_on.set()
        assert follow[1].ended().receipt
    assert follow[0].ended().receipt
    assert leads.ended().receipt
    assert held.written == [1, 1], "of the second and the third, the third was written in the batch"


def test_a_command_that_can_not_be_recorded_leaves_the_others_recorded(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = tables(house, 3)
    House(house.engine).play.do(_next(second))  # another process writes first, unnoticed by this process
    held = Held(monkeypatch)
    leads = Doing(first)
    assert held.is_writing.wait(60)
    follow = [Doing(second), Doing(third)]
    waiting(house, 2)
    held.may_go_on.set()
    assert leads.ended().receipt
    assert follow[1].ended().receipt
    assert not isinstance(follow[0].ended(), WriteLockNotAcquired | UnknownCommit)
    assert held.batches == [1, 2]


def _next(table: Table) -> Any:  # noqa: ANN401 -- this returns an order
    seat, command = legal_command(table.table_at, random.Random(1))
    return table.order(owner(seat), command, key="another process")


def test_after_an_error_of_the_batch_each_command_is_recorded_alone(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    (table,) = tables(house, 1)

    def broken(*_: object) -> frozenset[bytes]:
        raise OverflowError

    monkeypatch.setattr(batch, "write", broken)
    assert Doing(table).ended().receipt
