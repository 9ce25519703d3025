"""The database of a simulated process: at each statement and commit, another task may run, and a fault may occur."""

# ruff: noqa: ANN401 -- drivers, cursors and values may have any type

import sqlite3
from random import Random
from typing import Any

import psycopg
from sqlalchemy import Engine, event

from service.database import engines
from tests.faults.simulator.scheduler import Lock, Task, current

COMMITS_ITSELF = "WITH advanced AS "
BEFORE, AFTER = "before it took effect", "after it took effect"
_SQLITE = {"BUSY": sqlite3.SQLITE_BUSY, "IOERR": sqlite3.SQLITE_IOERR, "FULL": sqlite3.SQLITE_FULL}
_POSTGRESQL: tuple[type[psycopg.Error], ...] = (
    psycopg.errors.QueryCanceled,
    psycopg.errors.LockNotAvailable,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.DiskFull,
    psycopg.errors.AdminShutdown,
)


class Faults:
    """The probabilities that a *statement* and a *commit* fail; `seen` counts faults, races and batches by name."""

    def __init__(self, chance: Random, statement: float, commit: float) -> None:
        self.chance = chance
        self.statement = statement
        self.commit = commit
        self.is_on = False
        self.seen: dict[str, int] = {}

    def strikes(self, how_often: float) -> bool:
        task = current()
        return self.is_on and task is not None and not task.is_killed and self.chance.random() < how_often

    def note(self, what: str) -> None:
        self.seen[what] = self.seen.get(what, 0) + 1


class Rows:
    """The locks of running transactions: on streams, or on SQLite's whole file."""

    def __init__(self) -> None:
        self._held: dict[object, Task] = {}

    def take(self, what: object) -> None:
        task = current()
        if task is None:
            return
        while not self._is_free(what, task):
            task.hand_over(lambda: self._is_free(what, task))
        self._held[what] = task
        task.locks.add(what)

    def _is_free(self, what: object, task: Task) -> bool:
        holder = self._held.get(what, task)
        return holder is task or what not in holder.locks

    def leave(self) -> None:
        if task := current():
            task.locks.clear()


class _Free:
    """Replaces the file lock between processes: `Rows` already locks SQLite's file at the start of a transaction."""

    def acquire(self, _seconds: float) -> bool:
        return True

    def release(self) -> None:
        pass


def watch(engine: Engine, faults: Faults, rows: Rows) -> None:
    """Switch between tasks at each statement on *engine* and around each commit, and inject *faults* there."""
    if engine in engines._WRITE_LOCKS:
        engines._WRITE_LOCKS[engine]._threads = Lock()  # type: ignore[assignment]  # It has the methods that are used.
        engines._WRITE_LOCKS[engine]._file = _Free()  # type: ignore[assignment]  # It has the methods that are used.

    def statement(cursor: Any, text: str, parameters: Any = (), _context: object = None) -> None:
        task = current()
        if task is None or task.is_killed:
            return
        if text == "BEGIN IMMEDIATE":
            rows.leave()
            rows.take("the file")
        elif text.startswith(("UPDATE streams", "INSERT INTO streams")) and engine.dialect.name == "postgresql":
            rows.take(bytes(next(one for one in parameters if isinstance(one, bytes) and len(one) == 16)))
        task.hand_over()
        if text.startswith(COMMITS_ITSELF) and faults.strikes(faults.commit):
            if after := faults.chance.random() < 0.5:
                cursor.execute(text, parameters)
            faults.note(f"a commit failed {AFTER if after else BEFORE}")
            cursor.connection.close()
            raise psycopg.OperationalError("the connection was lost")
        if not text.startswith(("PRAGMA", "ROLLBACK")) and faults.strikes(faults.statement):
            _fail(cursor.connection, engine, faults)

    def plain(cursor: Any, text: str, context: object) -> None:
        statement(cursor, text, (), context)

    def executed(
        _connection: object,
        cursor: sqlite3.Cursor,
        text: str,
        values: Any,
        _context: object,
        _many: object,
    ) -> None:
        if text.startswith(("WITH new ", COMMITS_ITSELF)) and _commands(values) > 1:
            faults.note("commands were recorded together")
        if text.startswith("UPDATE streams") and cursor.rowcount == 0:
            faults.note("a race for a position was lost")
        if text.startswith(COMMITS_ITSELF) and (task := current()):
            task.hand_over()

    event.listen(engine, "after_cursor_execute", executed)
    event.listen(engine, "do_execute", statement)
    event.listen(engine, "do_executemany", statement)
    event.listen(engine, "do_execute_no_params", plain)
    if engine.dialect.name == "postgresql":
        event.listen(engine, "begin", lambda _connection: rows.leave())
    _watch_commits(engine, faults, rows)


def _watch_commits(engine: Engine, faults: Faults, rows: Rows) -> None:
    commits, rolls_back = engine.dialect.do_commit, engine.dialect.do_rollback

    def commit(driver: Any) -> None:
        if task := current():
            task.hand_over()
        if faults.strikes(faults.commit):
            faults.note(f"a commit failed {BEFORE}")
            rows.leave()  # the connection is closed at once
            raise _error(engine, faults.chance)
        commits(driver)
        rows.leave()
        if task := current():
            task.hand_over()
        if faults.strikes(faults.commit):
            faults.note(f"a commit failed {AFTER}")
            raise _error(engine, faults.chance)

    def roll_back(driver: Any) -> None:
        rolls_back(driver)
        rows.leave()

    engine.dialect.do_commit = commit  # type: ignore[method-assign, assignment]
    engine.dialect.do_rollback = roll_back  # type: ignore[method-assign, assignment]


def _commands(values: Any) -> int:
    """Return how many commands the statement with these *values* records."""
    return len(values[0]) if isinstance(values[0], list) else len(values) // 5


def _fail(driver: Any, engine: Engine, faults: Faults) -> None:
    if engine.dialect.name == "postgresql" and faults.chance.random() < 0.2:
        faults.note("a connection was lost")
        driver.close()
        raise psycopg.OperationalError("the connection was lost")
    faults.note("a statement failed")
    raise _error(engine, faults.chance)


def _error(engine: Engine, chance: Random) -> Exception:
    if engine.dialect.name == "postgresql":
        return chance.choice(_POSTGRESQL)("injected")
    name = chance.choice(sorted(_SQLITE))
    error = sqlite3.OperationalError(f"injected: {name}")
    error.sqlite_errorcode = _SQLITE[name]
    error.sqlite_errorname = f"SQLITE_{name}"
    return error
