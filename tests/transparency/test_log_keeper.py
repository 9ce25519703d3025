"""One process at a time keeps the log; it goes on after errors, and logs each error once, without values."""

from collections.abc import Iterator, MutableMapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from service.database.engines import reading
from service.database.exclusive import SEQUENCING, exclusive_work
from service.entropy import Entropy
from service.event_store.entries import EMPTY
from service.transparency import log_keeper, published
from service.transparency.log_keeper import LogKeeper
from service.transparency.log_signer import HeadFileError, LogSigner, TreeMustContinue
from service.transparency.sequencer import MOST_LEAVES, Sequencer
from service.transparency.tree import TreeDamaged
from service.transparency.tree_tables import checkpoints
from tests.clocks import Clock
from tests.event_store.streams import append, asked, make_log, new_stream
from tests.transparency.notes import new_signer

LOG = make_log()


@pytest.fixture
def signer(tmp_path: Path) -> LogSigner:
    return new_signer(tmp_path)


@pytest.fixture
def keeper(engine: Engine, signer: LogSigner, clock: Clock) -> LogKeeper:
    return LogKeeper(engine, signer, clock)


@pytest.fixture
def lines() -> Iterator[list[MutableMapping[str, Any]]]:
    with capture_logs() as captured:
        yield captured


class Scripted(LogKeeper):
    """A log keeper whose looks follow a script; it ends when the script ends."""

    def __init__(self, engine: Engine, signer: LogSigner, clock: Clock, script: list[int | Exception]) -> None:
        super().__init__(engine, signer, clock)
        self._script = iter(script)
        self.ended = Ends()

    def look(self) -> int:
        step = next(self._script, None)
        if step is None:
            self.ended.set()
            return 0
        if isinstance(step, Exception):
            raise step
        return step

    def run(self) -> None:
        self._run(self.ended)


class Ends(Event):
    """A `threading.Event` that does not wait, and records each requested time."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.waits.append(timeout)
        return self.is_set()


def write(engine: Engine, events: int = 1) -> None:
    append(engine, LOG, new_stream(engine, LOG), EMPTY, asked("a", answers=events - 1))


def stored(engine: Engine) -> list[int]:
    with reading(engine) as connection:
        return list(connection.execute(select(checkpoints.c.size).order_by(checkpoints.c.size)).scalars())


def test_a_look_gives_indexes_and_publishes_the_checkpoint(
    engine: Engine, keeper: LogKeeper, signer: LogSigner
) -> None:
    assert keeper.look() == 0
    assert stored(engine) == []
    write(engine, 3)
    keeper_of_a_new_process = LogKeeper(engine, signer, Clock())
    assert keeper_of_a_new_process.look() == 3
    assert stored(engine) == [3]
    assert signer.last().size == 3


def test_a_checkpoint_is_published_at_most_once_a_second(engine: Engine, keeper: LogKeeper, clock: Clock) -> None:
    write(engine)
    keeper.look()
    for seconds, sizes in [(0.0, [1]), (0.5, [1]), (0.49, [1]), (0.01, [1, 5]), (0.99, [1, 5]), (0.01, [1, 5, 7])]:
        clock.seconds += seconds
        write(engine)
        assert keeper.look() == 1
        assert stored(engine) == sizes


def test_a_checkpoint_is_published_while_leaves_arrive_in_every_round(
    engine: Engine, keeper: LogKeeper, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_round = Sequencer.round

    def with_arrival(self: Sequencer) -> int:
        write(engine)
        return one_round(self)

    monkeypatch.setattr(Sequencer, "round", with_arrival)
    for size in range(1, 5):
        assert keeper.look() == 1
        assert stored(engine) == list(range(1, size + 1))
        clock.seconds += 1


def test_the_last_look_of_a_server_signs_all_leaves_at_once(engine: Engine, keeper: LogKeeper) -> None:
    write(engine)
    keeper.look()
    write(engine, MOST_LEAVES + 7)
    keeper.finish(1.0)
    assert stored(engine) == [1, MOST_LEAVES + 8]
    LogKeeper(engine, None, Clock()).finish(1.0)


def test_the_last_look_ends_although_another_server_records_without_end(
    engine: Engine, keeper: LogKeeper, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_round = Sequencer.round

    def with_arrival(self: Sequencer) -> int:
        write(engine)
        clock.seconds += 0.4
        return one_round(self)

    monkeypatch.setattr(Sequencer, "round", with_arrival)
    keeper.finish(1.0)
    assert stored(engine) == [3]


def test_a_look_after_a_failed_look_publishes_at_once(
    engine: Engine, keeper: LogKeeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(engine)

    def fail(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patched:
        patched.setattr(published, "publish", fail)
        with pytest.raises(InterruptedError):
            keeper.look()
    keeper.look()
    assert stored(engine) == [1]


def test_a_full_round_is_followed_by_the_next_round_at_once(engine: Engine, signer: LogSigner, clock: Clock) -> None:
    keeper = Scripted(engine, signer, clock, [0, 1_000, 1_000, 999])
    keeper.run()
    assert keeper.ended.waits == [0.0, 0.0, 0.2, 0.0, 0.0, 0.2, 0.2, 5.0]


def test_while_another_process_leads_this_process_does_nothing(
    engine: Engine, signer: LogSigner, clock: Clock, lines: list[MutableMapping[str, Any]]
) -> None:
    keeper = Scripted(engine, signer, clock, [AssertionError("it leads")])

    class EndsSoon(Ends):
        def wait(self, timeout: float | None = None) -> bool:
            return super().wait(timeout) or len(self.waits) > 3

    keeper.ended = EndsSoon()
    with exclusive_work(engine, SEQUENCING):
        keeper.run()
    assert keeper.ended.waits == [0.0, 5.0, 5.0, 5.0]
    assert lines == []


def test_the_lead_is_free_after_the_leader_has_ended(engine: Engine, signer: LogSigner, clock: Clock) -> None:
    for _ in range(2):
        Scripted(engine, signer, clock, [1]).run()
    with exclusive_work(engine, SEQUENCING):
        pass


def test_the_thread_ends_when_asked_to(engine: Engine, signer: LogSigner, monkeypatch: pytest.MonkeyPatch) -> None:
    led = Event()
    keeper = LogKeeper(engine, signer, Entropy())
    look = keeper.look

    def watched() -> int:
        count = look()
        if count:
            led.set()
        return count

    monkeypatch.setattr(keeper, "look", watched)
    write(engine, 2)
    end = keeper.start()
    assert led.wait(60)
    end()
    assert stored(engine) == [2]
    with exclusive_work(engine, SEQUENCING):
        pass


def logged(lines: list[MutableMapping[str, Any]]) -> list[tuple[str, str | None]]:
    return [(line["error"], line.get("cause")) for line in lines if line["event"] == "log_not_kept"]


def test_an_error_is_logged_once_until_a_look_succeeds(
    engine: Engine, signer: LogSigner, clock: Clock, lines: list[MutableMapping[str, Any]]
) -> None:
    grown = [TreeMustContinue(f"The log with {size} leaves does not begin with …") for size in range(8, 12)]
    Scripted(engine, signer, clock, [*grown, HeadFileError("gone"), HeadFileError("gone"), 0, TreeDamaged("x")]).run()
    assert logged(lines) == [
        ("TreeMustContinue", "The log with 8 leaves does not begin with …"),
        ("HeadFileError", "gone"),
        ("TreeDamaged", "x"),
    ]


def test_the_message_of_a_foreign_error_is_not_logged_because_it_may_quote_values(
    engine: Engine, signer: LogSigner, clock: Clock, lines: list[MutableMapping[str, Any]]
) -> None:
    error = OperationalError("INSERT INTO leaf_indexes …", {"leaf_hash": b"a value"}, Exception("disk full: a value"))
    Scripted(engine, signer, clock, [error, error, ValueError("a value")]).run()
    assert logged(lines) == [("OperationalError", None), ("ValueError", None)]
    assert "a value" not in repr(lines)


def test_a_closed_output_of_the_log_ends_nothing(
    engine: Engine, signer: LogSigner, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Closed:
        def error(self, *_: object, **__: object) -> None:
            raise ValueError("I/O operation on closed file")

    monkeypatch.setattr(log_keeper, "_LOG", Closed())
    keeper = Scripted(engine, signer, clock, [HeadFileError("gone"), 1])
    keeper.run()
    assert keeper.ended.is_set()


def test_an_error_before_the_lead_is_logged_once_and_tried_again(
    engine: Engine,
    signer: LogSigner,
    clock: Clock,
    lines: list[MutableMapping[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempts = iter([OSError("a value 1"), OSError("a value 2"), None])

    def sometimes(*given: Any) -> Any:  # noqa: ANN401 -- whatever the function takes and returns
        if error := next(attempts):
            raise error
        return exclusive_work(*given)

    monkeypatch.setattr(log_keeper, "exclusive_work", sometimes)
    keeper = Scripted(engine, signer, clock, [1])
    keeper.run()
    assert keeper.ended.waits[:3] == [0.0, 5.0, 5.0]
    assert logged(lines) == [("OSError", None)]
