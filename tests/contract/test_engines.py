import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from sqlalchemy import Connection, Engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, TimeoutError as PoolTimeout

from service.database.closing import close_for_good
from service.database.durability import UnsafeDatabase, check_engine
from service.database.engines import (
    Limits,
    TransactionMustBeWhole,
    TransactionMustHaveAPurpose,
    UnknownCommit,
    administering,
    make_engine,
    migrating,
    reading,
    reading_once,
    writing,
)
from service.database.errors import Fault, classify, constraint_name
from service.database.select_only import StatementMustBeSelect
from service.database.sql import Sql
from service.database.write_lock import WriteLockNotAcquired
from service.event_store.entries import EMPTY
from service.event_store.store import CommandRecorded
from service.projections.projection_tables import transfers
from tests import databases
from tests.event_store.streams import append, append_events, asked, head_of, make_log, new_stream
from tests.lost_commits import failing_commits

Transaction: TypeAlias = Callable[[Engine], AbstractContextManager[Connection]]

LOG = make_log()
ON_SQLITE = pytest.mark.parametrize("storage_kind", [databases.SQLITE])
ON_POSTGRESQL = pytest.mark.parametrize("storage_kind", databases.all_kinds()[1:])
IMPATIENT = Limits(connections=2, lock_seconds=0.05)


@pytest.fixture
def stream_id(storage: Engine) -> bytes:
    return new_stream(storage, LOG)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        pytest.param("mysql://localhost/chiptrail", "not mysql", id="another database"),
        pytest.param("sqlite://", "must be a file", id="SQLite without a file"),
        pytest.param("sqlite:///:memory:", "must be a file", id="SQLite in memory"),
    ],
)
def test_an_engine_is_for_sqlite_files_and_postgresql(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make_engine(url)


@pytest.mark.parametrize("drivername", ["postgresql", "postgresql+psycopg"])
def test_postgresql_is_reached_through_psycopg(drivername: str) -> None:
    assert make_engine(f"{drivername}://user:secret@host/chiptrail").dialect.driver == "psycopg"


def test_a_transaction_must_name_its_purpose(storage: Engine) -> None:
    with storage.connect() as connection, pytest.raises(TransactionMustHaveAPurpose):
        connection.execute(text("SELECT 1"))


def test_an_opened_database_is_safe(storage: Engine) -> None:
    check_engine(storage)


@ON_SQLITE
@pytest.mark.parametrize(
    ("pragma", "reason"),
    [
        pytest.param("synchronous=NORMAL", "PRAGMA synchronous returns 1", id="NORMAL"),
        pytest.param("foreign_keys=OFF", "PRAGMA foreign_keys returns 0", id="foreign keys"),
        pytest.param("journal_mode=DELETE", "PRAGMA journal_mode returns delete", id="no WAL"),
    ],
)
def test_an_unsafe_sqlite_is_refused(storage: Engine, pragma: str, reason: str) -> None:
    event.listen(storage, "connect", lambda driver, _: driver.execute(f"PRAGMA {pragma}"))
    with pytest.raises(UnsafeDatabase, match=reason):
        check_engine(storage)


@ON_POSTGRESQL
def test_an_unsafe_postgresql_is_refused(storage: Engine) -> None:
    with (
        _another(storage, Limits(), options="-c synchronous_commit=off") as unsafe,
        pytest.raises(UnsafeDatabase, match="SHOW synchronous_commit returns off"),
    ):
        check_engine(unsafe)


@ON_POSTGRESQL
def test_postgresql_gets_its_timeouts(storage: Engine) -> None:
    limits = Limits(lock_seconds=1.5, statement_seconds=7, idle_seconds=9)
    with _another(storage, limits) as engine, administering(engine) as connection:
        shown = {
            name: connection.exec_driver_sql(f"SHOW {name}").scalar_one()
            for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
        }
    assert shown == {
        "lock_timeout": "1500ms",
        "statement_timeout": "7s",
        "idle_in_transaction_session_timeout": "9s",
    }


@ON_POSTGRESQL
def test_a_command_reads_committed_rows_and_a_reader_reads_one_state(storage: Engine) -> None:
    levels = []
    for transaction in (administering, reading, administering):
        with transaction(storage) as connection:
            levels.append(connection.exec_driver_sql("SHOW transaction_isolation").scalar_one())
    assert levels == ["read committed", "repeatable read", "read committed"]


@ON_POSTGRESQL
def test_an_audit_may_compute_between_two_statements_without_a_time_limit(storage: Engine) -> None:
    found = []
    for without_idle_limit in (True, False):
        with reading(storage, without_idle_limit=without_idle_limit) as connection:
            found.append(connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar_one())
    assert found == ["0", "30s"]


def test_a_reader_sees_one_state_of_the_database(storage: Engine, stream_id: bytes) -> None:
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == ()
        append(storage, LOG, stream_id, EMPTY, asked("a"))
        assert LOG.reader.read(connection, stream_id) == ()
    with reading(storage) as connection:
        assert len(LOG.reader.read(connection, stream_id)) == 1


@ON_POSTGRESQL
def test_a_reader_keeps_the_prepared_statements_of_its_connection(storage: Engine) -> None:
    """The next reader on the connection finds the statement prepared.

    A reader ends with COMMIT, because psycopg drops all prepared statements after a ROLLBACK.
    """
    prepared = Sql("SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql")
    for _ in range(2):
        with reading(storage) as connection:
            counted = prepared.run(connection, {}).scalar_one()
    assert counted == 1


@ON_POSTGRESQL
def test_a_reader_has_read_even_if_the_commit_of_its_transaction_fails(
    storage: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing_commits(storage, monkeypatch), reading(storage) as connection:
        found = connection.scalar(text("SELECT 1"))
    with reading(storage) as connection:
        assert found == connection.scalar(text("SELECT 1"))


@ON_POSTGRESQL
def test_a_reader_may_catch_the_error_of_a_cut_connection(storage: Engine) -> None:
    with reading(storage) as connection:
        process = connection.scalar(text("SELECT pg_backend_pid()"))
        with administering(storage) as other:
            other.execute(text(f"SELECT pg_terminate_backend({process})"))
        with pytest.raises(DBAPIError):
            connection.execute(text("SELECT 1"))


def test_a_reader_writes_nothing(storage: Engine, stream_id: bytes) -> None:
    with reading(storage) as connection, pytest.raises(DBAPIError) as refusal:
        connection.execute(text("UPDATE streams SET head = 1"))
    assert classify(refusal.value) is Fault.UNREACHABLE
    append(storage, LOG, stream_id, EMPTY, asked("a"))  # the pool's connection can write afterwards


def test_a_reader_of_one_statement_sends_nothing_but_a_select(storage: Engine) -> None:
    with reading_once(storage) as connection:
        for statement in ("UPDATE streams SET head = 1", "DELETE FROM streams"):
            with pytest.raises((StatementMustBeSelect, DBAPIError)):
                connection.execute(text(statement))
        assert connection.scalar(text("SELECT count(*) FROM streams")) == 0


@pytest.mark.parametrize("transaction", [writing, administering, migrating])
def test_a_block_that_ends_is_committed_and_a_block_that_raises_is_undone(
    storage: Engine, stream_id: bytes, transaction: Transaction
) -> None:
    with transaction(storage) as connection:
        first = append_events(connection, LOG, stream_id, EMPTY, asked("a"))
    with suppress(ZeroDivisionError), transaction(storage) as connection:
        append_events(connection, LOG, stream_id, head_of(first), asked("b"))
        raise ZeroDivisionError
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == first


@ON_POSTGRESQL
def test_a_swallowed_error_is_not_committed_over(storage: Engine, stream_id: bytes) -> None:
    with pytest.raises(TransactionMustBeWhole):
        _append_and_swallow(storage, stream_id)
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == ()


def _append_and_swallow(engine: Engine, stream_id: bytes) -> None:
    with writing(engine) as connection:
        append_events(connection, LOG, stream_id, EMPTY, asked("a"))
        with suppress(DBAPIError):
            connection.execute(text("DELETE FROM events WHERE stream_id = :x"), {"x": stream_id})


@ON_POSTGRESQL
def test_the_outcome_of_a_failed_commit_is_unknown(storage: Engine, stream_id: bytes) -> None:
    def lose_the_connection() -> None:
        with writing(storage) as connection:
            append_events(connection, LOG, stream_id, EMPTY, asked("a"))
            _end_session(storage, connection)

    with pytest.raises(UnknownCommit):
        lose_the_connection()
    append(storage, LOG, stream_id, EMPTY, asked("a"))  # nothing was committed, and the pool recovers


@ON_SQLITE
def test_a_commit_that_sqlite_refuses_leaves_nothing_behind(storage: Engine, stream_id: bytes) -> None:
    def commit_an_orphan() -> None:
        with administering(storage) as connection:
            connection.execute(text("PRAGMA defer_foreign_keys = ON"))  # so that COMMIT fails
            connection.execute(text("INSERT INTO key_revocations VALUES (zeroblob(16), 'own_1', 'now')"))

    with pytest.raises(UnknownCommit, match="FOREIGN KEY"):
        commit_an_orphan()
    append(storage, LOG, stream_id, EMPTY, asked("a"))


@ON_POSTGRESQL
def test_a_lost_connection_is_recognised(storage: Engine, stream_id: bytes) -> None:
    def lose_the_connection() -> None:
        with writing(storage) as connection:
            append_events(connection, LOG, stream_id, EMPTY, asked("a"))
            _end_session(storage, connection)
            LOG.reader.read(connection, stream_id)

    with pytest.raises(DBAPIError) as lost:
        lose_the_connection()
    assert classify(lost.value) is Fault.UNREACHABLE
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == ()


def test_an_error_while_rows_are_read_is_classified_like_any_other(storage: Engine) -> None:
    rows = Sql("SELECT abs(n) FROM (SELECT 1 AS n UNION ALL SELECT -9223372036854775807 - :one) AS numbers")
    with reading(storage) as connection, pytest.raises(DBAPIError) as caught:
        rows.all(connection, {"one": 1})
    assert classify(caught.value) is Fault.DEFECT


def test_a_missing_server_is_unreachable(tmp_path: Path) -> None:
    engine = make_engine(f"postgresql:///chiptrail?host={tmp_path}")
    with pytest.raises(OperationalError) as refusal, reading(engine) as connection:
        connection.execute(text("SELECT 1"))
    assert classify(refusal.value) is Fault.UNREACHABLE


def test_a_file_that_is_no_database_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database " * 1000)
    engine = make_engine(f"sqlite:///{tmp_path / 'notes.txt'}")
    with pytest.raises(DBAPIError) as refusal, reading(engine) as connection:
        connection.execute(text("SELECT 1"))
    assert classify(refusal.value) is Fault.UNREACHABLE


def test_a_wait_too_long_for_another_process_means_busy(storage: Engine, stream_id: bytes) -> None:
    with _another(storage, IMPATIENT) as other, writing(storage) as connection:
        append_events(connection, LOG, stream_id, EMPTY, asked("a"))
        with pytest.raises((OperationalError, WriteLockNotAcquired)) as refusal:
            append(other, LOG, stream_id, EMPTY, asked("b"))
    assert classify(refusal.value) is Fault.BUSY


@ON_SQLITE
def test_a_wait_too_long_for_the_write_lock_means_busy(storage: Engine, stream_id: bytes) -> None:
    with _another(storage, IMPATIENT) as other, writing(other), pytest.raises(WriteLockNotAcquired) as refusal:
        append(other, LOG, stream_id, EMPTY, asked("b"))
    assert classify(refusal.value) is Fault.BUSY


def test_a_wait_too_long_for_a_connection_means_busy(storage: Engine) -> None:
    with (
        _another(storage, IMPATIENT) as other,
        reading(other),
        reading(other),
        pytest.raises(PoolTimeout) as refusal,
        reading(other),
    ):
        pass
    assert classify(refusal.value) is Fault.BUSY


@ON_SQLITE
def test_writers_of_one_process_take_turns(storage: Engine, stream_id: bytes) -> None:
    inside: list[int] = []

    def write(writer: int) -> None:
        with writing(storage) as connection:
            inside.append(writer)
            LOG.head(connection, stream_id)
            inside.append(writer)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(20)))
    assert inside[::2] == inside[1::2]
    assert set(inside) == set(range(20))


@pytest.mark.parametrize(
    ("change", "fault", "name"),
    [
        pytest.param({"source_balance": -1}, Fault.OVERDRAWN, "ck_transfers_source_is_covered", id="source below 0"),
        pytest.param(
            {"target": "stack:2", "target_balance": -1},
            Fault.OVERDRAWN,
            "ck_transfers_target_is_covered",
            id="target below 0",
        ),
        pytest.param({"amount": 0}, Fault.DEFECT, "ck_transfers_something_moves", id="nothing moves"),
        pytest.param({"amount": -3}, Fault.DEFECT, "ck_transfers_something_moves", id="a debt moves"),
        pytest.param({"target": "stack:1"}, Fault.DEFECT, "ck_transfers_it_moves_elsewhere", id="to itself"),
        pytest.param({"target": None}, Fault.DEFECT, "", id="to nobody"),
        pytest.param({"ordinal": 0}, Fault.DUPLICATE_ROW, "pk_transfers", id="twice"),
    ],
)
def test_the_database_refuses_impossible_balances(
    storage: Engine, stream_id: bytes, change: dict[str, object], fault: Fault, name: str
) -> None:
    sound: dict[str, object] = {
        "stream_id": stream_id,
        "position": 1,
        "ordinal": 0,
        "source": "stack:1",
        "target": "house",
        "amount": 3,
        "source_balance": 0,
        "target_balance": -3,
    }
    with writing(storage) as connection:
        connection.execute(transfers.insert().values(sound))
    with pytest.raises(IntegrityError) as refusal, writing(storage) as connection:
        connection.execute(transfers.insert().values({**sound, "ordinal": 1, **change}))
    assert classify(refusal.value) is fault
    assert constraint_name(refusal.value) == name


@ON_SQLITE
def test_sqlite_also_refuses_chips_that_are_not_a_number(storage: Engine, stream_id: bytes) -> None:
    with pytest.raises(IntegrityError, match="cannot store TEXT"), writing(storage) as connection:
        connection.execute(
            text(
                "INSERT INTO transfers (stream_id, position, ordinal, source, target, amount,"
                " source_balance, target_balance) VALUES (:stream_id, 1, 0, 'a', 'b', 'three', 0, 3)"
            ),
            {"stream_id": stream_id},
        )


@ON_POSTGRESQL
def test_a_shard_names_a_constraint_by_the_tables(storage: Engine) -> None:
    with administering(storage) as connection:
        connection.execute(
            text("CREATE TABLE shard (n int CONSTRAINT ck_transfers_source_is_covered_102008 CHECK (n >= 0))")
        )
    with pytest.raises(IntegrityError) as refusal, administering(storage) as connection:
        connection.execute(text("INSERT INTO shard VALUES (-1)"))
    assert constraint_name(refusal.value) == "ck_transfers_source_is_covered"
    assert classify(refusal.value) is Fault.OVERDRAWN


def test_a_recorded_command_is_distinguished_from_a_taken_position(storage: Engine, stream_id: bytes) -> None:
    (first,) = append(storage, LOG, stream_id, EMPTY, asked("a"))
    with pytest.raises(CommandRecorded) as refusal:
        append(storage, LOG, stream_id, head_of([first]), asked("a"))
    cause = refusal.value.__cause__
    assert isinstance(cause, IntegrityError)
    assert classify(cause) is Fault.DUPLICATE_COMMAND


def test_an_unexpected_error_is_a_defect(storage: Engine) -> None:
    with pytest.raises(DBAPIError) as refusal, reading(storage) as connection:
        connection.execute(text("SELECT nothing FROM nowhere"))
    assert classify(refusal.value) is Fault.DEFECT
    assert classify(ZeroDivisionError()) is Fault.DEFECT


@contextmanager
def _another(engine: Engine, limits: Limits, **query: str) -> Iterator[Engine]:
    """Yield a second engine on the database of *engine*, like the engine of another process."""
    url = make_url(engine.url).update_query_dict(query)
    other = make_engine(url.render_as_string(hide_password=False), limits)
    yield other
    other.dispose()


def _end_session(engine: Engine, connection: Connection) -> None:
    """End the session of *connection* from another session, as a crash of the server or the network would."""
    driver: Any = connection.connection.driver_connection
    process = driver.info.backend_pid
    with administering(engine) as administrator:
        administrator.execute(text("SELECT pg_terminate_backend(:process)"), {"process": process})
        there = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :process")
        while administrator.scalar(there, {"process": process}):
            administrator.execute(text("SELECT pg_stat_clear_snapshot()"))


def test_a_closed_sqlite_database_is_one_file_unless_somebody_still_reads(tmp_path: Path) -> None:
    file = tmp_path / "one.db"
    url = f"sqlite:///{file}"
    writer, reader = make_engine(url), make_engine(url)
    with migrating(writer) as connection:
        connection.exec_driver_sql("CREATE TABLE one (number INTEGER)")
    with reading(reader) as held:
        held.exec_driver_sql("SELECT * FROM one").all()
        with administering(writer) as connection:
            connection.exec_driver_sql("INSERT INTO one VALUES (1)")
        assert not close_for_good(make_engine(url, Limits(lock_seconds=0.1)))
    reader.dispose()
    writer.dispose()
    left_open = sqlite3.connect(file)  # like a process that ended without closing its connection
    left_open.execute("INSERT INTO one VALUES (2)")
    left_open.commit()
    assert close_for_good(make_engine(url))
    shutil.copy(file, tmp_path / "copy.db")
    left_open.close()
    copy = sqlite3.connect(tmp_path / "copy.db")
    assert copy.execute("SELECT count(*) FROM one").fetchone() == (2,)
    copy.close()


def test_no_file_is_made_in_place_of_a_missing_file(tmp_path: Path) -> None:
    assert close_for_good(make_engine(f"sqlite:///{tmp_path / 'gone.db'}"))
    assert not (tmp_path / "gone.db").exists()


@ON_POSTGRESQL
def test_a_scan_that_no_index_can_replace_is_not_compiled_first(storage: Engine) -> None:
    with reading(storage) as connection:
        plan = (
            connection.exec_driver_sql("EXPLAIN ANALYZE SELECT generation FROM projection_generation").scalars().all()
        )
    assert any("Seq Scan" in line for line in plan)
    assert not any("JIT" in line for line in plan)
