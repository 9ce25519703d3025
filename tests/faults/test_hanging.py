"""A transaction holds a lock and hangs: a command that needs the lock is refused in time, and all others go on."""

import random
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Final

import psycopg
import pytest
from sqlalchemy import make_url

from service.database.engines import administering, make_engine
from tests.cli.commands import Instance
from tests.databases import POSTGRESQL, SQLITE
from tests.faults.faulty_proxy import Fault, FaultyProxy, Way
from tests.faults.party import Game, playing
from tests.faults.people import Impatient, impatient
from tests.faults.seats import IN_DOUBT, NOTHING_RECORDED, Seat, traffic_of
from tests.faults.servers import CAP_SECONDS, must_be_clean, serving, wait_until
from tests.once.clients import Crowd

AT_ONCE: Final = 2
LENGTH_OF_COMMIT: Final = 12  # bytes


@pytest.mark.walk
def test_a_command_that_needs_a_lock_of_a_hanging_transaction_is_refused_in_time(
    instance: Instance, chance: random.Random
) -> None:
    with serving(instance) as server, closing(Crowd(server.url, instance.first_key)) as crowd:
        stuck, free = Game(crowd, chance), Game(crowd, chance)
        dealer = stuck.dealer
        waiting = [impatient(dealer.person) for _ in range(AT_ONCE)]
        with ThreadPoolExecutor(AT_ONCE) as threads, _held(instance, stuck.table):
            asked = [
                threads.submit(one.post, f"{stuck.table}/actions", {"type": "deal_hand"}, "deal") for one in waiting
            ]
            if _is_postgresql(instance):
                with playing([free]) as load:
                    wait_until(lambda: load.heard > 40 or load.has_ended)
            assert crowd.admin.get(stuck.table).status == 200
            told = [one.result() for one in asked]
        assert {(one.status, one.json["code"]) for one in told} == {(503, "database_must_answer")}
        assert all("Retry-After" in one.headers for one in told)
        assert dealer.post(f"{stuck.table}/actions", {"type": "deal_hand"}, "deal").status == 200
        for game in (stuck, free):
            with playing([game]) as load:
                wait_until(lambda: load.heard > 20 or load.has_ended)
            game.must_hold()
    must_be_clean(instance)


@pytest.mark.parametrize("kind", [SQLITE])
def test_a_command_that_waits_for_the_lock_of_another_process_is_refused_in_time(
    instance: Instance, chance: random.Random
) -> None:
    engine = make_engine(instance.database)
    with serving(instance) as server, closing(Crowd(server.url, instance.first_key)) as crowd:
        game = Game(crowd, chance)
        with closing(impatient(game.dealer.person)) as caller:
            with administering(engine):
                told = caller.post(f"{game.table}/actions", {"type": "deal_hand"}, "deal")
                assert (told.status, told.json["code"]) == (503, "database_must_answer")
                assert "Retry-After" in told.headers
                assert caller.get(game.table).status == 200
            assert game.dealer.post(f"{game.table}/actions", {"type": "deal_hand"}, "deal").status == 200
        with playing([game]) as load:
            wait_until(lambda: load.heard > 20 or load.has_ended)
        game.must_hold()
    engine.dispose()
    must_be_clean(instance)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["postgresql"])
def test_a_command_that_hangs_in_its_transaction_is_ended_by_the_database_and_others_go_on(
    instance: Instance, behind_proxy: Instance, proxy: FaultyProxy
) -> None:
    with serving(behind_proxy, "--workers", "1") as hangs, closing(Crowd(hangs.url, behind_proxy.first_key)) as crowd:
        seat = Seat(proxy, crowd)
        before_commit = traffic_of(seat)[Way.THERE] - LENGTH_OF_COMMIT
        with (
            serving(Instance(instance.database, behind_proxy.data)) as server,
            closing(Impatient(server.url, seat.person.token)) as other,
            ThreadPoolExecutor(1) as thread,
        ):
            changed = thread.submit(seat.change, Fault(Way.THERE, before_commit, is_cut=False))
            wait_until(lambda: proxy.has_failed)
            told = other.post(f"{seat.table}/actions", {"type": "close_table"}, "while it hangs")
            assert (told.status, told.json["code"]) == (503, "database_must_answer")
            assert other.post("/v1/tables", {"game": "bankrupt"}, "elsewhere").status == 201
            assert not changed.done()
            assert changed.result(CAP_SECONDS) in {IN_DOUBT, NOTHING_RECORDED}
        seat.person.close()
    must_be_clean(instance)


@contextmanager
def _held(instance: Instance, table: str) -> Iterator[None]:
    """Lock the stream of *table* (on SQLite: the whole database) in a transaction that does nothing."""
    stream_id = bytes.fromhex(table.rpartition("tbl_")[2])
    if _is_postgresql(instance):
        plain = make_url(instance.database).set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(plain) as holder:
            holder.execute("SELECT head FROM streams WHERE stream_id = %s FOR UPDATE", [stream_id])
            yield
    else:
        file = instance.database.removeprefix("sqlite:///")
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield


def _is_postgresql(instance: Instance) -> bool:
    return instance.database.startswith(POSTGRESQL)
