"""Expensive requests of one quota owner run one after the other; all other requests continue meanwhile."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Event, Semaphore
from typing import Final

import pytest
from sqlalchemy import QueuePool
from werkzeug.test import TestResponse

from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.http.operations import expensive, request_cost
from service.http.operations.bulkhead import Limits
from service.http.operations.expensive_queue import ExpensiveQueue
from service.http.problems.problem import Problem
from service.http.resources import adjudication, events
from tests.databases import Databases
from tests.http.service import Person, Service, Table, accepted, refused, running
from tests.http.streams import LINES as NDJSON

PATIENCE_SECONDS: Final = 30


class Away:
    """Counts the requests that wait in the queue, and lets a test wait for the next of them."""

    def __init__(self, inner: Callable[[], AbstractContextManager[None]]) -> None:
        self._inner = inner
        self._came = Semaphore(0)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._inner():
            self._came.release()
            yield

    def must_come(self) -> None:
        assert self._came.acquire(timeout=PATIENCE_SECONDS)


@contextmanager
def _nothing() -> Iterator[None]:
    yield


class Worker:
    """An expensive request: once it has its turn in the queue, it runs until the test ends it."""

    def __init__(
        self, queue: ExpensiveQueue, pool: ThreadPoolExecutor, *quota_owners: str, takes_slot: bool = True
    ) -> None:
        self.works, self.end = Event(), Event()
        self.done = pool.submit(self._work, queue, quota_owners, takes_slot)

    def _work(self, queue: ExpensiveQueue, quota_owners: tuple[str, ...], takes_slot: bool) -> bool:  # noqa: FBT001
        with queue.turn(quota_owners, takes_slot=takes_slot) as has_waited:
            self.works.set()
            assert self.end.wait(PATIENCE_SECONDS)
        return has_waited

    def must_work(self) -> None:
        assert self.works.wait(PATIENCE_SECONDS)

    def ends(self) -> bool:
        """End the request; return whether the request had to wait."""
        self.end.set()
        return self.done.result(PATIENCE_SECONDS)


class Bench:
    """A queue with three waiting slots, at most two for each quota owner; the methods put workers into this queue."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.away = Away(_nothing)
        self.queue = ExpensiveQueue(Limits(in_all=3, each=2), self.away)
        self._pool = pool

    def works(self, *quota_owners: str) -> Worker:
        worker = Worker(self.queue, self._pool, *quota_owners)
        worker.must_work()
        return worker

    def waits(self, *quota_owners: str, takes_slot: bool = True) -> Worker:
        worker = Worker(self.queue, self._pool, *quota_owners, takes_slot=takes_slot)
        self.away.must_come()
        assert not worker.works.is_set()
        return worker


@pytest.fixture
def bench() -> Iterator[Bench]:
    with ThreadPoolExecutor(8) as pool:
        yield Bench(pool)


def test_one_request_of_a_quota_owner_runs_and_the_next_waits(bench: Bench) -> None:
    first, other = bench.works("a", "b"), bench.works("c")
    second = bench.waits("b", "d")
    assert not other.ends()
    assert not second.works.is_set()
    assert not first.ends()
    second.must_work()
    assert second.ends()
    assert bench.queue.waiting == 0


def test_requests_run_in_the_order_of_arrival(bench: Bench) -> None:
    first = bench.works("a", "b")
    second = bench.waits("a", "c")
    third = bench.waits("c")  # no running request blocks this request, but the second request came earlier
    first.ends()
    second.must_work()
    assert not third.works.is_set()
    second.ends()
    assert third.ends()


def test_a_request_that_can_run_overtakes_requests_that_others_hold_up(bench: Bench) -> None:
    first, other = bench.works("a"), bench.works("b")
    second, third = bench.waits("a"), bench.waits("b")
    other.ends()
    third.must_work()
    assert not second.works.is_set()
    assert (third.ends(), first.ends(), second.ends()) == (True, False, True)


def test_too_many_requests_are_refused_and_do_not_wait(bench: Bench) -> None:
    workers = [bench.works("a"), bench.works("b"), bench.waits("a"), bench.waits("a")]
    with pytest.raises(Problem) as of_one, bench.queue.turn(("a",)):
        pass
    assert "2 expensive requests are already waiting: the limit for one owner" in of_one.value.detail
    workers.append(bench.waits("b"))
    with pytest.raises(Problem) as of_all, bench.queue.turn(("b",)):
        pass
    assert of_all.value.detail == "3 expensive requests are already waiting."
    workers.append(bench.waits("b", takes_slot=False))  # a stream, which takes no slot of the queue
    for worker in workers:
        worker.ends()
    assert bench.queue.waiting == 0
    with bench.queue.turn(("a", "b")) as has_waited:
        assert not has_waited


def test_a_slot_is_free_again_once_its_request_no_longer_waits(bench: Bench) -> None:
    for _ in range(2):
        first, *others = (bench.works("a"), bench.waits("a"), bench.waits("a"), bench.waits("a", takes_slot=False))
        assert [first.ends(), *(other.ends() for other in others)] == [False, True, True, True]


class Judge:
    """Adjudicates hands; the first adjudication lasts until the test ends it."""

    def __init__(self) -> None:
        self.works, self.end = Event(), Event()

    def __call__(self, *arguments: object) -> object:
        if not self.works.is_set():
            self.works.set()
            assert self.end.wait(PATIENCE_SECONDS)
        return adjudicate_stored_hand(*arguments)  # type: ignore[arg-type]


class Hall:
    """A service with two worker slots, a table with a hand, and an adjudication that lasts until the test ends it."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch, pool: ThreadPoolExecutor) -> None:
        self.service = service
        self.table = Table(service, 2).dealt()
        self.judgement = f"{self.table.path}/hands/1/adjudication"
        self.player = self.table.players[1]
        self.judge = Judge()
        self.away = Away(service.parts.in_flight.without_slot)
        self._pool = pool
        monkeypatch.setattr(adjudication, "adjudicate_stored_hand", self.judge)
        monkeypatch.setattr(service.parts.expensive, "_without_slot", self.away)

    def asks(self, person: Person, path: str, **headers: str) -> "Future[TestResponse]":
        """Send a request in a thread."""
        caller = Person(self.service, person.owner, person.token)
        return self._pool.submit(lambda: caller.get(path, **headers))

    @contextmanager
    def one_is_at_work(self) -> Iterator[None]:
        """Keep an expensive request of the player running while the block runs."""
        first = self.asks(self.player, self.judgement)
        assert self.judge.works.wait(PATIENCE_SECONDS)
        try:
            yield
        finally:
            self.judge.end.set()
        accepted(first.result(PATIENCE_SECONDS))


@pytest.fixture
def hall(tmp_path: Path, all_databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    with (
        all_databases.migrated("sqlite") as url,
        running(tmp_path, url, threads=2, proxies=1, owner_requests_per_second=20) as service,
        ThreadPoolExecutor(8) as pool,
    ):
        yield Hall(service, monkeypatch, pool)


def test_expensive_requests_of_one_owner_leave_slots_for_others_and_for_cheap_requests(hall: Hall) -> None:
    path = hall.table.path
    with hall.one_is_at_work():
        more = [
            hall.asks(hall.player, question) for question in (hall.judgement, f"{path}?at=1", f"{path}/hands?limit=101")
        ]
        for _ in more:
            hall.away.must_come()
        for question in (path, f"{path}/events", f"{path}/hands", f"{path}/events?limit=1000"):
            accepted(hall.player.get(question))
        somebody = hall.service.person("play")
        accepted(somebody.get(hall.judgement, X_Forwarded_For="192.0.2.9"))
        assert hall.service.parts.expensive.waiting == len(more)
        assert not any(one.done() for one in more)
    for one in more:
        accepted(one.result(PATIENCE_SECONDS))


def test_long_pages_polls_and_streams_wait_without_a_connection_of_the_database(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{hall.table.path}/events"
    monkeypatch.setattr(request_cost, "EVENTS_PER_UNIT", 1)
    monkeypatch.setattr(events, "_STREAM_PAGE", 2)
    with hall.one_is_at_work():
        connections = _connections(hall)
        more = [
            hall.asks(hall.player, f"{path}?limit=1000"),
            hall.asks(hall.player, f"{path}?wait=30"),
            hall.asks(hall.player, path, Accept=NDJSON),
        ]
        for _ in more:
            hall.away.must_come()
        assert _connections(hall) == connections
    pages = [accepted(one.result(PATIENCE_SECONDS)) for one in more]
    assert [len(page.json["items"]) for page in pages[:2]] == [hall.table.position] * 2
    assert len(pages[2].data.splitlines()) == hall.table.position + 1
    assert hall.service.parts.expensive.waiting == 0


def _connections(hall: Hall) -> int:
    """Return the number of database connections in use."""
    pool = hall.service.parts.engine.pool
    assert isinstance(pool, QueuePool)
    return pool.checkedout()


def test_a_caller_who_used_up_the_limit_meanwhile_is_refused_after_the_wait(hall: Hall) -> None:
    with hall.one_is_at_work():
        late = hall.asks(hall.player, hall.judgement)
        hall.away.must_come()
        while hall.player.get("/v1/games").status_code == 200:
            pass
    answer = late.result(PATIENCE_SECONDS)
    refused(answer, 429, "requests_must_be_fewer")
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_failed_request_lets_the_next_request_run(hall: Hall) -> None:
    path, waiting = hall.table.path, []
    with hall.one_is_at_work():
        for question in (f"{path}?at=100", f"{path}/hands/9/adjudication", hall.judgement):
            waiting.append(hall.asks(hall.player, question))
            hall.away.must_come()
    position, hand, judgement = (one.result(PATIENCE_SECONDS) for one in waiting)
    refused(position, 404, "position_must_exist")
    refused(hand, 404, "hand_must_exist")
    accepted(judgement)
    assert not hall.service.parts.expensive.waiting


def test_a_usual_list_is_not_expensive() -> None:
    assert not expensive.is_long_list(events.EventQuery().limit)
    assert expensive.is_long_list(events.EventQuery().limit + 1)
