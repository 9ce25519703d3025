"""Durability: checks that a database keeps acknowledged commits, and makes readers wait until a commit is durable."""

# DECISIONS 73

from typing import Final

from sqlalchemy import Connection, Engine

from service.database.engines import reading

_OLDEST: Final[dict[str, tuple[int, ...]]] = {
    "sqlite": (3, 37),  # the first with STRICT
    "postgresql": (13,),
}
_SAFE: Final[dict[str, dict[str, set[str | int]]]] = {
    "sqlite": {
        "PRAGMA journal_mode": {"wal"},
        "PRAGMA synchronous": {2, 3},  # FULL or EXTRA: NORMAL loses acknowledged commits at power loss
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
    "sqlite": "PRAGMA user_version = 0",  # SQLite writes the first page even if the value stays the same
    "postgresql": "SELECT pg_logical_emit_message(true, 'chiptrail', '')",  # a WAL record without a reader
}


class UnsafeDatabase(Exception):
    """The database could lose or alter acknowledged commits; the message lists every reason."""


def check_engine(engine: Engine) -> None:
    """Pass a database whose settings keep acknowledged commits, even if power fails.

    Raises:
        UnsafeDatabase: a setting does not.
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
    """Write something that changes nothing, so that the commit waits for the disk, and for a synchronous standby.

    After the commit, everything that the transaction read is durable, too. Without the barrier a transaction that only
    reads waits for nothing, and can read a commit that is not durable yet, because the process that made it has died.
    """
    connection.exec_driver_sql(_BARRIERS[connection.dialect.name])
