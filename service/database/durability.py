"""Durability: checks that a database keeps acknowledged commits; lets a reader wait until what it read is durable."""

# DECISIONS 73

from typing import Final

from sqlalchemy import Connection, Engine

from service.database.engines import reading

_OLDEST: Final[dict[str, tuple[int, ...]]] = {
    "sqlite": (3, 37),  # the first version with STRICT tables
    "postgresql": (13,),
}
_SAFE: Final[dict[str, dict[str, set[str | int]]]] = {
    "sqlite": {
        "PRAGMA journal_mode": {"wal"},
        "PRAGMA synchronous": {2, 3},  # FULL or EXTRA; with NORMAL a power failure can lose acknowledged commits
        "PRAGMA foreign_keys": {1},
    },
    "postgresql": {
        "SHOW fsync": {"on"},
        "SHOW full_page_writes": {"on"},
        "SHOW synchronous_commit": {"on", "local", "remote_write", "remote_apply"},
        "SHOW default_transaction_isolation": {"read committed"},
        "SHOW server_encoding": {"UTF8"},
    },
}


_BARRIERS: Final = {
    "sqlite": "PRAGMA user_version = 0",  # SQLite writes the first page even if the value does not change
    "postgresql": "SELECT pg_logical_emit_message(true, 'chiptrail', '')",  # Nobody reads this WAL record.
}


class UnsafeDatabase(Exception):
    """The database could lose or alter acknowledged commits; the message lists every reason."""


def check_engine(engine: Engine) -> None:
    """Check that the version and the settings of the database keep acknowledged commits safe, even if power fails.

    Raises:
        UnsafeDatabase: the version is too old, or a setting is not safe.
    """
    with reading(engine) as connection:
        version = connection.dialect.server_version_info or ()
        found = {question: connection.exec_driver_sql(question).scalar_one() for question in _SAFE[engine.dialect.name]}
    reasons = [
        f"{question} returns {found[question]}"
        for question, safe in _SAFE[engine.dialect.name].items()
        if found[question] not in safe
    ]
    if version < (oldest := _OLDEST[engine.dialect.name]):
        reasons.append(f"it is {engine.dialect.name} {version}, and the oldest supported version is {oldest}")
    if reasons:
        raise UnsafeDatabase("; ".join(reasons))


def durability_barrier(connection: Connection) -> None:
    """Write a record that changes no data, so that COMMIT waits for the disk, and for a synchronous standby.

    After COMMIT, everything that the transaction read is durable, too. A transaction that only reads does not wait for
    the disk. If a process died while its COMMIT waited for the disk or the standby, a transaction that only reads could
    return events that are not durable yet.
    """
    connection.exec_driver_sql(_BARRIERS[connection.dialect.name])
