"""Readers of a table share what is read, and each gets exactly what the viewer's own page of events has."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest

from service.http.operations.waiting import shared_steps
from service.http.operations.waiting.shared_steps import SharedSteps, Step
from service.tables.envelopes import EventItem
from tests.faults.servers import wait_until
from tests.http.service import Person, Service, Table, accepted, refused


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the seats for which shared events are opened during the test, a seat once for each opening."""
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
    """Let all of *people* wait for *path* during the block; yield the list that then has their answers, in order."""
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
    assert steps.after(stream_id, after, step.table_at.position + 1) == ()  # such an event was announced wrongly
    assert steps.after(stream_id, after, after + 1) == ()
