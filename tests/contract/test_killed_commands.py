"""A process is killed between any two steps of a command: the command is recorded completely, or not at all."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from typing import Final

import pytest
from sqlalchemy import Table as SqlTable, event, func, select

from service.database.engines import make_engine, reading
from service.event_store import log_tables
from service.games import common_commands
from service.games.bankrupt.commands import HoldCards, PassUpping
from service.games.game import acting_seat
from service.play.orders import Order
from service.projections import projection_tables
from service.tables.fold import fold_stream
from tests.play.tables import HOST, House, Table, opening, owner

_CHILDREN: Final = multiprocessing.get_context("forkserver")
_CHILDREN.set_forkserver_preload([__name__])

_WRITTEN: Final[tuple[SqlTable, ...]] = (
    log_tables.streams,
    log_tables.events,
    log_tables.sealed,
    projection_tables.transfers,
    projection_tables.tables,
    projection_tables.seats,
    projection_tables.hands,
)


def _an_opening(table: Table) -> Order:
    return table.order(HOST, opening(3))


def _a_start(table: Table) -> Order:
    table.seated(3, buy_in=12)
    return table.order(HOST, common_commands.StartGame(by=""))


def _the_last_pass_of_a_round(table: Table) -> Order:
    table.started(3, buy_in=12)
    for command in (common_commands.DealHand, HoldCards, HoldCards, HoldCards, PassUpping):
        table.do(owner(_due(table)), command(by=""))
    return table.order(owner(_due(table)), PassUpping(by=""))


def _due(table: Table) -> int:
    (due,) = table.table_at.game.due(table.state)
    return acting_seat(due)


@pytest.mark.parametrize("prepare", [_an_opening, _a_start, _the_last_pass_of_a_round])
def test_a_command_killed_anywhere_has_happened_whole_or_not_at_all(
    database_url: str, prepare: Callable[[Table], Order]
) -> None:
    engine = make_engine(database_url)
    table = Table(House(engine))
    order = prepare(table)
    before = _rows(table)
    step = 1
    while _rows(table) == before:
        _make_and_be_killed(database_url, order, step)
        step += 1
    happened = _rows(table)
    assert happened != before
    assert step > 5, "each statement and the commit are steps of their own"
    told = Table(House(engine)).house.play.do(order)
    assert told.replayed, f"it was committed before the kill at step {step}"
    assert _rows(table) == happened
    with reading(engine) as connection:
        recorded = table.house.log.reader.read(connection, table.stream_id)
    assert recorded[-len(told.recorded) :] == told.recorded
    assert fold_stream(table.stream_id, recorded) == table.table_at
    engine.dispose()


def _rows(table: Table) -> dict[str, int]:
    with reading(table.house.engine) as connection:
        counts = {one.name: connection.execute(select(func.count()).select_from(one)).scalar_one() for one in _WRITTEN}
        heads = connection.execute(select(func.coalesce(func.sum(log_tables.streams.c.head), 0))).scalar_one()
    return {**counts, "heads": heads}


def _make_and_be_killed(url: str, order: Order, step: int) -> None:
    """Run *order* in a new process that is killed right before its *step*-th statement or commit, or after the last."""
    child = _CHILDREN.Process(target=_make_and_die, args=(url, order, step))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL


def _make_and_die(url: str, order: Order, step: int) -> None:
    engine = make_engine(url)
    house = House(engine)
    left = step

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "before_cursor_execute", count)
    event.listen(engine, "commit", count)
    house.play.do(order)
    os.kill(os.getpid(), signal.SIGKILL)  # the command is recorded, but its caller has no result yet
