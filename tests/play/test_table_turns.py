"""Turns: a process carries out the commands with If-Match at one table one by one."""

from collections.abc import Callable
from threading import Thread
from time import sleep

import pytest
from sqlalchemy import Engine

from service.games.common_commands import DealHand, StartGame
from service.games.game import acting_seat
from service.play.orders import CommandResult, PositionMustMatch
from service.play.table_turns import TableTurns
from service.play.writing.group_commit import Work
from tests.play.tables import HOST, House, Table, owner

TABLE = b"a table".ljust(16)
OTHER = b"another table".ljust(16)
FOREVER = 600.0
RACERS = 5
POSITION = 7


def at_position(_stream_id: bytes) -> int:
    return POSITION


def waiting(turns: TableTurns) -> int:
    """Return how many commands wait for their turn at TABLE."""
    turn = turns._turns.get(TABLE)
    return len(turn.waiting) if turn else 0


def start(work: Callable[[], None], turns: TableTurns, if_match: int = POSITION) -> Thread:
    """Start a thread that waits for its turn at TABLE and then does *work*; return the thread once it waits."""

    def run() -> None:
        with turns.turn(TABLE, if_match):
            work()

    before = waiting(turns)
    thread = Thread(target=run)
    thread.start()
    while waiting(turns) == before:
        sleep(0.001)
    return thread


def test_the_command_that_came_last_has_the_next_turn() -> None:
    turns, done = TableTurns(at_position, FOREVER), list[str]()
    with turns.turn(TABLE, POSITION):
        threads = [start(lambda name=name: done.append(name), turns) for name in ("first", "second", "third")]  # type: ignore[misc]
        assert done == []
        with turns.turn(OTHER, POSITION):
            pass  # Each table has its own turns.
    for thread in threads:
        thread.join()
    assert done == ["third", "second", "first"]
    assert not turns._turns, "no turn is left"


def test_of_many_waiting_commands_the_stale_ones_get_no_turn_until_few_wait() -> None:
    position, done = [POSITION], list[int]()
    turns = TableTurns(lambda _stream_id: position[0], FOREVER)
    with turns.turn(TABLE, POSITION):
        threads = [start(lambda: done.append(POSITION), turns) for _ in range(5)]
        fresh = start(lambda: done.append(POSITION + 1), turns, POSITION + 1)
        position[0] = POSITION + 1
    fresh.join()
    assert done == [POSITION + 1]
    assert waiting(turns) == 5, "the stale commands go on waiting"
    turns._turns[TABLE].waiting.pop().wake()  # as if one of the commands had waited too long
    with turns.turn(TABLE, POSITION + 1):
        pass  # Nobody had the turn, so this command took it at once.
    for thread in threads:
        thread.join()
    assert done == [POSITION + 1, *5 * [POSITION]]
    assert not turns._turns


def test_a_command_that_fails_passes_its_turn_on() -> None:
    turns, done, threads = TableTurns(at_position, FOREVER), list[str](), list[Thread]()

    def fail_while_another_waits() -> None:
        with turns.turn(TABLE, POSITION):
            threads.append(start(lambda: done.append("next"), turns))
            raise LookupError

    with pytest.raises(LookupError):
        fail_while_another_waits()
    threads[0].join()
    assert done == ["next"]
    assert not turns._turns


def test_a_command_whose_patience_ends_goes_on_and_takes_a_turn_that_is_lost() -> None:
    turns = TableTurns(at_position, 0.0)
    lost = turns.turn(TABLE, POSITION)
    lost.__enter__()  # as if the command's thread had been interrupted before the end of the block
    with turns.turn(TABLE, POSITION):
        assert TABLE in turns._turns
    assert not turns._turns, "the next command has the turn at once"
    lost.__exit__(None, None, None)
    assert not turns._turns


def test_of_many_commands_at_one_position_one_is_written_and_the_others_learn_the_new_position(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(House(engine)).seated(2)
    table.do(HOST, StartGame(by=""))
    play, before = table.house.play, table.table_at
    (due,) = before.due
    written: list[Work] = []
    record = play._lanes.record
    monkeypatch.setattr(play, "_turns", TableTurns(play._known_position, FOREVER))
    ended: list[CommandResult | int] = []

    def count_and_record(work: Work) -> None:
        written.append(work)
        record(work)

    monkeypatch.setattr(play._lanes, "record", count_and_record)

    def race(number: int) -> None:
        order = table.order(owner(acting_seat(due)), DealHand(by=""), key=f"race {number}", if_match=before.position)
        try:
            ended.append(play.do(order))
        except PositionMustMatch as error:
            ended.append(error.table_at.position)

    threads = [Thread(target=race, args=(number,)) for number in range(RACERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (result,) = [one for one in ended if not isinstance(one, int)]
    assert len(written) == 1
    assert sorted(one for one in ended if isinstance(one, int)) == (RACERS - 1) * [result.recorded[-1].position]
