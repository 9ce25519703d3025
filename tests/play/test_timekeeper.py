"""Time limits: the service decides for the players whose time limit has run out (G.3)."""

from itertools import count
from threading import Event as ThreadEvent
from typing import Literal

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from service.database.engines import UnknownCommit
from service.database.write_lock import WriteLockNotAcquired
from service.games import CURRENT, common_commands
from service.games.game import acting_seat
from service.games.insurance.commands import PlaceBet
from service.play.orders import Order
from service.play.timekeeper import Timekeeper
from service.tables.fold import table_id
from tests.clocks import Clock
from tests.play.tables import HOST, House, Table, opening, owner

LIMIT_SECONDS = 30


class Watched(Table):
    """A table with a time limit, the clock, and the timekeeper that watches the table."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        limit_seconds: int = LIMIT_SECONDS,
        visibility: Literal["public", "private"] = "public",
    ) -> None:
        super().__init__(House(engine, entropy=clock))
        self.clock = clock
        self.keeper = self.new_keeper()
        self.do(HOST, replace(opening(2), time_limit_seconds=limit_seconds, visibility=visibility))
        for seat in (1, 2):
            self.do(HOST, common_commands.TakeSeat(by="", player=owner(seat), chips=50))

    def new_keeper(self) -> Timekeeper:
        return Timekeeper(self.house.engine, self.house.play, self.house.tables, self.clock)


@pytest.fixture
def table(engine: Engine) -> Watched:
    return Watched(engine, Clock())


def test_a_deal_not_started_in_time_is_started_by_the_service(table: Watched) -> None:
    table.do(HOST, common_commands.StartGame(by=""))
    dealer = table.state.dealer
    assert table.keeper.look() == 0
    table.clock.seconds += LIMIT_SECONDS
    assert table.keeper.look() == 1
    assert table.state.hand_is_running
    assert table.state.dealer == dealer


def test_each_recorded_call_of_time_notifies_the_readers_of_its_table(table: Watched) -> None:
    called: list[tuple[bytes, int]] = []
    house = table.house
    keeper = Timekeeper(
        house.engine,
        house.play,
        house.tables,
        table.clock,
        lambda stream_id, recorded: called.append((stream_id, recorded[-1].position)),
    )
    table.do(HOST, common_commands.StartGame(by=""))
    assert (keeper.look(), called) == (0, [])
    table.clock.seconds += LIMIT_SECONDS
    assert keeper.look() == 1
    assert called == [(table.stream_id, table.table_at.position)]


def test_a_move_sets_the_limit_anew(table: Watched) -> None:
    table.do(HOST, common_commands.StartGame(by=""))
    table.keeper.look()
    table.clock.seconds += LIMIT_SECONDS - 1
    (due,) = table.table_at.game.due(table.state)
    table.do(owner(acting_seat(due)), common_commands.DealHand(by=""))
    table.keeper.look()
    table.clock.seconds += LIMIT_SECONDS - 1
    assert table.keeper.look() == 0
    table.clock.seconds += 1
    assert table.keeper.look() == 1


def test_a_limit_that_ran_out_while_the_service_was_down_is_set_anew(table: Watched) -> None:
    table.do(HOST, common_commands.StartGame(by=""))
    table.keeper.look()
    table.clock.seconds += 10 * LIMIT_SECONDS
    restarted = table.new_keeper()
    assert restarted.look() == 0
    table.clock.seconds += LIMIT_SECONDS
    assert restarted.look() == 1


def test_before_the_start_and_without_a_limit_no_time_is_called(table: Watched) -> None:
    table.keeper.look()
    table.clock.seconds += 10 * LIMIT_SECONDS
    assert table.keeper.look() == 0
    assert table.state.status == "open"
    unlimited = Table(table.house, number=2).started(2)
    keeper = table.new_keeper()
    keeper.look()
    table.clock.seconds += 10 * LIMIT_SECONDS
    assert keeper.look() == 0
    assert not unlimited.state.hand_is_running


@pytest.mark.walk
def test_two_keepers_call_time_once(table: Watched) -> None:
    table.do(HOST, common_commands.StartGame(by=""))
    other = table.new_keeper()
    table.keeper.look()
    other.look()
    position = table.table_at.position
    table.clock.seconds += LIMIT_SECONDS
    assert [table.keeper.look(), other.look()] == [1, 0]
    recorded = table.do(HOST, common_commands.CallTime(by=""), if_match=table.table_at.position).recorded
    assert recorded[0].position > position


def test_the_service_plays_on_by_itself_if_nobody_else_does(engine: Engine) -> None:
    table = Watched(engine, Clock(), limit_seconds=1)
    table.do(HOST, common_commands.StartGame(by=""))
    table.keeper.look()
    calls = 0
    for _ in range(16):  # Four rounds of two players; each round is a deal, two holds and a pass.
        table.clock.seconds += 1
        calls += table.keeper.look()
        table.keeper.look()
    assert calls == 16
    assert (table.state.hand, table.state.hand_is_running) == (4, False)


class Insured(Watched):
    """A table of Insurance with a time limit and four players, at which the game has started; seat 1 is the banker."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        super(Watched, self).__init__(House(engine, entropy=clock))
        self.clock = clock
        self.keeper = self.new_keeper()
        game = CURRENT["insurance"]
        opened = replace(opening(4), game=game.name, sheet=game.sheet.sha256, options={})
        self.do(HOST, replace(opened, time_limit_seconds=LIMIT_SECONDS))
        for seat in range(1, 5):
            self.do(HOST, common_commands.TakeSeat(by="", player=owner(seat), chips=50))
        self.do(HOST, common_commands.StartGame(by=""))

    def bet(self, seat: int) -> None:
        self.do(owner(seat), PlaceBet(by="", chips=20))


def test_between_hands_of_insurance_nothing_moves_by_itself(engine: Engine) -> None:  # G.4
    table = Insured(engine, Clock())
    for _ in range(5):
        assert table.keeper.look() == 0
        table.clock.seconds += LIMIT_SECONDS
    assert not table.table_at.state.hand_is_running


def test_players_who_are_due_together_have_one_time(engine: Engine) -> None:  # G.3
    table = Insured(engine, Clock())
    table.bet(2)
    table.keeper.look()
    table.clock.seconds += LIMIT_SECONDS - 1
    table.bet(3)
    assert table.keeper.look() == 0
    table.clock.seconds += 1
    assert table.keeper.look() == 1
    assert table.table_at.state.balances["bet:4"] == 10  # the least bet


def test_a_process_that_starts_reads_no_table_until_the_table_changes(engine: Engine) -> None:
    table = Insured(engine, Clock())
    table.bet(2)
    started = House(engine, entropy=table.clock)
    keeper = Timekeeper(engine, started.play, started.tables, table.clock)
    for _ in range(LIMIT_SECONDS - 1):
        assert keeper.look() == 0
        assert started.tables.cached(table.stream_id) is None
        table.clock.seconds += 1
    table.bet(3)  # Seat 4 has been due since the first bet, so its time limit continues.
    assert keeper.look() == 0
    assert started.tables.cached(table.stream_id) == table.table_at
    table.clock.seconds += 1
    assert keeper.look() == 1
    assert table.table_at.state.balances["bet:4"] == 10


def test_the_service_decides_for_all_late_players_at_once(engine: Engine) -> None:  # G.3
    table = Insured(engine, Clock())
    table.bet(3)
    table.keeper.look()
    table.clock.seconds += LIMIT_SECONDS
    assert table.keeper.look() == 1
    balances = table.table_at.state.balances
    assert (balances["bet:2"], balances["bet:3"], balances["bet:4"]) == (10, 20, 10)
    assert table.table_at.due == ("seat:1",)  # The deal has a new time limit.
    assert table.keeper.look() == 0


def test_the_service_plays_a_hand_of_insurance_to_its_end(engine: Engine) -> None:  # G.3
    table = Insured(engine, Clock())
    table.bet(2)
    for _ in range(20):
        table.keeper.look()
        table.clock.seconds += LIMIT_SECONDS
    state = table.table_at.state
    assert (state.hand, state.hand_is_running) == (1, False)
    assert sum(state.balances.values()) == 0


def test_a_process_looks_again_and_again_and_survives_a_look_that_fails(
    table: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.do(HOST, common_commands.StartGame(by=""))
    looked, looks = ThreadEvent(), count(1)
    real_look = table.keeper.look

    def look() -> int:
        table.clock.seconds += LIMIT_SECONDS
        if next(looks) == 2:
            raise OperationalError("SELECT", {}, OSError("the database is gone"))
        called = real_look()
        if called:
            looked.set()
        return called

    monkeypatch.setattr(table.keeper, "look", look)
    end = table.keeper.start(every_seconds=0.001)
    assert looked.wait(timeout=60)
    end()
    assert table.state.hand_is_running


def test_the_timekeeper_also_keeps_the_time_of_private_tables(engine: Engine) -> None:
    table = Watched(engine, Clock(), visibility="private")
    table.do(HOST, common_commands.StartGame(by=""))
    table.keeper.look()
    table.clock.seconds += LIMIT_SECONDS
    assert table.keeper.look() == 1
    assert table.state.hand_is_running


class Unlimited(ThreadEvent):
    """Ends a timekeeper's thread after *rounds* looks, without waiting between the looks."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds

    def wait(self, timeout: float | None = None) -> bool:
        del timeout
        self.rounds -= 1
        return self.rounds < 0


@pytest.mark.parametrize(
    "error", [RuntimeError("a secret"), WriteLockNotAcquired("busy"), UnknownCommit("cut"), KeyError(1)]
)
def test_a_process_logs_an_error_that_ends_a_look_and_looks_again(
    table: Watched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    table.do(HOST, common_commands.StartGame(by=""))
    real, rounds = table.keeper._tables_with_limit, count(1)

    def limited() -> list[tuple[bytes, int, int]]:
        table.clock.seconds += LIMIT_SECONDS
        if next(rounds) in {1, 3}:
            raise error
        return real()

    monkeypatch.setattr(table.keeper, "_tables_with_limit", limited)
    monkeypatch.setattr("service.play.timekeeper.Event", lambda: Unlimited(4))
    table.keeper.start()()
    assert table.state.hand_is_running
    said = [line for line in "".join(capsys.readouterr()).splitlines() if "time_not_kept" in line]
    assert len(said) == 2
    assert all(type(error).__name__ in line and "secret" not in line for line in said)


@pytest.mark.parametrize("place", ["read", "looked at", "called", "played"])
def test_a_table_that_fails_in_any_step_does_not_stop_the_clocks_of_others(
    table: Watched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    table.do(HOST, common_commands.StartGame(by=""))
    other = Table(table.house, number=2)
    other.do(HOST, replace(opening(2), time_limit_seconds=LIMIT_SECONDS))
    for seat in (1, 2):
        other.do(owner(seat), common_commands.TakeSeat(by="", player=owner(seat), chips=50))
    other.do(HOST, common_commands.StartGame(by=""))
    keeper, play = table.keeper, table.house.play
    failing: dict[str, tuple[object, str]] = {
        "read": (keeper, "_table"),
        "looked at": (keeper, "_timer_at"),
        "called": (keeper, "_call_repeatedly"),
        "played": (play, "do"),
    }
    owner_of_step, name = failing[place]
    real = getattr(owner_of_step, name)

    def fails(of: bytes | Order, *given: object) -> object:
        if (of.stream_id if isinstance(of, Order) else of) == table.stream_id:
            raise LookupError("its seed was erased")
        return real(of, *given)

    if place != "called":
        keeper.look()
    if place == "read":  # Only a table whose position has changed is read.
        table.do(owner(table.state.dealer), common_commands.DealHand(by=""))
    position = table.table_at.position
    monkeypatch.setattr(owner_of_step, name, fails)
    table.keeper.look()
    table.clock.seconds += LIMIT_SECONDS
    assert table.keeper.look() == 1
    assert other.state.hand_is_running
    assert table.table_at.position == position
    if place == "played":
        assert table.keeper.look() == 0
    said = [line for line in "".join(capsys.readouterr()).splitlines() if "time_not_kept" in line]
    assert said
    assert all(table_id(table.stream_id) in line and "LookupError" in line for line in said)
    assert place != "played" or len(said) == 1, "the next call comes after a whole time limit"
    monkeypatch.undo()
    table.clock.seconds += LIMIT_SECONDS
    table.keeper.look()
    table.clock.seconds += LIMIT_SECONDS
    table.keeper.look()
    assert table.table_at.position > position, "the timer runs again once the table can be read"


def test_a_process_keeps_time_even_if_its_log_lines_are_lost(table: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise BrokenPipeError

    def limited() -> list[tuple[bytes, int, int]]:
        raise RuntimeError

    monkeypatch.setattr("service.play.timekeeper._LOG.error", broken, raising=False)
    monkeypatch.setattr(table.keeper, "_tables_with_limit", limited)
    ends = Unlimited(3)
    monkeypatch.setattr("service.play.timekeeper.Event", lambda: ends)
    table.keeper.start()()
    assert ends.rounds < 0
