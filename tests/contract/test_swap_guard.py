"""A reader reads one generation of all projections, even if a rebuild swaps in the next generation meanwhile."""

import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Event as Flag, Thread
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, Engine, event, text

from service.audit.log_audit import verify
from service.database import engines
from service.database.engines import administering, make_engine, reading
from service.database.spread.node_readers import Reach
from service.entropy import Entropy
from service.projections import lists
from service.projections.flow_totals import flow_totals
from service.projections.rebuild.projection_rebuild import rebuild
from service.projections.swap_guard import ProjectionsWereSwapped, require_current_projections, retry_after_swap
from service.projections.totals import totals
from tests import databases
from tests.audit.forging import CODEC, SeededEntropy
from tests.http.service import Service, Table, accepted, refused, running
from tests.play import tables as play
from tests.play.tables import House

T = TypeVar("T")

_OF_PROJECTIONS = re.compile(r"\b(FROM|JOIN)\s+(transfers|hands|seats|tables)\b", re.IGNORECASE)


@pytest.fixture
def service(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield a service on `database_url`."""
    with running(tmp_path / "data", database_url) as made:
        yield made


def between_snapshot_and_reading(engine: Engine, then: Callable[[], object]) -> None:
    """Call *then* once: in the next reading transaction, after its snapshot is taken and before its own statements."""
    left = [then]

    def begun(connection: Connection) -> None:
        if left and connection.get_execution_options().get(engines.MODE) == "reading":
            then = left.pop()
            connection.exec_driver_sql("SELECT count(*) FROM streams").scalar_one()
            then()

    event.listen(engine, "begin", begun)


@retry_after_swap
def _asked(engine: Engine, read: Callable[[Connection], T]) -> T:
    """Return the result of *read*, called in a new transaction."""
    with reading(engine) as connection:
        return read(connection)


def _rebuild(service: Service) -> None:
    """Rebuild with another engine, as another process does."""
    engine = make_engine(service.parts.engine.url.render_as_string(hide_password=False))
    rebuild(engine, service.parts.log, Entropy())
    engine.dispose()


def test_a_swap_between_the_snapshot_and_the_reading_changes_no_answer(service: Service) -> None:
    table = Table(service, 2).dealt()
    while not accepted(table.host.get(f"{table.path}/hands")).json["items"][0]["is_settled"]:
        action = accepted(table.due.get(f"{table.path}/actions")).json["items"][0]["action"]
        accepted(table.due.post(f"{table.path}/actions", action))
    done: list[str] = []

    def swap() -> None:
        _rebuild(service)
        done.append(asked)

    of_table = [table.path + path for path in ("/balances?at=6", "/accounts/stack:1/postings", "/hands", "/hands/1")]
    for asked in (*of_table, "/v1/tables"):
        before = accepted(table.host.get(asked))
        between_snapshot_and_reading(service.parts.engine, swap)
        after = accepted(table.host.get(asked))
        assert done.pop() == asked
        assert (after.data, after.headers.get("ETag")) == (before.data, before.headers.get("ETag")), asked


def test_a_quota_counts_all_seats_while_projections_are_swapped(service: Service) -> None:
    table = Table(service, 2).seated()
    player = table.players[1].owner
    between_snapshot_and_reading(service.parts.engine, lambda: _rebuild(service))
    assert _asked(service.parts.engine, lambda connection: lists.sits_at_unfinished(Reach(connection), player, 1))


def test_sums_and_the_audit_see_one_set_of_projections(service: Service) -> None:
    Table(service, 2).started()
    engine = service.parts.engine
    before = _asked(engine, totals)
    between_snapshot_and_reading(engine, lambda: _rebuild(service))
    assert _asked(engine, totals) == before
    between_snapshot_and_reading(engine, lambda: _rebuild(service))
    assert verify(engine, service.parts.log, CODEC).findings == ()


def test_a_rebuild_raises_the_generation_by_one(service: Service) -> None:
    engine = service.parts.engine
    before = _asked(engine, require_current_projections)
    for number in (1, 2):
        _rebuild(service)
        assert _asked(engine, require_current_projections) == before + number


def test_without_a_generation_nothing_is_read_until_a_rebuild_makes_one(service: Service) -> None:
    table = Table(service, 2).started()
    with administering(service.parts.engine) as connection:
        connection.execute(text("DELETE FROM projection_generation"))
    answer = table.host.get(f"{table.path}/balances")
    assert (answer.status_code, answer.get_json()["code"]) == (503, "database_must_answer")
    with pytest.raises(ProjectionsWereSwapped):
        _asked(service.parts.engine, totals)
    _rebuild(service)
    accepted(table.host.get(f"{table.path}/balances"))


@pytest.mark.parametrize("storage_kind", [databases.SQLITE])  # the order of statements is the same everywhere
def test_every_answer_of_the_service_reads_projections_through_the_guard(service: Service) -> None:
    engine, seen, passed = service.parts.engine, [0], {"now": False}

    def begun(_connection: Connection) -> None:
        passed["now"] = False

    def read(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if connection.get_execution_options().get(engines.MODE) != "reading":
            return
        passed["now"] = passed["now"] or "projection_generation" in statement
        if _OF_PROJECTIONS.search(statement):
            seen[0] += 1
            assert passed["now"], f"must_be_in_use comes first: {statement}"

    event.listen(engine, "begin", begun)
    event.listen(engine, "before_cursor_execute", read)
    table = Table(service, 4, game="insurance_hearts", foot=False).started()
    for person in (table.host, table.players[1], service.spectator):
        for path in ("", "/events", "/balances", "/hands", "/hands/1", "/hands/1/adjudication", "/actions"):
            person.get(table.path + path)
        person.get("/v1/tables")
        person.get(f"{table.path}/accounts/score:1/postings")
    body = {"type": "start_game"}
    refused(table.host.post(f"{table.path}/actions", body, key="again"), 409, "game_must_not_have_started")
    table.host.post(f"{table.path}/actions", body, key="stale", If_Match='"1"')
    assert verify(engine, service.parts.log, CODEC).findings == ()
    assert seen[0] > 20


@pytest.mark.parametrize("storage_kind", databases.kinds())  # the test is slow; one server of each kind suffices
def test_no_answer_is_wrong_while_tables_are_played_and_rebuilt(engine: Engine) -> None:
    """While four tables are played, eight rebuilds make no response wrong; once, 15 of 378 responses were wrong."""
    house = House(engine, SeededEntropy(6))
    games = [play.Table(house, number).started(4, buy_in=100) for number in range(1, 5)]
    enough = Flag()
    answers, wrong = [0], list[Any]()
    failures: list[Exception] = []

    def keep(work: Callable[[], object]) -> Thread:
        def run() -> None:
            try:
                while not enough.is_set():
                    work()
            except Exception as failure:  # noqa: BLE001  # The test must see every error.
                failures.append(failure)

        thread = Thread(target=run)
        thread.start()
        return thread

    chance = {number: random.Random(number) for number in range(5)}

    @retry_after_swap
    def look() -> None:
        game = chance[4].choice(games)
        with reading(engine) as connection:
            table_at = house.tables.current(connection, game.stream_id)
            assert table_at is not None
            held = table_at.state.balances
            moved = flow_totals(connection, game.stream_id, 1, table_at.position)
            found = dict.fromkeys(held, 0)
            for flow in moved:
                found[flow.source] -= flow.amount
                found[flow.target] += flow.amount
        answers[0] += 1
        total: int = sum(found.values())
        if total or found != {account: held[account] for account in found}:
            wrong.append((table_at.position, found, held))

    players = [keep(partial(play.play_on, games[number], chance[number], 1)) for number in range(4)]
    threads = [*players, keep(look)]
    try:
        rebuilt = 0
        while rebuilt < 8 or not (answers[0] > 8 or failures):
            rebuild(engine, house.log, Entropy())
            rebuilt += 1
    finally:
        enough.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert wrong == []
