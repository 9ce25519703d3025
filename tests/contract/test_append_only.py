"""The database itself refuses changes to the log, even in statements that an administrator types."""
# ruff: noqa: S608  # The names in the statements are constants of this file.

from contextlib import suppress

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from service.all_tables import metadata
from service.api_keys import key_tables
from service.database.engines import administering, reading
from service.database.errors import Fault, classify, constraint_name
from service.event_store.entries import EMPTY, UncommittedEvent
from service.secrets.key_check import check_service_key
from tests import databases
from tests.event_store.streams import KEY, Asked, append, asked, cmd, make_log, new_stream

LOG = make_log()
GROWING = ("events", "sealed", "keys", "key_revocations", "service_keys")
EVERY = [*GROWING, "streams"]
ON_SQLITE = pytest.mark.parametrize("storage_kind", [databases.SQLITE])
ON_POSTGRESQL = pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])


@pytest.fixture
def filled(storage: Engine) -> Engine:
    """Return an engine on a database with one stream of two events, and a row in every append-only table."""
    stream_id = new_stream(storage, LOG)
    decision = UncommittedEvent(Asked("a"), "seat:1", cmd("a"), hidden={"seed": bytes(32)})
    append(storage, LOG, stream_id, EMPTY, [decision, *asked("a", answers=1)[1:]])
    with administering(storage) as connection:
        check_service_key(connection, KEY)
        connection.execute(
            key_tables.keys.insert().values(
                key_id=bytes(16),
                owner="own_1",
                scopes="play",
                secret_hash=bytes(32),
                label="",
                made_by="own_1",
                made_at="now",
            )
        )
        connection.execute(
            key_tables.key_revocations.insert().values(key_id=bytes(16), revoked_by="own_1", revoked_at="later")
        )
    return storage


def run(engine: Engine, *statements: str, **values: object) -> None:
    with administering(engine) as connection:
        for statement in statements:
            connection.execute(text(statement), values)


def refused(engine: Engine, *statements: str) -> Fault:
    """Check that the database refuses *statements* and does not change; return the fault."""
    before = contents(engine)
    with pytest.raises(DBAPIError) as refusal:
        run(engine, *statements)
    assert contents(engine) == before
    return classify(refusal.value)


def contents(engine: Engine) -> dict[str, list[object]]:
    with reading(engine) as connection:
        return {
            name: list(connection.execute(table.select().order_by(*table.primary_key)))
            for name, table in metadata.tables.items()
        }


@pytest.mark.parametrize("table", GROWING)
def test_no_row_is_changed(filled: Engine, table: str) -> None:
    column = metadata.tables[table].columns.keys()[-1]
    assert refused(filled, f"UPDATE {table} SET {column} = {column}") is Fault.APPEND_ONLY


@pytest.mark.parametrize("table", EVERY)
def test_no_row_is_deleted(filled: Engine, table: str) -> None:
    assert refused(filled, f"DELETE FROM {table}") is Fault.APPEND_ONLY


@ON_POSTGRESQL
@pytest.mark.parametrize("table", EVERY)
def test_no_table_is_emptied(filled: Engine, table: str) -> None:
    assert refused(filled, f"TRUNCATE {table} CASCADE") is Fault.APPEND_ONLY


@ON_POSTGRESQL
@pytest.mark.parametrize("table", GROWING)
def test_not_even_a_replica_changes_a_row(filled: Engine, table: str) -> None:
    column = metadata.tables[table].columns.keys()[-1]
    as_a_replica = "SET LOCAL session_replication_role = replica"  # plain triggers do not run on a replica
    assert refused(filled, as_a_replica, f"UPDATE {table} SET {column} = {column}") is Fault.APPEND_ONLY


@pytest.mark.parametrize("table", EVERY)
def test_no_row_is_upserted(filled: Engine, table: str) -> None:
    columns = metadata.tables[table].columns.keys()
    key = ", ".join(metadata.tables[table].primary_key.columns.keys())
    change = f"DO UPDATE SET {columns[-1]} = EXCLUDED.{columns[-1]}"
    statement = f"INSERT INTO {table} SELECT * FROM {table} WHERE 1 = 1 ON CONFLICT ({key}) {change}"
    assert refused(filled, statement) in {Fault.APPEND_ONLY, Fault.DUPLICATE_ROW, Fault.DUPLICATE_POSITION}


REPLACED = {
    "pk_events": ("events", "stream_id, 1, x'00', NULL FROM streams", Fault.DUPLICATE_POSITION),
    "uq_events_stream_id_cmd": (
        "events",
        "stream_id, 3, leaf, cmd FROM events WHERE cmd NOTNULL",
        Fault.DUPLICATE_COMMAND,
    ),
    "pk_sealed": ("sealed", "stream_id, 1, 'seed', key_id, nonce, x'00' FROM sealed", Fault.DUPLICATE_ROW),
    "pk_streams": ("streams", "stream_id, 9, head_hash, imported_at FROM streams", Fault.DUPLICATE_ROW),
    "pk_keys": ("keys", "key_id, 'own_2', 'host', secret_hash, '', '', '', NULL, '' FROM keys", Fault.DUPLICATE_ROW),
    "pk_key_revocations": ("key_revocations", "key_id, 'own_2', '' FROM key_revocations", Fault.DUPLICATE_ROW),
    "pk_service_keys": ("service_keys", "1, key_id, zeroblob(32), public_key FROM service_keys", Fault.DUPLICATE_ROW),
}
INSTEAD = ["INSERT OR REPLACE INTO", "REPLACE INTO", "INSERT OR IGNORE INTO", "INSERT OR FAIL INTO"]


@ON_SQLITE
@pytest.mark.parametrize(("table", "row", "fault"), REPLACED.values(), ids=REPLACED)
@pytest.mark.parametrize("instead", INSTEAD)
def test_no_row_takes_the_place_of_another(filled: Engine, table: str, row: str, fault: Fault, instead: str) -> None:
    assert refused(filled, f"{instead} {table} SELECT {row}") is fault


@ON_SQLITE
@pytest.mark.parametrize(("table", "row", "fault"), REPLACED.values(), ids=REPLACED)
def test_only_the_trigger_prevents_a_replacement(filled: Engine, table: str, row: str, fault: Fault) -> None:
    rows = metadata.tables[table].select()
    with suppress(ZeroDivisionError), administering(filled) as connection:
        before = set(connection.execute(rows))
        connection.execute(text(f"DROP TRIGGER {table}_only_grows_insert"))
        connection.execute(text("PRAGMA defer_foreign_keys = ON"))
        connection.execute(text(f"REPLACE INTO {table} SELECT {row}"))
        after = set(connection.execute(rows))
        raise ZeroDivisionError
    assert before - after


@ON_SQLITE
@pytest.mark.parametrize("table", EVERY)
def test_no_row_has_a_hidden_key(filled: Engine, table: str) -> None:
    with reading(filled) as connection, pytest.raises(DBAPIError, match="no such column: rowid"):
        connection.execute(text(f"SELECT rowid FROM {table}"))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("head = head - 1", id="back"),
        pytest.param("head = head", id="nowhere"),
        pytest.param("head_hash = (SELECT fingerprint FROM service_keys)", id="another hash"),
        pytest.param("head = head + 1, stream_id = substr(head_hash, 1, 16)", id="another stream"),
        pytest.param("head = head + 1, imported_at = '2026-01-01T00:00:00.000Z'", id="imported"),
    ],
)
def test_a_head_only_moves_on(filled: Engine, change: str) -> None:
    assert refused(filled, f"UPDATE streams SET {change}") is Fault.APPEND_ONLY


@ON_SQLITE
def test_no_head_takes_the_place_of_another(filled: Engine) -> None:
    new_stream(filled, LOG)
    statement = "UPDATE OR REPLACE streams SET head = head + 1, stream_id = (SELECT max(stream_id) FROM streams)"
    assert refused(filled, statement) is Fault.APPEND_ONLY


@pytest.mark.parametrize("position", [4, 5, 2_000_000_000])
def test_positions_have_no_gap(filled: Engine, position: int) -> None:
    on = f"UPDATE streams SET head = {position}"
    assert broken(filled, on, ADD_EVENT, position=position, leaf=b"{}") == "events_run_on"


def test_no_event_is_beyond_the_head(filled: Engine) -> None:
    assert broken(filled, ADD_EVENT, position=3, leaf=b"{}") == "events_run_on"


def test_no_event_is_outside_a_stream(filled: Engine) -> None:
    statement = "INSERT INTO events (stream_id, position, leaf) VALUES (:stream_id, 1, :leaf)"
    assert broken(filled, statement, stream_id=bytes(16), leaf=b"{}") == "events_run_on"


def test_the_next_event_is_taken(filled: Engine) -> None:
    run(filled, "UPDATE streams SET head = 3", ADD_EVENT, position=3, leaf=b"{}")
    assert len(contents(filled)["events"]) == 3


def test_nothing_is_sealed_without_its_event(filled: Engine) -> None:
    statement = """
        INSERT INTO sealed (stream_id, position, field, key_id, nonce, ciphertext)
        SELECT stream_id, 7, field, key_id, nonce, ciphertext FROM sealed"""
    with pytest.raises(IntegrityError, match=r"FOREIGN KEY|fk_sealed_stream_id_position_events"):
        run(filled, statement)


ADD_EVENT = "INSERT INTO events (stream_id, position, leaf) SELECT stream_id, :position, :leaf FROM streams"


def broken(engine: Engine, *statements: str, **values: object) -> str:
    """Check that *statements* violate a constraint; return the constraint's name."""
    with pytest.raises(IntegrityError) as refusal:
        run(engine, *statements, **values)
    return constraint_name(refusal.value)
