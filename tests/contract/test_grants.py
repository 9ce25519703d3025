"""On PostgreSQL the service can run as a role that has only the privileges that the service needs."""

import secrets
from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import DBAPIError

from service.database.cache_generation import Generation
from service.database.durability import durability_barrier
from service.database.engines import administering, make_engine, migrating, reading
from service.database.schema_check import check_schema, grant_service_role
from service.event_store.entries import EMPTY
from tests import databases
from tests.contract.service_logs import a_key, end_key, found, make_key, types
from tests.event_store.streams import append, asked, head_of, make_log, new_stream

LOG = make_log()
INSUFFICIENT_PRIVILEGE = "42501"

pytestmark = pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])


@pytest.fixture
def service(storage: Engine) -> Iterator[Engine]:
    """Yield an engine that connects as the service's role to a database that another role owns."""
    role = f"chiptrail_service_{secrets.token_hex(4)}"
    with migrating(storage) as connection:
        connection.execute(text(f"CREATE ROLE {role} LOGIN PASSWORD 'secret'"))
        grant_service_role(connection, role)
    engine = make_engine(make_url(storage.url).set(username=role, password="secret").render_as_string(False))
    databases.watch_the_command_path(engine)
    yield engine
    engine.dispose()
    with migrating(storage) as connection:
        connection.execute(text(f"DROP OWNED BY {role}"))
        connection.execute(text(f"DROP ROLE {role}"))


def test_the_service_appends_and_reads(service: Engine) -> None:
    check_schema(service)
    stream_id = new_stream(service, LOG)
    first = append(service, LOG, stream_id, EMPTY, asked("a", answers=2))
    second = append(service, LOG, stream_id, head_of(first), asked("b"))
    with reading(service) as connection:
        assert LOG.reader.read(connection, stream_id) == first + second


def test_the_service_makes_and_ends_keys_on_record(service: Engine) -> None:
    for number in (1, 2):
        assert make_key(service, a_key(number))
    end_key(service, a_key(1))
    assert types(service) == ["log_opened", "key_made", "key_made", "key_ended"]
    assert found(service) == []


def test_the_service_waits_for_commits_and_notices_another_database(service: Engine) -> None:
    generation = Generation()
    generation.watch(service)
    with administering(service) as connection:
        durability_barrier(connection)
    assert generation.number == 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET leaf = leaf",
        "UPDATE sealed SET nonce = nonce",
        "UPDATE keys SET scopes = scopes",
        "UPDATE key_revocations SET revoked_by = revoked_by",
        "UPDATE service_keys SET slot = slot",
        "UPDATE streams SET stream_id = stream_id",
        "UPDATE transfers SET amount = amount",
        "UPDATE alembic_version SET version_num = '0001'",
        "DELETE FROM streams",
        "DELETE FROM events",
        "DELETE FROM sealed",
        "DELETE FROM keys",
        "DELETE FROM key_revocations",
        "DELETE FROM transfers",
        "TRUNCATE streams",
        "TRUNCATE sealed",
        "TRUNCATE events CASCADE",
        "TRUNCATE keys CASCADE",
        "ALTER TABLE events DISABLE TRIGGER ALL",
        "ALTER TABLE events DROP COLUMN cmd",
        "DROP TRIGGER events_only_grows ON events",
        "ALTER FUNCTION chiptrail_only_grows() RENAME TO gone",
        "SET session_replication_role = replica",
        "DROP TABLE sealed",
    ],
)
def test_the_service_can_do_nothing_else(service: Engine, statement: str) -> None:
    with pytest.raises(DBAPIError) as refusal, administering(service) as connection:
        connection.execute(text(statement))
    assert getattr(refusal.value.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE


def test_granting_again_revokes_surplus_rights(service: Engine, storage: Engine) -> None:
    role = service.url.username or ""
    with migrating(storage) as connection:
        connection.execute(text(f"GRANT DELETE ON events TO {role}"))
        grant_service_role(connection, role)
    with pytest.raises(DBAPIError) as refusal, administering(service) as connection:
        connection.execute(text("DELETE FROM events"))
    assert getattr(refusal.value.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE


def test_a_table_without_a_listed_right_stops_the_granting(service: Engine, storage: Engine) -> None:
    with migrating(storage) as connection:
        connection.execute(text("CREATE TABLE strangers (name text)"))
    with migrating(storage) as connection, pytest.raises(ValueError, match="strangers"):
        grant_service_role(connection, service.url.username or "")
