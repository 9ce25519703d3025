"""Readers of a table share one read of new events; each reader gets exactly the items of its own page of events."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from weakref import ReferenceType, ref

import pytest
from msgspec.structs import replace
from sqlalchemy import create_engine

from service.database.engines import reading
from service.event_store.entries import Head
from service.games.common_commands import EraseValue
from service.games.game import SERVICE
from service.http.operations.waiting import shared_steps
from service.http.operations.waiting.shared_steps import SharedSteps, Step
from service.http.problems.problem import Problem
from service.http.resources import events
from service.play.orders import ANYWHERE, Order
from service.tables.envelopes import EventItem
from service.tables.sealed_store import SEED
from service.tables.visibility import is_retired
from tests.clocks import Clock
from tests.faults.servers import wait_until
from tests.http.service import Person, Service, Table, accepted, refused


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the seat of each opening of shared events during the test."""
    monkeypatch.setattr(shared_steps, "_SECONDS", 600)
    seats: list[int] = []
    original = SharedSteps.opened

    def opening(self: SharedSteps, step: Step, seat: int) -> tuple[EventItem, ...]:
        seats.append(seat)
        return original(self, step, seat)

    monkeypatch.setattr(SharedSteps, "opened", opening)
    return seats


@contextmanager
def _waiting(people: list[Person], path: str) -> Iterator[list[Any]]:
    """Let all of *people* wait for *path* during the block; yield a list, which has their answers after the block."""
    answers: list[Any] = [None] * len(people)

    def ask(number: int) -> None:
        answers[number] = Person(people[number].service, people[number].owner, people[number].token).get(path)

    threads = [Thread(target=ask, args=(number,)) for number in range(len(people))]
    for thread in threads:
        thread.start()
    wait_until(lambda: people[0].service.parts.long_polls.slots_taken == len(people))
    yield answers
    for thread in threads:
        thread.join()


def test_each_viewer_gets_the_openings_of_the_own_seat_from_what_all_share(
    quick_service: Service, opened: list[int]
) -> None:
    table = Table(quick_service, 3).started()
    after = table.position
    viewers = [*table.players.values(), table.host, quick_service.spectator, quick_service.person("audit")]
    dealer = table.due
    with _waiting([*viewers, *viewers], f"{table.path}/events?after={after}&wait=30") as answers:
        accepted(dealer.do(table.path, "deal_hand"))
    pages = [accepted(viewer.get(f"{table.path}/events?after={after}")).json for viewer in viewers]
    assert [accepted(answer).json for answer in answers] == [*pages, *pages]
    dealt = [[one["pos"] for item in page["items"] for one in item["openings"]] for page in pages]
    assert [len(cards) for cards in dealt] == [2, 2, 2, 0, 0, 0]
    assert sorted(opened) == [0, 1, 2, 3]


def test_a_key_of_a_player_without_the_scope_play_gets_no_card_of_the_seat_from_what_all_share(
    quick_service: Service, opened: list[int]
) -> None:
    table = Table(quick_service, 3).started()
    player, dealer = table.players[1], table.due
    keys = [player, *(quick_service.person(scope, owner=player.owner) for scope in ("host", "audit"))]
    with _waiting(keys, f"{table.path}/events?after={table.position}&wait=30") as answers:
        accepted(dealer.do(table.path, "deal_hand"))
    pages = [accepted(answer).json["items"] for answer in answers]
    assert [[item["leaf"] for item in page] for page in pages] == [[item["leaf"] for item in pages[0]]] * 3
    assert [sum(len(item["openings"]) for item in page) for page in pages] == [2, 0, 0]
    assert sorted(opened) == [0, 1]


@pytest.mark.parametrize(
    ("skipped", "query", "items", "seats"),
    [
        pytest.param(1, "", 2, [0], id="from the second of the shared events on"),
        pytest.param(0, "&type=antes_placed", 1, [0], id="of one type alone"),
        pytest.param(0, "&limit=1", 1, [], id="with fewer events than are shared"),
    ],
)
def test_a_page_after_a_wait_is_the_page_that_its_reader_would_have_read_alone(
    quick_service: Service, opened: list[int], *, skipped: int, query: str, items: int, seats: list[int]
) -> None:
    table = Table(quick_service, 3).started()
    path, dealer = f"{table.path}/events?after={table.position + skipped}{query}", table.due
    with _waiting([table.host], f"{path}&wait=30") as answers:
        accepted(dealer.do(table.path, "deal_hand"))
    page = accepted(answers[0]).json
    assert page == accepted(table.host.get(path)).json
    assert (len(page["items"]), opened) == (items, seats)


def test_a_private_table_that_a_reader_may_no_longer_see_sends_nothing_more_to_this_reader(
    quick_service: Service,
) -> None:
    table = Table(quick_service, 2, visibility="private")
    guest = quick_service.person("play")
    accepted(table.host.do(table.path, "invite_player", player=guest.owner))
    with _waiting([guest, table.host], f"{table.path}/events?after={table.position}&wait=30") as answers:
        accepted(table.host.do(table.path, "withdraw_invitation", player=guest.owner))
    refused(answers[0], 404, "table_must_exist")
    assert [item["leaf"]["type"] for item in accepted(answers[1]).json["items"]] == ["invitation_withdrawn"]


def test_only_events_that_the_steps_reach_without_a_gap_are_shared(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_steps, "_SECONDS", 600)
    table = Table(quick_service, 3).started()
    steps, after = quick_service.parts.shared_steps, table.position
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    accepted(table.players[1].get(f"{table.path}/events?after={after}"))
    accepted(table.due.do(table.path, "deal_hand"))
    (step,) = steps.after(stream_id, after, after + 1)
    assert step.before.position == after
    assert steps.after(stream_id, after - 1, after + 1) == ()
    assert steps.after(stream_id, after, step.table_at.position + 1) == ()  # no such event exists
    assert steps.after(stream_id, after, after + 1) == ()


def test_events_that_this_process_has_committed_are_shared_without_a_read_and_events_of_another_are_read_once(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_steps, "_SECONDS", 600)
    table = Table(quick_service, 3).started()
    parts, after = quick_service.parts, table.position
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    accepted(table.host.get(f"{table.path}/events?after={after}"))  # now the process follows the table
    accepted(table.due.do(table.path, "deal_hand"))
    with reading(parts.engine) as connection:
        recorded = parts.log.reader.read(connection, stream_id, after)
    other = SharedSteps(parts.engine, parts.log, parts.tables, parts.sealed_store, parts.clock)
    (before,) = [step.before for step in parts.shared_steps.after(stream_id, after, after + 1)]
    other.follow(before, parts.log.generation.number)
    own = SharedSteps(parts.engine, parts.log, parts.tables, parts.sealed_store, parts.clock)
    own.follow(before, parts.log.generation.number)
    other.read_on({stream_id: recorded[-1].position, bytes(16): 1})
    own.add(stream_id, recorded[1:])  # these events leave a gap, so they can't be shared
    own.add(stream_id, recorded)
    monkeypatch.setattr(SharedSteps, "_read", None)  # nothing is read from here on
    steps = [one.after(stream_id, after, recorded[-1].position) for one in (own, other)]
    assert [[step.recorded for step in found] for found in steps] == [[recorded], [recorded]]
    assert own.opened(steps[0][0], 1) == other.opened(steps[1][0], 1)


def test_nothing_is_shared_of_an_earlier_generation_and_an_error_ends_no_thread_that_reads_ahead(
    quick_service: Service,
) -> None:
    table = Table(quick_service, 3).started()
    parts, after = quick_service.parts, table.position
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    with reading(parts.engine) as connection:
        before = parts.tables.current(connection, stream_id)
        assert before is not None
    accepted(table.due.do(table.path, "deal_hand"))
    with reading(parts.engine) as connection:
        recorded = parts.log.reader.read(connection, stream_id, after)
    head = recorded[-1].position
    engines = parts.engine, create_engine("sqlite:////nowhere/at/all")
    late, broken = (SharedSteps(engine, parts.log, parts.tables, parts.sealed_store, parts.clock) for engine in engines)
    for steps in (late, broken):
        steps.follow(before, parts.log.generation.number)
    broken.read_on({stream_id: head})
    parts.log.generation.end()
    late.add(stream_id, recorded)
    late.read_on({stream_id: head})
    assert [list(steps._followed[stream_id].steps) for steps in (late, broken)] == [[], []]


def shared_for_long(table: Table, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Let the events after the present position be shared until the test ends; return the id of the table's stream."""
    monkeypatch.setattr(shared_steps, "_SECONDS", 600)
    accepted(table.host.get(f"{table.path}/events?after={table.position}"))
    return bytes.fromhex(table.id.removeprefix("tbl_"))


def test_events_that_were_shared_in_an_earlier_generation_are_shared_no_longer(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(quick_service, 3).started()
    parts, after, stream_id = quick_service.parts, table.position, shared_for_long(table, monkeypatch)
    accepted(table.due.do(table.path, "deal_hand"))
    assert len(parts.shared_steps.after(stream_id, after, after + 1)) == 1
    parts.log.generation.end()
    assert parts.shared_steps.after(stream_id, after, after + 1) == ()


def test_once_a_value_is_erased_the_events_before_its_erasure_are_shared_no_longer(
    quick_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(quick_service, 3).seated()
    parts, after, stream_id = quick_service.parts, table.position, shared_for_long(table, monkeypatch)
    accepted(table.host.do(table.path, "start_game"))
    (step,) = parts.shared_steps.after(stream_id, after, after + 1)
    drawn = next(at for epoch, at in step.table_at.opened.items() if is_retired(step.table_at, epoch))
    command = EraseValue(by=SERVICE, position=drawn, field=SEED, ground="request")
    parts.play.do(Order(stream_id=stream_id, caller=SERVICE, key="erase", command=command, if_match=ANYWHERE))
    head = step.table_at.position + 1
    (erasure,) = parts.shared_steps.after(stream_id, head - 1, head)
    assert [one.type for one in erasure.recorded] == ["value_erased"]
    assert parts.shared_steps.after(stream_id, after, head) == ()


def test_steps_of_a_replaced_database_are_dropped_and_do_not_make_the_table_count_as_damaged(
    quick_service: Service,
) -> None:
    table = Table(quick_service, 3).started()
    parts, after = quick_service.parts, table.position
    stream_id = bytes.fromhex(table.id.removeprefix("tbl_"))
    page = f"{table.path}/events?after={after}"
    with reading(parts.engine) as connection:
        table_at = parts.tables.current(connection, stream_id)
    assert table_at is not None
    lost = replace(table_at, head=Head(after, bytes(32)))  # the new database has another event at this position
    parts.shared_steps.follow(lost, parts.log.generation.number)
    parts.log.generation.end()
    accepted(table.due.do(table.path, "deal_hand"))
    assert parts.shared_steps.after(stream_id, after, after + 1) == ()
    accepted(table.host.get(page))
    assert parts.log.quarantine.get(stream_id) is None


def test_lines_whose_head_cannot_be_read_take_no_slot(quick_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(quick_service, 2)

    def replaced(*_: object) -> None:
        raise Problem("table_must_exist")  # for example, the reader's invitation was withdrawn between the two reads

    monkeypatch.setattr(events, "_head", replaced)
    refused(table.host.get(f"{table.path}/events", Accept="application/x-ndjson"), 404, "table_must_exist")
    assert quick_service.parts.long_polls.slots_taken == 0


def test_a_table_that_stands_still_does_not_keep_its_old_steps_once_another_table_goes_on(
    quick_service: Service,
) -> None:
    clock, parts = Clock(), quick_service.parts
    steps = SharedSteps(parts.engine, parts.log, parts.tables, parts.sealed_store, clock)

    def step_of(table: Table) -> ReferenceType[Step]:
        stream_id, after = bytes.fromhex(table.id.removeprefix("tbl_")), table.position
        with reading(parts.engine) as connection:
            table_at = parts.tables.current(connection, stream_id)
        assert table_at is not None
        steps.follow(table_at, parts.log.generation.number)
        accepted(table.host.do(table.path, "invite_player", player=quick_service.person("play").owner))
        (step,) = steps.after(stream_id, after, after + 1)
        return ref(step)

    first = step_of(Table(quick_service, 2))
    assert first() is not None
    clock.seconds += 3
    second = step_of(Table(quick_service, 2))
    gc.collect()
    assert (first(), second() is None) == (None, False)
