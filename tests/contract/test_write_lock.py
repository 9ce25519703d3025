"""SQLite's write lock lets only one transaction of all processes write, and is released after its commit."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import PoolProxiedConnection

from service.database.engines import Limits, administering, make_engine, migrating, reading, writing
from service.database.errors import Fault, classify
from service.database.write_lock import FileLock, WriteLock, WriteLockNotAcquired
from service.entropy import Entropy
from service.event_store import log_tables
from service.event_store.entries import EMPTY
from service.play.writing.writer_connection import WriterConnection
from tests import databases
from tests.event_store.streams import append, append_events, asked, head_of, make_log, new_stream

LOG: Final = make_log()
PROCESSES: Final = 3
TIMES: Final = 40
PAGES_BEFORE_A_CHECKPOINT: Final = 5
IMPATIENT: Final = Limits(lock_seconds=0.05)

_CHILDREN: Final = multiprocessing.get_context("forkserver")
_CHILDREN.set_forkserver_preload([__name__])


@pytest.fixture
def storage_kind() -> str:
    return databases.SQLITE


@pytest.fixture
def other(storage: Engine) -> Iterator[Engine]:
    """Yield a second engine with a short timeout, like the engine of another process."""
    engine = make_engine(storage.url.render_as_string(), IMPATIENT)
    yield engine
    engine.dispose()


def test_writers_of_several_processes_write_one_after_the_other_and_nothing_is_lost(
    storage: Engine, tmp_path: Path
) -> None:
    written = tmp_path / "written"
    written.write_text("0")
    url = storage.url.render_as_string()
    writers = [_CHILDREN.Process(target=_write_often, args=(url, str(written))) for _ in range(PROCESSES)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * PROCESSES
    assert int(written.read_text()) == PROCESSES * TIMES
    with reading(storage) as connection:
        assert connection.scalar(select(func.count()).select_from(log_tables.events)) == PROCESSES * TIMES
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"


def test_the_lock_outlasts_the_commit_and_its_copying_into_the_database(storage: Engine, other: Engine) -> None:
    stream_id = new_stream(storage, LOG)
    refused: list[WriteLockNotAcquired] = []
    commits = storage.dialect.do_commit

    def commit(driver: PoolProxiedConnection) -> None:
        commits(driver)
        with pytest.raises(WriteLockNotAcquired) as refusal:
            append(other, LOG, stream_id, EMPTY, asked("b"))
        refused.append(refusal.value)

    storage.dialect.do_commit = commit  # type: ignore[method-assign, assignment]
    append(storage, LOG, stream_id, EMPTY, asked("a"))
    assert [classify(error) for error in refused] == [Fault.BUSY]


def test_a_reader_does_not_wait_for_the_lock(storage: Engine, other: Engine) -> None:
    stream_id = new_stream(storage, LOG)
    with writing(storage) as connection, reading(other) as beside:
        append_events(connection, LOG, stream_id, EMPTY, asked("a"))
        assert LOG.reader.read(beside, stream_id) == ()


def test_a_process_that_is_killed_while_it_writes_leaves_nothing_behind_and_holds_up_nobody(
    storage: Engine, other: Engine
) -> None:
    stream_id = new_stream(storage, LOG)
    said, says = _CHILDREN.Pipe(duplex=False)
    writer = _CHILDREN.Process(target=_write_and_wait, args=(storage.url.render_as_string(), stream_id, says))
    writer.start()
    said.recv_bytes()
    with pytest.raises(WriteLockNotAcquired):
        append(other, LOG, stream_id, EMPTY, asked("b"))
    assert writer.pid is not None
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    first = append(other, LOG, stream_id, EMPTY, asked("b"))
    with reading(storage) as connection:
        assert LOG.reader.read(connection, stream_id) == first


def test_the_lock_file_may_be_removed_and_may_be_read_only(storage: Engine) -> None:
    stream_id = new_stream(storage, LOG)
    file = Path(f"{storage.url.database}-turn")
    file.unlink()
    first = append(storage, LOG, stream_id, EMPTY, asked("a"))
    file.chmod(0o444)
    append(storage, LOG, stream_id, head_of(first), asked("b"))
    assert file.read_bytes() == b""


@pytest.mark.parametrize(
    "name", ["relative.db", "elsewhere/linked.db", "file:{}?uri=true", "file://{}?mode=rw&uri=true"]
)
def test_a_file_has_one_lock_by_any_of_its_names(
    storage: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    stream_id = new_stream(storage, LOG)
    file = Path(str(storage.url.database)).resolve()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    for link in ("relative.db", "elsewhere/linked.db"):
        Path(link).symlink_to(file)
    engine = make_engine(f"sqlite:///{name.format(file)}", IMPATIENT)
    monkeypatch.chdir("/")
    with writing(storage), pytest.raises(WriteLockNotAcquired):
        append(engine, LOG, stream_id, EMPTY, asked("a"))
    assert append(engine, LOG, stream_id, EMPTY, asked("a"))
    engine.dispose()


def test_every_user_of_the_database_can_take_the_lock(storage: Engine) -> None:
    database = Path(str(storage.url.database))
    write_lock = database.with_name(f"{database.name}-turn")
    write_lock.unlink(missing_ok=True)
    database.chmod(0o666)
    before = os.umask(0o077)
    try:
        new_stream(storage, LOG)
    finally:
        os.umask(before)
    assert write_lock.stat().st_mode & 0o777 == 0o666


def test_if_the_lock_file_can_not_be_made_nothing_is_written_and_the_database_is_busy(tmp_path: Path) -> None:
    turns = WriteLock(FileLock(tmp_path / "nowhere" / "database"), 0.05)
    for _ in range(2):
        with pytest.raises(WriteLockNotAcquired, match="No such file") as refusal, turns.hold():
            raise AssertionError
        assert classify(refusal.value) is Fault.BUSY


def _write_often(url: str, written: str) -> None:
    """Increment the number in a file and append to a stream, many times; without the lock, increments would be lost."""
    engine, file = make_engine(url, Limits(lock_seconds=60)), Path(written)
    stream_id, head = new_stream(engine, LOG), EMPTY
    for number in range(TIMES):
        with administering(engine) as connection:
            connection.exec_driver_sql(f"PRAGMA wal_autocheckpoint={PAGES_BEFORE_A_CHECKPOINT}")
            before = int(file.read_text())
            head = head_of(append_events(connection, LOG, stream_id, head, asked(str(number))))
            file.write_text(str(before + 1))
    engine.dispose()


def _write_and_wait(url: str, stream_id: bytes, says: Pipe) -> None:
    with writing(make_engine(url)) as connection:
        append_events(connection, LOG, stream_id, EMPTY, asked("a"))
        says.send_bytes(b"it is written")
        signal.pause()


def test_the_lock_is_not_taken_while_waiting_for_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[object] = []

    def take(engine: Engine) -> AbstractContextManager[None]:
        taken.append(engine)
        return nullcontext()

    monkeypatch.setattr("service.database.engines.write_lock", take)
    monkeypatch.setattr("service.play.writing.writer_connection.write_lock", take)
    engine = make_engine(f"sqlite:///{tmp_path / 'database.db'}", Limits(connections=1, lock_seconds=0.05))
    for way in (writing, administering, migrating):
        with engine.connect(), pytest.raises(PoolTimeout), way(engine):
            pass
        assert taken == []
    pen = WriterConnection(engine, Entropy())
    with engine.connect(), pytest.raises(PoolTimeout), pen.writing():
        pass
    assert taken == []
    engine.dispose()
