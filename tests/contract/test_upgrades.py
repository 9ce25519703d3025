"""A migration from an earlier schema to the newest schema neither loses nor changes any part of the log."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from service.all_tables import metadata
from service.database.engines import administering, make_engine, migrating, reading
from service.database.errors import Fault, classify
from service.database.schema_check import migrate
from service.event_store.entries import Head
from service.event_store.store import CommandRecorded
from tests import databases
from tests.event_store.streams import append, append_events, asked, cmd, head_of, make_log

ROOT = Path(__file__).parents[2]
LOG = make_log()
STREAM = bytes(range(16))
BEFORE_THE_SMALLER_ROWS = "0003"
ON_POSTGRESQL = pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])


@pytest.fixture
def old(empty_url: str) -> Iterator[Engine]:
    """Yield an engine on a database of the schema before rows became smaller, with one stream of two events."""
    engine = make_engine(empty_url)
    with migrating(engine) as connection:
        config = Config()
        config.set_main_option("script_location", str(ROOT / "migrations"))
        config.attributes["connection"] = connection
        command.upgrade(config, BEFORE_THE_SMALLER_ROWS)
    with administering(engine) as connection:
        for statement in _ROWS:
            values = {"id": STREAM, "hash": bytes(32), "cmd": bytes.fromhex(cmd("a")), "leaf": b"{}"}
            connection.execute(text(statement), values)
    yield engine
    engine.dispose()


_ROWS = (
    "INSERT INTO streams (stream_id, head, head_hash) VALUES (:id, 2, :hash)",
    "INSERT INTO events (stream_id, position, leaf, cmd) VALUES (:id, 1, :leaf, :cmd), (:id, 2, :leaf, NULL)",
    "INSERT INTO sealed VALUES (:id, 2, 'seed', substr(:hash, 1, 16), substr(:hash, 1, 12), :leaf)",
    "INSERT INTO transfers VALUES (:id, 1, 0, 'house', 'stack:1', 5, 'chips', 'G.7', -5, 5)",
    "INSERT INTO transfers VALUES (:id, 2, 0, 'stack:1', 'ante:1', 2, 'chips', '6', 3, 2)",
)


def test_an_upgrade_loses_no_row(old: Engine) -> None:
    migrate(old)
    with reading(old) as connection:
        events = connection.execute(text("SELECT * FROM events ORDER BY position")).all()
        sealed = connection.execute(text("SELECT stream_id, position, field, ciphertext FROM sealed")).all()
        moved = connection.execute(text("SELECT * FROM transfers ORDER BY position")).all()
        assert set(inspect(connection).get_table_names()) >= {"events", "sealed", "transfers"}
        assert not {"new_events", "new_sealed", "old_transfers"} & set(inspect(connection).get_table_names())
    assert [tuple(row) for row in events] == [
        (STREAM, 1, b"{}", bytes.fromhex(cmd("a"))[:14]),
        (STREAM, 2, b"{}", None),
    ]
    assert [tuple(row) for row in sealed] == [(STREAM, 2, "seed", b"{}")]
    assert [tuple(row) for row in moved] == [
        (STREAM, 0, 1, 5, -5, 5, "house", "stack:1"),
        (STREAM, 0, 2, 2, 3, 2, "stack:1", "ante:1"),
    ]


def test_the_log_goes_on_and_knows_its_commands(old: Engine) -> None:
    migrate(old)
    with administering(old) as connection:
        append_events(connection, LOG, STREAM, Head(2, bytes(32)), asked("b", answers=1))
    with reading(old) as connection:
        found = LOG.reader.read(connection, STREAM, 2)
    assert [one.position for one in found] == [3, 4]
    with pytest.raises(CommandRecorded):
        append(old, LOG, STREAM, head_of(found), asked("a"))


@pytest.mark.parametrize("table", ["events", "sealed"])
def test_the_log_still_only_grows(old: Engine, table: str) -> None:
    migrate(old)
    for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET position = position"):  # noqa: S608
        with pytest.raises(DBAPIError) as refusal, administering(old) as connection:
            connection.execute(text(statement))
        assert classify(refusal.value) is Fault.APPEND_ONLY
    again = "INSERT OR REPLACE" if old.dialect.name == "sqlite" else "INSERT"  # REPLACE runs only triggers of INSERT
    with pytest.raises(DBAPIError), administering(old) as connection:
        connection.execute(text(f"{again} INTO {table} SELECT * FROM {table}"))  # noqa: S608


@ON_POSTGRESQL
def test_a_role_that_could_write_transfers_still_can(old: Engine) -> None:
    with administering(old) as connection:
        connection.execute(text("GRANT SELECT, INSERT ON transfers TO pg_monitor"))
    migrate(old)
    assert held_by(old, "pg_monitor", "transfers") == {"SELECT", "INSERT"}


@ON_POSTGRESQL
def test_the_role_of_the_server_also_has_its_rights_on_new_tables(old: Engine) -> None:
    with administering(old) as connection:
        connection.execute(text(f"GRANT {metadata.tables['transfers'].info['grants']} ON transfers TO pg_monitor"))
    migrate(old)
    wanted = set(metadata.tables["snapshots"].info["grants"].split(", "))
    assert held_by(old, "pg_monitor", "snapshots") == wanted
    assert held_by(old, "pg_read_all_settings", "snapshots") == set()


def held_by(engine: Engine, role: str, table: str) -> set[str]:
    """Return the privileges that *role* has on the whole *table*."""
    asked = text("SELECT has_table_privilege(:role, :table, :privilege)")
    with reading(engine) as connection:
        return {
            privilege
            for privilege in ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE")
            if connection.scalar(asked, {"role": role, "table": table, "privilege": privilege})
        }
