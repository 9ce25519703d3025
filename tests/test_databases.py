import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from service.database.engines import administering, writing
from tests import databases, postgres, seeds
from tests.databases import touches_one_stream


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT leaf FROM events WHERE stream_id = ? AND position > ?",
        "SELECT leaf FROM events WHERE position > %(after)s AND events.stream_id = %(stream_id)s::BYTEA",
        "SELECT 1 FROM events WHERE stream_id = ? UNION ALL SELECT 2 FROM events WHERE stream_id = ?",
        "UPDATE streams SET head = ?\n WHERE streams.stream_id = ?",
        "UPDATE streams SET head = %s WHERE stream_id = %s",
        "DELETE FROM seats WHERE seats.stream_id = :stream_id AND seats.seat = :seat",
        "INSERT INTO events (stream_id, position) VALUES (?, ?), (?, ?)",
        "SAVEPOINT sa_savepoint_1",
        "BEGIN IMMEDIATE",
    ],
)
def test_a_statement_of_one_stream_passes_the_guard(statement: str) -> None:
    assert touches_one_stream(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT leaf FROM events",
        "SELECT stream_id FROM events WHERE position = ?",
        "SELECT leaf FROM events WHERE stream_id <> ?",
        "SELECT leaf FROM events JOIN streams ON events.stream_id = streams.stream_id",
        "SELECT 1 FROM events WHERE stream_id = ? UNION ALL SELECT 2 FROM events",
        "UPDATE streams SET stream_id = stream_id",
        "DELETE FROM seats WHERE seat = ?",
        "INSERT INTO events (position, stream_id) VALUES (?, ?)",
        "INSERT INTO events SELECT * FROM events",
        "SHOW lock_timeout",
    ],
)
def test_a_statement_of_any_stream_does_not_pass_the_guard(statement: str) -> None:
    assert not touches_one_stream(statement)


def test_the_guard_checks_commands_alone(engine: Engine) -> None:
    with writing(engine) as connection, pytest.raises(AssertionError, match="must touch one stream"):
        connection.execute(text("SELECT head FROM streams"))
    with administering(engine) as connection:
        assert connection.execute(text("SELECT head FROM streams")).all() == []


def test_storage_is_tested_on_one_version_of_postgresql_and_each_version_has_its_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(databases, "all_kinds", lambda: ["sqlite", "postgresql-15", "postgresql-18", databases.SPREAD])
    chosen = set()
    for seed in range(20):
        monkeypatch.setenv(seeds.VARIABLE, str(seed))
        databases.version_of_run.cache_clear()
        kept = [kind for kind in databases.all_kinds() if not databases._is_of_other_version(kind)]
        assert (kept[0], kept[-1]) == ("sqlite", databases.SPREAD)
        chosen |= {*kept[1:-1]}
        assert len(kept) == 3
    databases.version_of_run.cache_clear()
    assert chosen == {"postgresql-15", "postgresql-18"}


def test_the_folders_of_killed_servers_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        gone = process.pid
    data = tmp_path / "run" / "15" / "data"
    data.mkdir(parents=True)
    (data / "postmaster.pid").write_text(f"{gone}\n{data}\n")
    (data.parent / "programs").write_text("/nowhere")
    postgres.remove_shared_folder(tmp_path / "run")
    assert not (tmp_path / "run").exists()
