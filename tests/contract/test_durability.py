"""The durability barrier: a commit that changes no data, and waits until all earlier commits are durable."""

from pathlib import Path

from sqlalchemy import Engine

from service.database.durability import durability_barrier
from service.database.engines import administering, reading


def wal_bytes_on_disk(engine: Engine) -> int:
    """Return the size of the database's write-ahead log on the disk, in bytes."""
    if engine.dialect.name == "sqlite":
        return Path(f"{engine.url.database}-wal").stat().st_size
    with reading(engine) as connection:
        flushed = "SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint"
        return int(connection.exec_driver_sql(flushed).scalar_one())


def wal_bytes_written(engine: Engine) -> int:
    """Return the size of PostgreSQL's write-ahead log in bytes, including the part that is not on the disk yet."""
    with reading(engine) as connection:
        return int(
            connection.exec_driver_sql("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint").scalar_one()
        )


def test_a_commit_that_did_not_wait_is_on_the_disk_after_the_barrier(storage: Engine) -> None:
    with administering(storage) as connection:
        if storage.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
        connection.exec_driver_sql("CREATE TABLE another (number integer)")
    before = wal_bytes_on_disk(storage) if storage.dialect.name == "sqlite" else wal_bytes_written(storage)
    with administering(storage) as connection:
        durability_barrier(connection)
    if storage.dialect.name == "sqlite":
        assert wal_bytes_on_disk(storage) > before, "a commit of nothing would not be synced"
    else:
        assert wal_bytes_on_disk(storage) >= before


def test_the_barrier_writes_each_time_but_a_transaction_that_only_reads_does_not_write(storage: Engine) -> None:
    with administering(storage) as connection:
        durability_barrier(connection)
    at = wal_bytes_on_disk(storage)
    with administering(storage) as connection:
        connection.exec_driver_sql("SELECT count(*) FROM keys")
    if storage.dialect.name == "sqlite":  # other sessions may write to a server's log
        assert wal_bytes_on_disk(storage) == at
    with administering(storage) as connection:
        durability_barrier(connection)
    assert wal_bytes_on_disk(storage) > at
