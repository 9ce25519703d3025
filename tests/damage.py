"""Alters stored data under a running service without the triggers, as someone with the database's password could."""

from sqlalchemy import Connection, Engine, text

from service.database.engines import administering, reading
from tests.http.service import Service

TRIGGERS = {
    "sqlite": "SELECT 'DROP TRIGGER ' || name, sql FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": """
        SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname),
        format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', tgrelid::regclass, tgname)
        FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'A'""",
}
ALTER = "UPDATE events SET leaf = :leaf WHERE stream_id = :stream_id AND position = :position"
DROP = "DELETE FROM events WHERE stream_id = :stream_id AND position = :position"
BEHEAD = "UPDATE streams SET head_hash = :leaf WHERE stream_id = :stream_id AND head >= :position"
LOSE_HEAD = "DELETE FROM streams WHERE stream_id = :stream_id"


def alter(engine: Engine, statement: str, **values: object) -> None:
    """Run *statement*, which must change exactly one row, with all triggers off."""
    with administering(engine) as connection:
        triggers = connection.execute(text(TRIGGERS[engine.dialect.name])).all()
        _run(connection, [off for off, _ in triggers])
        assert connection.execute(text(statement), values).rowcount == 1
        _run(connection, [on for _, on in triggers])


def damage(service: Service, table: str, position: int, statement: str = ALTER, leaf: bytes | None = None) -> None:
    """Run *statement* for the event at *position* of *table*; `:leaf` is *leaf*, or the old leaf with another year."""
    stream_id = bytes.fromhex(table.removeprefix("tbl_"))
    with reading(service.parts.engine) as connection:
        where = {"stream_id": stream_id, "position": position}
        was = bytes(connection.execute(text(_LEAF), where).scalar_one())
    alter(service.parts.engine, statement, **where, **({"leaf": leaf or flipped(was)} if ":leaf" in statement else {}))


def lose_head(service: Service, table: str) -> None:
    """Delete only the head row of the table with the id *table*."""
    alter(service.parts.engine, LOSE_HEAD, stream_id=bytes.fromhex(table.removeprefix("tbl_")))


def forget(service: Service) -> None:
    """Empty the cache of tables, as after a restart."""
    service.parts.tables._tables.clear()


def flipped(leaf: bytes) -> bytes:
    """Return *leaf* with one byte of its year changed; the new leaf can still be read."""
    year = leaf.index(b'"at":"') + len('"at":"')
    return leaf[:year] + b"1" + leaf[year + 1 :]


def _run(connection: Connection, statements: list[str]) -> None:
    for statement in statements:
        connection.exec_driver_sql(statement)


_LEAF = "SELECT leaf FROM events WHERE stream_id = :stream_id AND position = :position"
