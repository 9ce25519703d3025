"""A step of a dispute is whole or absent after a kill, and two processes at once never take the same step twice."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from threading import Barrier
from typing import Any, Final, TypeAlias

import pytest
from sqlalchemy import Engine, event, func, select

from service import settings
from service.cli.support import open_database
from service.database.engines import make_engine, reading
from service.disputes import dispute_commands
from service.disputes.disputes_table import disputes
from service.entropy import Entropy
from service.event_store.log_tables import events, outbox, sealed, streams
from service.games.game import PLAYER
from service.play.dispute_desk import APPROVER, AUDITOR, DisputeDesk, DisputeOrder, DisputeRefused, DisputeResult
from tests.cli.commands import Instance
from tests.disputes.disputed import Copy
from tests.http.service import Table

_CHILDREN: Final = multiprocessing.get_context("forkserver")
_CHILDREN.set_forkserver_preload([__name__])

Run: TypeAlias = Callable[[Copy, DisputeOrder, int], None]


class Killed(BaseException):
    """The step ends here, as if its process were killed."""


def desk_of(instance: Instance, engine: Engine) -> DisputeDesk:
    """Return a write path for the disputes of *instance*, like that of another process."""
    chosen = settings.load({}, data_folder=instance.data, database_url=instance.database)
    return open_database.open_desk(engine, chosen, Entropy())[0]


def ended_before(engine: Engine, step: int, end: Callable[[], Any]) -> None:
    """Call *end* right before the *step*-th statement or commit on *engine*."""
    numbers = count(1)

    def look(*_: object) -> None:
        if next(numbers) == step:
            end()

    event.listen(engine, "before_cursor_execute", look)
    event.listen(engine, "commit", look)


def aborted(copy: Copy, order: DisputeOrder, step: int) -> None:
    """Run *order* up to its *step*-th statement or commit; then the database rolls back, as after a kill."""

    def end() -> None:
        raise Killed

    engine = make_engine(copy.instance.database)
    desk = desk_of(copy.instance, engine)
    ended_before(engine, step, end)
    with suppress(Killed):
        desk.do(order)
    engine.dispose()


def killed(copy: Copy, order: DisputeOrder, step: int) -> None:
    """Run *order* in a new process, which is killed before its *step*-th statement or commit, or after the last."""
    child = _CHILDREN.Process(target=_do_and_die, args=(copy.instance, order, step))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL


def _do_and_die(instance: Instance, order: DisputeOrder, step: int) -> None:
    engine = make_engine(instance.database)
    desk = desk_of(instance, engine)
    ended_before(engine, step, lambda: os.kill(os.getpid(), signal.SIGKILL))
    desk.do(order)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("run", [aborted, pytest.param(killed, marks=pytest.mark.full)])
def test_a_step_that_ends_anywhere_has_happened_whole_or_not_at_all(copy: Copy, run: Run) -> None:
    """The step records one event, seals a text, and adds rows to the list of disputes and to the outbox."""
    command = dispute_commands.OpenDispute(hand=4, ground="deck", statement="That card was there twice.")
    order = order_of(copy, copy.known.players[1], PLAYER, command, key="once")
    before = counted(copy)
    step = 1
    while counted(copy) == before:
        run(copy, order, step)
        step += 1
    happened = counted(copy)
    assert [new - old for new, old in zip(happened, before, strict=True)] == [0, 1, 1, 1, 1]
    assert step > 10, "each statement and the commit are steps of their own"
    told = copy.service.parts.desk.do(order)
    assert (told.replayed, counted(copy)) == (True, happened)
    assert copy.found() == []


def counted(copy: Copy) -> list[int]:
    with reading(copy.service.parts.engine) as connection:
        tables = (streams, events, sealed, disputes, outbox)
        return [connection.execute(select(func.count()).select_from(one)).scalar_one() for one in tables]


def order_of(
    copy: Copy, owner: str, role: str, command: dispute_commands.DisputeCommand, number: int = 0, *, key: str
) -> DisputeOrder:
    return DisputeOrder(table_stream=copy.stream, owner=owner, role=role, key=key, command=command, number=number)


def at_once(copy: Copy, orders: list[DisputeOrder]) -> list[DisputeResult | str]:
    """Give *orders* at the same moment, each through its own desk and engine; return results, or refusals' codes."""
    barrier = Barrier(len(orders))

    def give(order: DisputeOrder) -> DisputeResult | str:
        engine = make_engine(copy.instance.database)
        desk = desk_of(copy.instance, engine)
        barrier.wait()
        try:
            return desk.do(order)
        except DisputeRefused as error:
            return error.refusal.code
        finally:
            engine.dispose()

    with ThreadPoolExecutor(len(orders)) as pool:
        return list(pool.map(give, orders))


@pytest.mark.walk
def test_processes_at_once_take_each_step_once_and_no_number_twice(copy: Copy) -> None:
    known, before = copy.known, len(copy.stored().state.disputes)
    complaints = [
        order_of(
            copy,
            known.players[seat],
            PLAYER,
            dispute_commands.OpenDispute(hand=hand, ground="time"),
            key=f"{seat} {hand}",
        )
        for seat in (1, 2, 3)
        for hand in (4, 4)
    ]
    results = at_once(copy, complaints)  # Each complaint is sent twice, under the same key.
    assert not [one for one in results if isinstance(one, str)]
    opened = [one.dispute.number for one in results if isinstance(one, DisputeResult)]
    assert sorted(set(opened)) == [before + 1, before + 2, before + 3]
    assert len(copy.stored().state.disputes) == before + 3

    taken = [
        order_of(copy, owner, AUDITOR, dispute_commands.TakeDispute(), before + 1, key="t")
        for owner in ("own_x", "own_y")
    ]
    assert sorted(type(one).__name__ for one in at_once(copy, taken)) == ["DisputeResult", "str"]

    proposal = copy.stored().state.disputes[3].proposal
    assert proposal
    approve = dispute_commands.ApproveCorrection(proposal=proposal.position)
    refuse = dispute_commands.RefuseCorrection(proposal=proposal.position)
    decided = at_once(
        copy,
        [
            order_of(copy, known.approver, APPROVER, approve, 3, key="a"),
            order_of(copy, known.approver, APPROVER, approve, 3, key="b"),
            order_of(copy, known.approver, APPROVER, refuse, 3, key="c"),
        ],
    )
    assert sorted(one for one in decided if isinstance(one, str)) == ["correction_must_be_proposed"] * 2
    assert copy.found() == []


@pytest.mark.walk
def test_the_first_two_disputes_of_a_table_at_once_are_in_one_stream(copy: Copy) -> None:
    table = Table(copy.service, 3).dealt()
    stream = bytes.fromhex(table.id.removeprefix("tbl_"))
    complaint = dispute_commands.OpenDispute(hand=1, ground="time")
    orders = [
        DisputeOrder(table_stream=stream, owner=table.players[seat].owner, role=PLAYER, key="k", command=complaint)
        for seat in (1, 2)
    ]
    results = [one for one in at_once(copy, orders) if isinstance(one, DisputeResult)]
    assert sorted(one.dispute.number for one in results) == [1, 2]
    assert copy.found() == []
