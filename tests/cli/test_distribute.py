"""`chiptrail migrate --distribute` spreads a database over a stand-in for Citus; doctor and backup know the nodes."""

import json
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from service.database.engines import administering, make_engine, reading
from service.database.spread import placement
from tests import databases
from tests.cli.commands import Instance
from tests.play.tables import House, Table

ON_NODES = pytest.mark.parametrize("kind", [databases.SPREAD], indirect=True)


@ON_NODES
def test_a_filled_database_is_placed_once_and_doctor_and_backup_know_it(nowhere: Instance) -> None:
    assert nowhere.run("migrate").code == 0
    assert not {"placement", "nodes"} & set(findings(nowhere)), "the database is not spread yet"
    engine = make_engine(nowhere.database)
    Table(House(engine)).started()
    with reading(engine) as connection:
        events = connection.scalar(text("SELECT count(*) FROM events"))
    refused = nowhere.run("migrate", "--distribute")
    assert refused.code == 1
    assert "are connected" in refused.err
    assert "stop them first" in refused.err
    engine.dispose()
    done = nowhere.run("migrate", "--distribute", "--shards", "8")
    assert done.code == 0, done.err
    assert f"placed events: moved {events:,} rows to the nodes" in done.out
    assert "placed streams: moved 1 row to the nodes" in done.out
    assert done.out.count("placed ") == len(placement.spread_tables())
    assert "every table is placed already" in nowhere.run("migrate", "--distribute").out
    assert "have 8 shards already" in nowhere.run("migrate", "--distribute", "--shards", "9").err
    assert "old copies" in findings(nowhere)["placement"]["said"], "the rows of the stand-in stay where they are"
    assert f"1 tables with {events:,} events" in nowhere.run("backup", str(nowhere.data.with_name("copy"))).out


@ON_NODES
def test_doctor_names_what_is_wrong_with_the_placement(instance: Instance) -> None:
    assert findings(instance)["placement"]["state"] == "ok"
    execute(instance, "UPDATE pg_dist_partition SET colocationid = 9 WHERE logicalrelid = 'seats'::regclass")
    assert "in 2 groups" in findings(instance)["placement"]["said"]
    execute(instance, "DELETE FROM pg_dist_partition WHERE logicalrelid = 'seats'::regclass")
    assert "not on the nodes: seats" in findings(instance)["placement"]["said"]
    execute(
        instance,
        "INSERT INTO pg_dist_partition SELECT 'seats'::regclass, 'h', min(colocationid) FROM pg_dist_partition",
    )
    execute(instance, "UPDATE pg_dist_node SET nodename = '127.0.0.1', nodeport = 1 WHERE groupid = 2")
    assert "do not answer: 127.0.0.1:1 (" in findings(instance)["nodes"]["said"]


@pytest.mark.parametrize("kind", [databases.SQLITE], indirect=True)
def test_what_has_no_nodes_is_not_placed(nowhere: Instance) -> None:
    assert nowhere.run("migrate", "--distribute").code == 2
    assert nowhere.run("migrate", "--shards", "4").code == 2
    assert nowhere.run("migrate", "--grant-to", "serving").code == 2
    assert not Path(make_url(nowhere.database).database or "").exists(), "nothing was made"


@pytest.mark.parametrize("kind", [databases.POSTGRESQL], indirect=True)
def test_a_database_without_citus_is_not_placed(instance: Instance) -> None:
    said = instance.run("migrate", "--distribute")
    assert said.code == 1
    assert "does not have the extension citus. Nothing was moved." in said.err
    assert "CREATE EXTENSION citus" in said.err


def findings(instance: Instance) -> dict[str, dict[str, str]]:
    return {finding["check"]: finding for finding in json.loads(instance.run("doctor", "--json").out)}


def execute(instance: Instance, statement: str) -> None:
    engine = make_engine(instance.database)
    with administering(engine) as connection:
        connection.execute(text(statement))
    engine.dispose()
