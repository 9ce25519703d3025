"""Group commit: a leader is found even if the thread of a leader or of a waiter times out or dies."""

import linecache
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from sqlalchemy import Connection, Engine

from service.database.engines import make_engine
from service.database.spread.nodes import NodeMap
from service.database.write_lock import WriteLockNotAcquired
from service.entropy import Entropy
from service.event_store import batch
from service.event_store.batch import RowsToInsert
from service.event_store.entries import Entry, Head
from service.play.writing import group_commit
from service.play.writing.group_commit import State, Work, Writer
from service.projections.projector import Changes
from tests.contract.test_group_commit import Doing, Held, tables, waiting
from tests.play.tables import House, Table

Wait = Callable[[group_commit._Waiter, float], None]

patiently = group_commit._Waiter.wait


class Died(BaseException):
    """The thread was killed, as if from outside."""


def too_late(waiter: group_commit._Waiter, _: float) -> None:
    """Time out at the moment in which the waiter is woken, so that its thread does not notice the wake-up."""
    until(lambda: waiter.state is not State.WAITING)


def too_late_though_recorded(waiter: group_commit._Waiter, _: float) -> None:
    until(lambda: waiter.state is State.DONE)


def dead_when_woken(waiter: group_commit._Waiter, _: float) -> None:
    patiently(waiter, 60)
    raise Died


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[Wait]:
    """Return a list to which a test adds replacements of `wait`: for the first waiter, the second waiter and so on."""
    befalls: list[Wait] = []

    def wait(waiter: group_commit._Waiter, seconds: float) -> None:
        befall = befalls.pop(0) if befalls else patiently
        befall(waiter, seconds)

    monkeypatch.setattr(group_commit._Waiter, "wait", wait)
    return befalls


@pytest.fixture
def house(storage: Engine, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(NodeMap, "node_of", lambda *_: None)  # one writer, even on a spread database
    made = House(storage)
    made.play._lanes.whole = Writer(storage, made.log, made.entropy, patience_seconds=60)
    return made


@pytest.fixture
def held(house: House, four: list[Table], monkeypatch: pytest.MonkeyPatch) -> Held:
    """Block the threads that write."""
    return Held(monkeypatch)


@pytest.fixture
def four(house: House) -> list[Table]:
    return tables(house, 4)


def one_after_the_other(house: House, held: Held, four: list[Table], waits: list[Wait]) -> list[Doing]:
    """Let the first of *four* lead, and the others wait in this order, each by its function in *waits*, if any."""
    befalls = len(waits)
    doing = [Doing(four[0])]
    assert held.is_writing.wait(60)
    for number, table in enumerate(four[1:], start=1):
        doing.append(Doing(table))
        waiting(house, number)
        until(partial(lambda left: len(waits) <= left, max(0, befalls - number)))
    held.may_go_on.set()
    return doing


def is_recorded(doing: Doing, table: Table) -> bool:
    """Return whether the result of the command has the receipt of its table's last event."""
    return bool(doing.ended().receipt.position == table.table_at.position)


def must_be_idle(house: House) -> None:
    """Check that there is no leader and no waiter, and that the next command is recorded as usual."""
    made = house.play._lanes.whole
    assert (made._leader, made._waiting, made._batch) == (None, [], [])
    another = Table(house, 9).started()
    assert Doing(another).ended().receipt


def test_a_waiter_whose_patience_ends_as_it_is_promoted_leads(
    house: House, held: Held, four: list[Table], waits: list[Wait]
) -> None:
    waits += [too_late]
    doing = one_after_the_other(house, held, four, waits)
    assert all(is_recorded(*one) for one in zip(doing, four, strict=True))
    assert held.batches == [1, 3]
    must_be_idle(house)


def test_a_waiter_whose_patience_ends_as_it_is_recorded_gets_its_result(
    house: House, held: Held, four: list[Table], waits: list[Wait]
) -> None:
    waits += [patiently, too_late_though_recorded, too_late_though_recorded]
    doing = one_after_the_other(house, held, four, waits)
    assert all(is_recorded(*one) for one in zip(doing, four, strict=True))
    assert held.batches == [1, 3]
    must_be_idle(house)


def test_a_thread_that_ends_as_it_is_promoted_passes_the_lead_on(
    house: House, held: Held, four: list[Table], waits: list[Wait]
) -> None:
    waits += [dead_when_woken]
    doing = one_after_the_other(house, held, four, waits)
    assert isinstance(doing[1].ended(), Died)
    assert all(is_recorded(doing[number], four[number]) for number in (0, 2, 3))
    assert held.batches == [1, 2]
    must_be_idle(house)


def test_a_thread_that_ends_while_it_waits_is_not_promoted(
    house: House, held: Held, four: list[Table], waits: list[Wait]
) -> None:
    def dead(_: group_commit._Waiter, __: float) -> None:
        raise Died

    waits.append(dead)
    leads = Doing(four[0])
    assert held.is_writing.wait(60)
    assert isinstance(Doing(four[1]).ended(), Died)
    follow = [Doing(table) for table in four[2:]]
    waiting(house, 2)
    held.may_go_on.set()
    assert is_recorded(leads, four[0])
    assert all(is_recorded(*one) for one in zip(follow, four[2:], strict=True))
    assert held.batches == [1, 2]
    must_be_idle(house)


def test_a_thread_that_ends_once_it_is_taken_changes_nothing_for_the_others(
    house: House, held: Held, four: list[Table], waits: list[Wait]
) -> None:
    def dead_when_taken(waiter: group_commit._Waiter, _: float) -> None:
        until(lambda: waiter.state is not State.WAITING)
        raise Died

    waits += [patiently, dead_when_taken]
    doing = one_after_the_other(house, held, four, waits)
    assert isinstance(doing[2].ended(), Died)
    assert all(is_recorded(doing[number], four[number]) for number in (0, 1, 3))
    must_be_idle(house)


def test_a_promoted_waiter_that_does_not_begin_is_passed_over(
    house: House, held: Held, four: list[Table], waits: list[Wait]
) -> None:
    comes = threading.Event()
    before = four[1].table_at.position

    def away(waiter: group_commit._Waiter, _: float) -> None:
        patiently(waiter, 60)
        assert comes.wait(60)

    def tired(_: group_commit._Waiter, __: float) -> None:
        made = house.play._lanes.whole
        until(lambda: made._leader and made._leader.state is State.LEADING)

    waits += [away, tired]
    doing = one_after_the_other(house, held, four, waits)
    assert all(is_recorded(doing[number], four[number]) for number in (0, 2, 3))
    comes.set()
    assert isinstance(doing[1].ended(), WriteLockNotAcquired)
    assert four[1].table_at.position == before
    must_be_idle(house)


@pytest.mark.parametrize("is_recorded_first", [False, True], ids=["before it writes", "once it has written"])
def test_a_leader_that_ends_leaves_the_others_recorded(
    house: House,
    held: Held,
    four: list[Table],
    waits: list[Wait],
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_recorded_first: bool,
) -> None:
    write = house.play._lanes.whole._write_batch

    def deadly(taken: Sequence[group_commit._Waiter]) -> None:
        if len(taken) == 1:
            return write(taken)
        if is_recorded_first:
            write(taken)
            for one in taken:
                one.is_written = False  # the leader died before it set this value
        raise Died

    monkeypatch.setattr(house.play._lanes.whole, "_write_batch", deadly)
    doing = one_after_the_other(house, held, four, waits)
    assert isinstance(doing[1].ended(), Died)
    assert all(is_recorded(doing[number], four[number]) for number in (0, 2, 3))
    must_be_idle(house)


def test_a_leader_that_ends_while_it_writes_has_recorded_nothing(
    house: House, held: Held, four: list[Table], waits: list[Wait], monkeypatch: pytest.MonkeyPatch
) -> None:
    write, before = batch.write, four[1].table_at.position

    def deadly(connection: Connection, entries: Sequence[Entry], rows: Sequence[RowsToInsert]) -> frozenset[bytes]:
        if len(entries) > 1:
            raise Died
        return write(connection, entries, rows)

    monkeypatch.setattr(batch, "write", deadly)
    doing = one_after_the_other(house, held, four, waits)
    assert isinstance(doing[1].ended(), Died)
    assert four[1].table_at.position == before
    assert all(is_recorded(doing[number], four[number]) for number in (0, 2, 3))
    must_be_idle(house)


class Fragile(Writer):
    """A writer that records in memory, so that a test can kill a thread at each of the writer's lines in turn."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, None, Entropy(), patience_seconds=60)  # type: ignore[arg-type]
        self.recorded: list[bytes] = []
        self.is_writing, self.may_go_on = threading.Event(), threading.Event()

    def _write_batch(self, taken: Sequence[group_commit._Waiter]) -> None:
        self.is_writing.set()
        assert self.may_go_on.wait(60)
        for one in taken:
            self._write_alone(one.work)
            one.is_written = True

    def _write_alone(self, work: Work) -> None:
        if work.entry.stream_id not in self.recorded:  # the real log refuses a recorded command
            self.recorded.append(work.entry.stream_id)


class Ending:
    """A thread that records a command and is killed right before its *line*-th line of the writer's code (0: never)."""

    def __init__(self, made: Fragile, name: bytes, line: int = 0) -> None:
        self.came = ""
        self._made, self._left = made, line
        head = Head(1, bytes(32))
        self._work = Work(Entry(name, head, (), (), {}), Changes(name, (), (), (), (), {}, {}), generation=0)
        self.thread = threading.Thread(target=self._do, args=[line])
        self.thread.start()

    def _do(self, line: int) -> None:
        sys.settrace(self._trace if line else None)
        try:
            self._made.record(self._work)
            self.came = "recorded"
        except Died:
            self.came = "died"

    def _trace(self, frame: FrameType, what: str, _: object) -> Any:  # noqa: ANN401 -- sys.settrace defines this
        if frame.f_code.co_filename != group_commit.__file__:
            return None
        text = linecache.getline(group_commit.__file__, frame.f_lineno).strip()
        # Python does not interrupt the exit of a `with` block, but this trace could: skip these lines.
        if what == "line" and not text.startswith("with "):
            self._left -= 1
            if self._left == 0:
                raise Died
        return self._trace


def ended_at(engine: Engine, line: int) -> str:
    """Kill the second of four threads at its *line*-th line; return that thread's outcome."""
    made = Fragile(engine)
    first = Ending(made, b"first")
    assert made.is_writing.wait(60)
    second = Ending(made, b"second", line)
    until(lambda: second.came or made._waiting)
    others = [Ending(made, name) for name in (b"third", b"fourth")]
    until(lambda: {b"third", b"fourth"} <= {one.work.entry.stream_id for one in made._waiting})
    made.may_go_on.set()
    for one in (first, second, *others):
        one.thread.join(60)
    assert {one.came for one in (first, *others)} == {"recorded"}
    assert len(made.recorded) == len({*made.recorded}) >= 3
    assert (made._leader, made._waiting, made._batch) == (None, [], [])
    return second.came


def until(holds: Callable[[], object]) -> None:
    for _ in range(60_000):
        if holds():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it never came to that")


def test_a_thread_may_end_in_any_line_without_harm_to_the_others(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'not_used.db'}")
    lines = 1
    while ended_at(engine, lines) == "died":
        lines += 1
    assert lines > 50
