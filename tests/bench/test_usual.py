"""The usual way, a Flask app with the library `eventsourcing`, records the same events as our service."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from service.bench import http_load, wrk
from service.bench.databases import TemporaryDatabases, folder, opened
from service.bench.games import bankrupt
from service.bench.headless import HOST, HeadlessService, Repeatable, Table as Ours, owner
from service.bench.loads import Body
from service.database.engines import reading
from service.entropy import Entropy
from service.games.game import type_name
from tests import databases
from tests.bench import fake_wrk
from tests.bench.usual import __main__ as program, serving, sides
from tests.bench.usual.sides import Plan
from tests.bench.usual.table import Table, Tables
from tests.bench.usual.web import make


@pytest.fixture(params=serving.WAYS)
def tables(request: pytest.FixtureRequest, all_databases: databases.Databases) -> Iterator[Tables]:
    """Yield the tables of the usual way on a new PostgreSQL database, with each setting of the usual way in turn."""
    with all_databases.empty(databases.POSTGRESQL) as url:
        made = Tables(serving.environment(url, serving.WAYS[request.param]))
        yield made
        made.close()


@pytest.fixture
def asking(tables: Tables) -> FlaskClient:
    return make(tables, Repeatable().secret).test_client()


def ask(client: FlaskClient, caller: str, path: str, body: Body) -> dict[str, Any]:
    answer = client.post(path, json=body, headers={"Authorization": f"Bearer {caller}"})
    assert answer.status_code in {200, 201}, answer.text
    said: dict[str, Any] = answer.get_json()
    return said


@pytest.mark.parametrize("load", bankrupt.LOADS.names)
def test_the_events_at_a_table_of_the_library_are_the_same_as_at_our_tables(
    load: str, tables: Tables, asking: FlaskClient, all_databases: databases.Databases
) -> None:
    told = [ask(asking, HOST, "/v1/tables", {"seats": bankrupt.SEATS, "options": {"buy_in": bankrupt.BUY_IN}})]
    path = f"/v1/tables/{told[0]['table']}"
    told += [
        ask(asking, owner(seat), f"{path}/seats", {"chips": bankrupt.BUY_IN, "seat": seat})
        for seat in range(1, bankrupt.SEATS + 1)
    ]
    told.append(ask(asking, HOST, f"{path}/actions", {"type": "start_game"}))
    table: Table = tables.repository.get(UUID(told[0]["table"]))
    moves = bankrupt.cycle(load, table.state.dealer)
    told += [ask(asking, owner(move.seat), f"{path}/actions", move.body) for move in moves]
    table = tables.repository.get(table.id)
    with all_databases.migrated(databases.SQLITE) as url, opened(url) as engine:
        house = HeadlessService(engine)
        house.play._entropy = Repeatable()  # both have the same seeds, and so the same decks
        ours = Ours(house, table.id.int, bankrupt.LOADS.options, seats=bankrupt.SEATS)
        for _ in zip(moves, ours.play(partial(bankrupt.cycle, load)), strict=False):
            pass
        with reading(engine) as connection:
            recorded = house.log.reader.read(connection, ours.stream_id)
    assert [(one["type"], one["by"], one["facts"]) for said in told for one in said["events"]] == [
        (type_name(type(one.event)), one.by, msgspec.json.decode(msgspec.json.encode(one.event))) for one in recorded
    ]
    assert len(recorded) == table.version - 1  # the library's own first event has no counterpart
    assert table.state.balances == ours.table_at.state.balances
    assert table.state.hand == 4


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("", {"type": "deal_hand"}, 409),  # the rules refuse this: no player has a seat yet
        ("", {"type": "fold"}, 422),
        ("", {"type": "exchange_card"}, 422),
        (f"/v1/tables/{UUID(int=1)}/actions", {"type": "deal_hand"}, 404),
    ],
)
def test_an_impossible_command_is_refused_and_not_recorded(
    path: str, body: Body, status: int, tables: Tables, asking: FlaskClient
) -> None:
    opened = ask(asking, HOST, "/v1/tables", {"seats": bankrupt.SEATS})
    answer = asking.post(
        path or f"/v1/tables/{opened['table']}/actions", json=body, headers={"Authorization": f"Bearer {HOST}"}
    )
    assert answer.status_code == status
    assert tables.repository.get(UUID(opened["table"])).version == opened["position"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_load, "CONNECTIONS", 2)
    monkeypatch.setattr(wrk, "program", lambda: "")
    monkeypatch.setattr(wrk, "run", fake_wrk.run)


@pytest.mark.full
@pytest.mark.usefixtures("small")
def test_both_ways_are_measured_in_turn_with_the_same_load(server_url: str) -> None:
    plan = Plan(seconds=1, tries=2, loads=("mixed",), ways=("tuned", "hello"))
    said: list[str] = []
    with folder() as home, TemporaryDatabases(home, server_url, Entropy()) as temporary:
        (compared,) = sides.compare(temporary, plan, Entropy(), said.append)
    rate = f"{2 * fake_wrk.MOVES} commands/s"  # `fake_wrk` reports one second
    turns = [sides.OURS, "tuned", "hello", "hello", "tuned", sides.OURS]
    assert said[3:] == [f"mixed, {way}: {rate}" for way in turns]
    assert compared.ratio("tuned") == 1
    assert compared.ratios("tuned") == compared.ratios("hello") == (1, 1)


def test_without_wrk_a_clear_message_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(program.main, [])
    assert done.exit_code == 1
    assert "not measured: the load generator wrk is not installed; on Debian and Ubuntu: apt install wrk" in done.output
