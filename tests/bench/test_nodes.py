"""With the URL of a spread database, the bench creates each of its own databases on every node of that database."""

from pathlib import Path

import pytest
from sqlalchemy import make_url

from service.bench import databases
from service.bench.databases import TemporaryDatabases, opened
from service.clock import Clock
from service.database.spread import placement
from tests.databases import POSTGRESQL, SPREAD, Databases

pytestmark = pytest.mark.spread


def test_a_database_is_made_on_every_node_and_removed_from_it(
    tmp_path: Path, all_databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, str]] = []
    monkeypatch.setattr(databases, "_execute", lambda server, statement: done.append((server, statement)))
    with all_databases.empty(SPREAD) as url:
        known, there = make_url(url), databases._at_node
        at = [("10.0.0.1", 6001), ("10.0.0.2", 6002)]
        (found, *others) = databases._nodes(url)
        assert others == [found]
        monkeypatch.setattr(databases, "_nodes", lambda _: at)
        with TemporaryDatabases(tmp_path, url, Clock())._on_server("made") as made:
            assert make_url(made) == known.set(database="made")
            on_all = [made, *(there(made, *address) for address in at)]
            coordinator = [(made, f"SELECT citus_set_coordinator_host('{known.host}', {known.port})")] * bool(
                known.host
            )
            assert done == [
                *((one, "CREATE DATABASE made") for one in [url, *(there(url, *address) for address in at)]),
                *((one, "CREATE EXTENSION citus") for one in on_all),
                *coordinator,
                *((made, f"SELECT citus_add_node('{host}', {port})") for host, port in at),
            ]
            done.clear()
        assert {statement for _, statement in done} == {"DROP DATABASE made WITH (FORCE)"}
        assert len(done) == 1 + len(at)


def test_the_tables_of_a_database_that_knows_nodes_are_placed(
    all_databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed: list[str] = []
    monkeypatch.setattr(placement, "distribute", lambda connection: placed.append(connection.engine.url.database))
    with all_databases.empty(SPREAD) as url, opened(url) as engine:
        assert databases._placed(engine) == ", nodes=2"
        assert placed == [make_url(url).database]
    with all_databases.empty(POSTGRESQL) as url, opened(url) as engine:
        assert databases._placed(engine) == ""
        assert len(placed) == 1
