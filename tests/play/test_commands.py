"""The write path: recording, refusing and repeating commands, alone and at the same time."""

import random
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import Engine, event, text

from service.database.engines import reading
from service.event_store.entries import stream_name
from service.games import common_commands
from service.games.bankrupt.commands import HoldCards, OfferUpping, PassUpping
from service.games.common_events import HandDealt
from service.games.game import Command, acting_seat
from service.play.orders import CallerMustBe, KeyMustBeNew, NoSuchTable, PositionMustMatch, Refused
from service.secrets.receipts import verify
from service.tables.fold import fold_stream
from tests.play.tables import HOST, House, Table, legal_command, opening, owner, play_on


@pytest.fixture
def table(engine: Engine) -> Table:
    return Table(House(engine))


def _due(table: Table) -> int:
    (due,) = table.table_at.game.due(table.state)
    return acting_seat(due)


def _events(table: Table) -> int:
    with reading(table.house.engine) as connection:
        return int(connection.execute(text("SELECT count(*) FROM events")).scalar_one())


def test_a_whole_game_is_recorded_and_folds_to_the_same_state_again(table: Table) -> None:
    table.started(4, buy_in=12)
    play_on(table, random.Random(1))
    live = table.table_at
    with reading(table.house.engine) as connection:
        again = fold_stream(table.stream_id, table.house.log.reader.read(connection, table.stream_id))
    assert again == live
    assert live.state.status == "finished"
    assert not any(live.state.balances.values())


def test_the_last_event_is_receipted_under_the_services_key(table: Table) -> None:
    played = table.do(HOST, opening())
    receipt = played.receipt
    assert verify(receipt, table.house.signer.public_key)
    assert (receipt.position, receipt.leaf_hash) == (played.recorded[-1].position, played.recorded[-1].hash.hex())
    assert (
        receipt.cmd
        == played.recorded[0].cmd
        == table.house.derivation.command_id(HOST, stream_name(table.stream_id), "key-1")
    )


def test_only_the_decision_carries_the_commands_id(table: Table) -> None:
    table.seated()
    decision, *consequences = table.do(HOST, common_commands.StartGame(by="")).recorded
    assert decision.by == "host"
    assert decision.cmd
    assert {(one.by, one.cmd) for one in consequences} == {("service", "")}


def test_a_repeat_gets_its_result_from_its_events(table: Table) -> None:
    table.started()
    seat = _due(table)
    first = table.do(owner(seat), common_commands.DealHand(by=""), key="deal")
    play_on(table, random.Random(2), most=6)
    position = table.table_at.position
    again = table.do(owner(seat), common_commands.DealHand(by=""), key="deal")
    assert again.replayed
    assert not first.replayed
    assert (again.recorded, again.openings, again.receipt) == (first.recorded, first.openings, first.receipt)
    assert table.table_at.position == position


def test_a_repeat_is_recognised_by_a_server_that_never_saw_the_table(table: Table) -> None:
    table.started()
    first = table.do(owner(_due(table)), common_commands.DealHand(by=""), key="deal")
    dealer = acting_seat(first.recorded[0].by)
    other = Table(House(table.house.engine))
    again = other.do(owner(dealer), common_commands.DealHand(by=""), key="deal")
    assert again.replayed
    assert again.recorded == first.recorded
    assert again.openings == first.openings


def test_a_repeat_is_recognised_before_the_position_is_compared(table: Table) -> None:
    table.open()
    table.do(owner(1), common_commands.TakeSeat(by="", player=owner(1), chips=50), key="sit", if_match=2)
    again = table.do(owner(1), common_commands.TakeSeat(by="", player=owner(1), chips=50), key="sit", if_match=2)
    assert again.replayed


@pytest.mark.parametrize(
    ("command", "member"),
    [
        (common_commands.TakeSeat(by="", player=owner(1), chips=50, seat=2), "seat"),
        (common_commands.TakeSeat(by="", player=owner(1), chips=49), "chips"),
        (common_commands.LeaveSeat(by=""), "type"),
    ],
)
def test_an_idempotency_key_belongs_to_one_command_for_ever(table: Table, command: Command, member: str) -> None:
    table.open()
    table.do(owner(1), common_commands.TakeSeat(by="", player=owner(1), chips=50), key="once")
    with pytest.raises(KeyMustBeNew) as refused:
        table.do(owner(1), command, key="once")
    assert refused.value.member == member
    assert _events(table) == 3


def test_the_same_key_of_another_caller_is_another_command(table: Table) -> None:
    table.open()
    table.do(owner(1), common_commands.TakeSeat(by="", player=owner(1), chips=50), key="mine")
    assert not table.do(owner(2), common_commands.TakeSeat(by="", player=owner(2), chips=50), key="mine").replayed


def test_a_refused_command_records_nothing_and_leaves_its_key_free(table: Table) -> None:
    table.seated()
    with pytest.raises(Refused) as refused:
        table.do(owner(9), common_commands.TakeSeat(by="", player=owner(9), chips=50), key="k")
    assert refused.value.refusal.code == "table_must_have_a_free_seat"
    table.do(owner(1), common_commands.LeaveSeat(by=""))
    assert (
        table.do(owner(9), common_commands.TakeSeat(by="", player=owner(9), chips=50), key="k").recorded[0].position
        == 8
    )


def test_a_passed_position_is_refused_with_the_present_position(table: Table) -> None:
    table.seated()
    with pytest.raises(PositionMustMatch) as stale:
        table.do(HOST, common_commands.StartGame(by=""), if_match=3)
    assert (stale.value.expected, stale.value.table_at.position) == (3, 6)


def test_only_the_host_starts_and_only_players_decide(table: Table) -> None:
    table.seated()
    with pytest.raises(CallerMustBe, match="host"):
        table.do(owner(1), common_commands.StartGame(by=""))
    with pytest.raises(CallerMustBe, match="player"):
        table.do(owner(9), HoldCards(by=""))
    with pytest.raises(CallerMustBe, match="host"):
        table.do(owner(1), common_commands.TakeSeat(by="", player=owner(9), chips=50))


def test_a_missing_table_and_a_hidden_table_get_the_same_refusal(table: Table) -> None:
    with pytest.raises(NoSuchTable):
        table.do(owner(1), HoldCards(by=""))
    private = common_commands.OpenTable(**{**_members(opening()), "visibility": "private"})
    table.do(HOST, private)
    with pytest.raises(NoSuchTable):
        table.do(owner(1), common_commands.TakeSeat(by="", player=owner(1), chips=50))
    assert table.do(HOST, common_commands.TakeSeat(by="", player=owner(1), chips=50)).recorded[0].by == "host"
    assert table.do(owner(1), common_commands.LeaveSeat(by="")).recorded[0].by == "seat:1"


def _members(command: common_commands.OpenTable) -> dict[str, Any]:
    return {name: getattr(command, name) for name in command.__struct_fields__}


def test_a_dry_run_returns_the_refusal_and_records_nothing(table: Table) -> None:
    table.started()
    dealer = _due(table)
    before = _events(table)
    table.house.play.dry_run(table.order(owner(dealer), common_commands.DealHand(by="")))
    with pytest.raises(Refused, match="ante_must_be_being_upped"):
        table.house.play.dry_run(table.order(owner(dealer), OfferUpping(by="", chips=1)))
    with pytest.raises(Refused, match="dealer_must_deal"):
        table.house.play.dry_run(table.order(owner(dealer % 4 + 1), common_commands.DealHand(by="")))
    assert _events(table) == before


@pytest.mark.walk
def test_if_many_identical_commands_are_sent_at_once_one_is_recorded_and_all_get_its_result(table: Table) -> None:
    table.started()
    dealer = _due(table)
    answers: list[Any] = []

    def deal() -> None:
        answers.append(Table(table.house).do(owner(dealer), common_commands.DealHand(by=""), key="the deal"))

    threads = [Thread(target=deal) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 12
    assert [answer.replayed for answer in answers].count(False) == 1
    assert {answer.receipt for answer in answers} == {answers[0].receipt}


@pytest.mark.walk
def test_simultaneous_commands_are_all_recorded_without_a_gap(table: Table) -> None:
    table.open(17)
    houses = [House(table.house.engine) for _ in range(3)]
    errors: list[Exception] = []

    def sit(number: int) -> None:
        try:
            seat = common_commands.TakeSeat(by="", player=owner(number), chips=50)
            Table(houses[number % 3]).do(owner(number), seat)
        except Exception as error:  # noqa: BLE001  # The test fails with any error.
            errors.append(error)

    threads = [Thread(target=sit, args=(number,)) for number in range(1, 18)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    state = table.state
    assert sorted(state.players.values()) == [owner(number) for number in range(1, 18)]
    with reading(table.house.engine) as connection:
        recorded = table.house.log.reader.read(connection, table.stream_id)
    assert [one.position for one in recorded] == list(range(1, 20))


@pytest.mark.walk
def test_two_processes_with_their_own_caches_play_one_table(engine: Engine) -> None:
    one, other = Table(House(engine)), Table(House(engine))
    one.started(3, buy_in=12)
    chance = random.Random(3)
    number = 0
    while one.state.status == "playing":
        number += 1
        seat, command = legal_command(one.table_at, chance)
        chance.choice([one, other]).do(owner(seat), command, key=f"move-{number}")
    assert one.table_at == other.table_at


def test_a_repeat_gets_its_result_even_if_the_command_would_be_legal_again(table: Table) -> None:
    table.started(2)
    dealer = _due(table)
    first = table.do(owner(dealer), common_commands.DealHand(by=""), key="deal")
    chance = random.Random(4)
    while table.state.hand_is_running or _due(table) != dealer:
        play_on(table, chance, most=1)
    table.house.play.dry_run(table.order(owner(dealer), common_commands.DealHand(by="")))
    events = _events(table)
    again = table.do(owner(dealer), common_commands.DealHand(by=""), key="deal")
    assert again.replayed
    assert again.recorded == first.recorded
    assert _events(table) == events


def test_no_command_is_refused_because_of_an_old_cached_table(engine: Engine) -> None:
    here, there = Table(House(engine)), Table(House(engine))
    here.started(4)
    dealer = _due(there)
    here.do(owner(dealer), common_commands.DealHand(by=""))
    left = dealer % 4 + 1
    assert there.house.tables.cached(there.stream_id) != here.table_at
    there.do(owner(left), HoldCards(by=""), key="hold", if_match=here.table_at.position)
    with pytest.raises(Refused, match="turn_must_be_yours") as refused:
        here.do(owner(left), HoldCards(by=""))
    assert refused.value.table_at == there.table_at
    with pytest.raises(CallerMustBe):
        here.do(owner(9), HoldCards(by=""))


def test_a_table_that_was_just_seen_is_not_read_again(table: Table) -> None:
    table.started()
    dealer = _due(table)
    statements: list[str] = []
    event.listen(table.house.engine, "before_cursor_execute", lambda *found: statements.append(found[2]))
    table.do(owner(dealer), common_commands.DealHand(by=""))
    assert statements
    read = [statement for statement in statements if "FROM events" in statement]
    assert [statement.partition(" FROM ")[0] for statement in read] == ["SELECT position"]  # this read finds repeats


def test_a_decision_for_a_called_time_is_recorded_by_the_service_with_the_caller(table: Table) -> None:
    table.started()
    dealer = _due(table)
    dealt = table.do(HOST, common_commands.CallTime(by="")).recorded[0]
    assert (dealt.by, dealt.event) == ("service", HandDealt(hand=1, dealer=dealer, called="host"))
    held = table.do(HOST, common_commands.CallTime(by=""), key="call").recorded[0]
    assert (held.type, held.by) == ("cards_held", "service")
    assert table.do(HOST, common_commands.CallTime(by=""), key="call").replayed
    with pytest.raises(Refused, match="ante_must_be_being_upped"):
        table.do(owner(dealer), PassUpping(by=""))


class FlipCoin(Command, frozen=True, kw_only=True):
    """A command that the game of this table does not have."""


def test_an_action_of_another_game_is_refused_before_its_rules_are_asked(table: Table) -> None:
    table.started()
    dealer, events = _due(table), _events(table)
    for attempt in (table.house.play.dry_run, table.house.play.do):
        with pytest.raises(Refused, match="action_must_belong_to_the_game") as refused:
            attempt(table.order(owner(dealer), FlipCoin(by="")))
        assert (refused.value.refusal.ruling, refused.value.by) == ("G.2", f"seat:{dealer}")
    with pytest.raises(CallerMustBe):
        table.do(owner(9), FlipCoin(by=""))
    assert _events(table) == events
