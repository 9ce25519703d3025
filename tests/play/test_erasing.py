"""A sealed value is erased only with an event of its table, and not while a later event may still need the value."""

from functools import partial
from random import Random

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import DBAPIError

from service.audit.checks.sealed_rows import stored_fields
from service.audit.database_report import Report
from service.audit.judging.adjudicate import TableJudgement, adjudicate
from service.audit.log_audit import verify
from service.audit.verdicts import Verdict
from service.database.engines import administering, reading
from service.database.errors import Fault, classify
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.disclosure import NOTHING_SEALED
from service.event_store.entries import UncommittedEvent
from service.event_store.log_tables import sealed
from service.event_store.quarantine import StreamCorrupted
from service.games import EVENTS
from service.games.common_commands import EraseValue, Ground
from service.games.common_events import ValueErased
from service.games.game import SERVICE
from service.play.orders import CallerMustBe, CommandResult, KeyMustBeNew, Order, Refused
from service.projections.rebuild.projection_rebuild import rebuild
from service.tables import visibility
from service.tables.sealed_store import SEED, TableUnsealer
from tests.damage import alter
from tests.event_store.streams import append_events
from tests.play.hearts import begun, over, play_on
from tests.play.tables import HOST, House, Table, owner

CODEC = Codec(EVENTS)
REMOVE = "DELETE FROM sealed WHERE stream_id = :stream_id AND position = :position AND field = :field"


@pytest.fixture
def house(engine: Engine) -> House:
    return House(engine)


@pytest.fixture
def finished(house: House) -> Table:
    """Return a table of Insurance Hearts that was played to its end."""
    table = begun(house, target=1)
    play_on(house, table.stream_id, Random(1), over)
    return table


@pytest.fixture
def live(house: House) -> Table:
    """Return a table in the middle of the tricks of its second hand."""
    table = begun(house)
    play_on(house, table.stream_id, Random(2), lambda state: state.hand == 2 and sum(state.tricks.values()) == 5)
    return table


def events_of(table: Table) -> tuple[RecordedEvent, ...]:
    with reading(table.house.engine) as connection:
        return table.house.log.reader.read(connection, table.stream_id)


def place_of(table: Table, kind: str, field: str, number: int = 0) -> tuple[int, str]:
    """Return the place of a sealed value: the position of the event number *number* of type *kind*, and *field*."""
    return [one.position for one in events_of(table) if one.type == kind][number], field


def order(table: Table, place: tuple[int, str], ground: Ground = "request", caller: str = SERVICE) -> Order:
    position, field = place
    command = EraseValue(by="", position=position, field=field, ground=ground)
    key = f"erase/{position}/{field}"
    return Order(stream_id=table.stream_id, caller=caller, key=key, command=command, reads_all=True)


def erase(table: Table, place: tuple[int, str], ground: Ground = "request") -> CommandResult:
    return table.house.play.do(order(table, place, ground))


def refusal(table: Table, place: tuple[int, str]) -> str:
    """Check that the erasure and its dry run are refused and change nothing; return the refusal's code."""
    before = events_of(table), stored(table)
    with pytest.raises(Refused) as refused:
        erase(table, place)
    with pytest.raises(Refused):
        table.house.play.dry_run(order(table, place))
    assert (events_of(table), stored(table)) == before
    return refused.value.refusal.code


def stored(table: Table) -> set[tuple[int, str]]:
    statement = select(sealed.c.position, sealed.c.field).where(sealed.c.stream_id == table.stream_id)
    with reading(table.house.engine) as connection:
        return {(row.position, row.field) for row in connection.execute(statement)}


def report_of(table: Table) -> Report:
    return verify(table.house.engine, table.house.log, CODEC, stream_id=table.stream_id)


def judged(table: Table) -> TableJudgement:
    with reading(table.house.engine) as connection:
        fields = partial(stored_fields, connection, table.house.log, table.stream_id)
        return adjudicate(table.stream_id, events_of(table), fields=fields)


def told_fields(house: House, table: Table, seat: int) -> set[tuple[int, str]]:
    """Return the positions and fields that the whole stream of the table discloses to *seat*."""
    with reading(house.engine) as connection:
        table_at = house.tables.current(connection, table.stream_id)
        assert table_at is not None
        hidden = TableUnsealer(house.sealed_store, lambda: connection, table_at)
        return {
            (one.opening.position, one.opening.field)
            for one in visibility.disclosed_fields(events_of(table), NOTHING_SEALED, seat, hidden)
        }


@pytest.mark.walk
def test_a_value_is_erased_by_an_event_and_only_decisions_that_need_it_become_undecidable(finished: Table) -> None:
    place, before = place_of(finished, "bid_written", "bid"), stored(finished)
    assert judged(finished).verdict is Verdict.CLEAN
    played = erase(finished, place)
    (event,) = played.recorded
    assert (event.event, event.by, event.priv) == (
        ValueErased(position=place[0], field="bid", ground="request"),
        SERVICE,
        {},
    )
    assert stored(finished) == before - {place}
    judgement, report = judged(finished), report_of(finished)
    assert {one.position for one in judgement.decisions if one.verdict is Verdict.UNDECIDABLE} >= {place[0]}
    assert (judgement.verdict, judgement.decisions[-1].verdict) == (Verdict.UNDECIDABLE, Verdict.CLEAN)
    assert (report.findings, report.has_failed, dict(report.tables)) == ((), False, {Verdict.UNDECIDABLE: 1})


def test_a_table_with_erased_values_is_rebuilt_with_the_same_result(finished: Table) -> None:
    erase(finished, place_of(finished, "bid_written", "bid"))
    before = report_of(finished)
    rebuild(finished.house.engine, finished.house.log, finished.house.entropy)
    assert report_of(finished) == before


def test_a_number_that_no_decision_needs_is_erased_and_its_hand_stays_clean(house: House) -> None:
    table = begun(house)
    play_on(house, table.stream_id, Random(3), lambda state: state.hand == 2, feet={1})
    hand = judged(table).hands[0]
    erase(table, place_of(table, "slip_written", "insurance"))
    after = judged(table).hands[0]
    assert (after.verdict, after.decisions) == (Verdict.CLEAN, hand.decisions)
    assert not report_of(table).findings


def test_nobody_gets_an_erased_value_even_from_a_process_that_cached_it(finished: Table) -> None:
    place, house, other = place_of(finished, "bid_written", "bid"), finished.house, House(finished.house.engine)
    for one in (house, other):
        assert place in told_fields(one, finished, 1)
        assert (finished.stream_id, place) in one.sealed_store._openings._values
    erase(finished, place)
    for one in (house, other, House(finished.house.engine)):
        assert place not in told_fields(one, finished, 1)
        assert (finished.stream_id, place) not in one.sealed_store._openings._values


def test_a_view_of_the_past_does_not_show_values_erased_since(finished: Table) -> None:
    place = place_of(finished, "bid_written", "bid", -1)
    erase(finished, place)
    with reading(finished.house.engine) as connection:
        past = finished.house.tables.at_position(connection, finished.table_at, place[0] + 4)
    assert past is not None
    assert place in past.erased


def test_a_command_with_an_erased_value_is_repeated_without_the_value(house: House) -> None:
    table = begun(house, target=1)
    keys: dict[int, Order] = {}
    record = house.play.do

    def noted(one: Order) -> CommandResult:
        played = record(one)
        keys[played.recorded[0].position] = one
        return played

    house.play.do = noted  # type: ignore[assignment,method-assign]  # `noted` also does what `do` does.
    play_on(house, table.stream_id, Random(1), over)
    position, field = place_of(table, "pass_chosen", "cards")
    first = record(keys[position])
    erase(table, (position, field))
    again = record(keys[position])
    assert (again.receipt, again.recorded, again.replayed) == (first.receipt, first.recorded, True)
    assert (field in {one.opening.field for one in first.fields}, again.fields) == (True, ())


@pytest.mark.parametrize("number", [-1, -2], ids=["in reserve", "in play"])
def test_the_seed_of_a_live_deck_is_not_erased(live: Table, number: int) -> None:
    assert refusal(live, place_of(live, "deck_opened", SEED, number)) == "value_must_be_settled"


def test_the_seed_of_a_retired_deck_can_be_erased(live: Table) -> None:
    erase(live, place_of(live, "deck_opened", SEED, 0))
    assert not report_of(live).findings


@pytest.mark.parametrize(
    ("kind", "field"),
    [("slip_written", "insurance"), ("slip_written", "foot"), ("pass_chosen", "cards"), ("bid_written", "bid")],
)
def test_only_values_of_earlier_hands_can_be_erased(live: Table, kind: str, field: str) -> None:
    assert refusal(live, place_of(live, kind, field, -1)) == "hand_must_be_over"
    erase(live, place_of(live, kind, field))
    play_on(live.house, live.stream_id, Random(4), lambda state: state.hand == 3)
    assert not report_of(live).findings


def test_a_value_that_was_never_sealed_is_not_erased(finished: Table) -> None:
    position, _ = place_of(finished, "bid_written", "bid")
    for place in ((position, "cards"), (1, "bid"), (999_999, "bid"), (1, SEED)):
        assert refusal(finished, place) == "value_must_be_sealed"


def test_a_value_is_erased_once(finished: Table) -> None:
    place = place_of(finished, "bid_written", "bid")
    first = erase(finished, place)
    assert erase(finished, place).receipt == first.receipt
    with pytest.raises(KeyMustBeNew):
        erase(finished, place, "order")
    again = Order(**{**{name: getattr(order(finished, place), name) for name in Order.__struct_fields__}, "key": "new"})
    with pytest.raises(Refused) as refused:
        finished.house.play.do(again)
    assert refused.value.refusal.code == "value_must_not_be_erased_yet"


@pytest.mark.parametrize("caller", [HOST, owner(1), owner(9)])
def test_nobody_but_the_service_erases(finished: Table, caller: str) -> None:
    place = place_of(finished, "bid_written", "bid")
    with pytest.raises((Refused, CallerMustBe)) as refused:
        finished.house.play.do(order(finished, place, caller=caller))
    if isinstance(refused.value, Refused):
        assert refused.value.refusal.code == "service_must_ask"
    assert place in stored(finished)


def test_a_value_that_is_missing_already_is_not_recorded_as_erased(finished: Table) -> None:
    place, before = place_of(finished, "bid_written", "bid"), events_of(finished)
    alter(finished.house.engine, REMOVE, stream_id=finished.stream_id, position=place[0], field=place[1])
    with pytest.raises(StreamCorrupted) as damaged:
        erase(finished, place)
    assert damaged.value.position == place[0]
    assert events_of(finished) == before
    assert report_of(finished).has_failed


@pytest.mark.walk
def test_the_database_deletes_a_sealed_value_with_its_erasure_alone(finished: Table) -> None:
    place = place_of(finished, "bid_written", "bid")
    erase(finished, place)
    before = stored(finished)
    for position, field in (place_of(finished, "bid_written", "bid", 1), place_of(finished, "deck_opened", SEED)):
        with pytest.raises(DBAPIError) as refused:
            remove(finished, position, field)
        assert classify(refused.value) is Fault.APPEND_ONLY
    assert stored(finished) == before


def remove(table: Table, position: int, field: str) -> None:
    """Delete a sealed value with SQL, as an administrator of the database could."""
    with administering(table.house.engine) as connection:
        connection.execute(text(REMOVE), {"stream_id": table.stream_id, "position": position, "field": field})


@pytest.mark.parametrize("place", [("deck_opened", SEED, -1), ("pass_chosen", "cards", -1)])
def test_a_forged_erasure_of_a_needed_value_fails(live: Table, place: tuple[str, str, int]) -> None:
    kind, field, number = place
    position = place_of(live, kind, field, number)[0]
    _forge(live, ValueErased(position=position, field=field, ground="order"))
    alter(live.house.engine, REMOVE, stream_id=live.stream_id, position=position, field=field)
    report = report_of(live)
    assert report.has_failed
    finding = next(one for one in report.findings if one.check == "rules_must_make_the_same")
    assert finding.expected == "a value of a hand that is over, which no later event can open"


def test_a_value_that_comes_back_after_its_erasure_is_found(finished: Table) -> None:
    place = place_of(finished, "bid_written", "bid")
    _forge(finished, ValueErased(position=place[0], field=place[1], ground="order"))
    (finding,) = report_of(finished).findings
    assert (finding.position, finding.check, finding.detail) == (place[0], "erased_value_must_be_gone", "bid")


def _forge(table: Table, event: ValueErased) -> None:
    """Append *event* in the name of the service, without deleting the sealed value."""
    with administering(table.house.engine) as connection:
        head = table.house.log.head(connection, table.stream_id)
        append_events(connection, table.house.log, table.stream_id, head, [UncommittedEvent(event, SERVICE, "ab" * 32)])
