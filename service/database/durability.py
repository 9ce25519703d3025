"""Whether a database keeps what it has acknowledged."""

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
    "sqlite": "PRAGMA user_version = 0",  # it stands in the first page, which is written whether it changes or not
    "postgresql": "SELECT pg_logical_emit_message(true, 'chiptrail', '')",  # to nobody; it goes through the journal
}


class UnsafeDatabase(Exception):
    """The database would lose or bend what was acknowledged; the message lists every reason."""


def check_engine(engine: Engine) -> None:
    """Pass a database that keeps what it has acknowledged, through a loss of power too.

    Raises:
        UnsafeDatabase: it is not set up so.
    """
    with reading(engine) as connection:
        version = connection.dialect.server_version_info or ()
        found = {question: connection.exec_driver_sql(question).scalar_one() for question in _SAFE[engine.dialect.name]}
    reasons = [
        f"{question} says {found[question]}"
        for question, safe in _SAFE[engine.dialect.name].items()
        if found[question] not in safe
    ]
    if version < (oldest := _OLDEST[engine.dialect.name]):
        reasons.append(f"it is {engine.dialect.name} {version}, and {oldest} is the oldest that will do")
    if reasons:
        raise UnsafeDatabase("; ".join(reasons))


def durability_barrier(connection: Connection) -> None:
    """Write what changes nothing, so that this transaction's commit waits for the disk, and for a synchronous standby.

    All that it has read is then as safe as what it wrote: a commit can be read before it is safe, where whoever made
    it has died. A transaction that only reads waits for nothing.
    """
    connection.exec_driver_sql(_BARRIERS[connection.dialect.name])
