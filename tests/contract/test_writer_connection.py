"""The writer's connection: commands use one connection until an error; then they use a new one."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from service.database.engines import UnknownCommit, administering, make_engine
from service.entropy import Entropy
from service.event_store import queries
from service.play.writing import writer_connection
from service.play.writing.writer_connection import WriterConnection
from tests import databases

ON_POSTGRESQL = pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:-1])


@pytest.fixture
def one(storage: Engine) -> Iterator[WriterConnection]:
    made = WriterConnection(storage, Entropy())
    yield made
    made.release()


def test_the_connection_is_kept_from_one_command_to_the_next(one: WriterConnection) -> None:
    assert _driver_of(one) is _driver_of(one)


def test_after_any_error_the_connection_is_not_used_again(one: WriterConnection, storage: Engine) -> None:
    with pytest.raises(ZeroDivisionError), one.writing():
        raise ZeroDivisionError
    assert storage.pool.status().endswith("Current Checked out connections: 0")
    assert _driver_of(one)


def test_an_unreferenced_writer_releases_its_connection(storage: Engine) -> None:
    assert all(_driver_of(WriterConnection(storage, Entropy())) for _ in range(20))
    assert storage.pool.status().endswith("Current Checked out connections: 0")


def test_the_connection_ends_with_its_engine(one: WriterConnection, storage: Engine) -> None:
    before = _driver_of(one)
    storage.dispose()
    assert _driver_of(one) is not before


@ON_POSTGRESQL
def test_a_cut_between_writes_leaves_no_commit_unknown(
    one: WriterConnection, storage: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cut(storage, _driver_of(one))
    monkeypatch.setattr(writer_connection, "_SOON_SECONDS", -1.0)
    assert _driver_of(one)


@ON_POSTGRESQL
def test_a_cut_in_the_pool_leaves_no_commit_unknown(one: WriterConnection, storage: Engine) -> None:
    driver = _driver_of(one)
    one.release()
    _cut(storage, driver)
    assert _driver_of(one) is not driver


@ON_POSTGRESQL
def test_a_cut_during_a_write_leaves_the_commit_unknown(one: WriterConnection, storage: Engine) -> None:
    driver = _driver_of(one)
    _cut(storage, driver)
    with pytest.raises(UnknownCommit):
        _driver_of(one)
    assert _driver_of(one) is not driver


@pytest.mark.parametrize("storage_kind", [databases.SPREAD])
def test_a_cut_before_a_commit_is_known_to_have_written_nothing(one: WriterConnection, storage: Engine) -> None:
    driver = _driver_of(one)
    _cut(storage, driver)
    with pytest.raises(DBAPIError):
        _driver_of(one)
    assert _driver_of(one) is not driver


def _driver_of(one: WriterConnection) -> Any:  # noqa: ANN401 -- this is a driver's connection
    with one.writing() as connection:
        _ask(connection)
        return connection.connection.driver_connection


def _ask(connection: Connection) -> None:
    assert not queries.HEAD.run(connection, {"stream_id": b""}).all()


def _cut(engine: Engine, driver: Any) -> None:  # noqa: ANN401
    process = driver.info.backend_pid
    other = make_engine(engine.url.render_as_string(hide_password=False))
    with administering(other) as administrator:
        administrator.execute(text("SELECT pg_terminate_backend(:process)"), {"process": process})
        there = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :process")
        while administrator.scalar(there, {"process": process}):
            administrator.execute(text("SELECT pg_stat_clear_snapshot()"))
    other.dispose()
