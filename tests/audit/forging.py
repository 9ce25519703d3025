"""Forges a database as an administrator who has the database's password, but not the service key."""

import random
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from sqlalchemy import Engine, Table as SqlTable, delete, insert, select, text, update

from service.audit.database_report import Report
from service.audit.findings import Finding
from service.audit.log_audit import verify
from service.canonical import canonical
from service.database import schema_check
from service.database.engines import administering, make_engine, reading
from service.entropy import Entropy
from service.event_store import leaf
from service.event_store.codec import Codec
from service.event_store.log_tables import command_column, events, sealed, streams
from service.games import EVENTS
from service.projections.projection_tables import hands, seats, tables, transfers
from service.tables.fold import table_id
from tests.play.tables import House, Table, play_on

Leaf = dict[str, Any]

CODEC = Codec(EVENTS)
DROPPINGS = {
    "sqlite": "SELECT 'DROP TRIGGER ' || name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": """
        SELECT 'DROP TRIGGER ' || tgname || ' ON ' || tgrelid::regclass FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL
        SELECT 'ALTER TABLE sealed DROP CONSTRAINT ' || conname FROM pg_constraint
        WHERE conrelid = 'sealed'::regclass AND contype = 'f'""",
}
ALL_TABLES: tuple[SqlTable, ...] = (streams, events, sealed, transfers, tables, seats, hands)
FINISHED, LIVE = (number.to_bytes(16, "big") for number in (1, 2))
"""Two tables: one has a finished game; the other is in the middle of a hand, after a hand from the same deck."""


class SeededEntropy(Entropy):
    """Entropy with the same values in every run."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def secret(self) -> bytes:
        return self._chance.randbytes(32)

    def nonce(self) -> bytes:
        return self._chance.randbytes(12)

    def now(self) -> str:
        return "2026-01-01T00:00:00.000Z"


@cache
def played() -> dict[str, list[dict[str, Any]]]:
    """Return every row of a database with two tables, which are played once in each process of the tests."""
    with TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{Path(folder) / 'played.db'}")
        schema_check.migrate(engine)
        play_on(Table(House(engine, SeededEntropy(30)), 1).started(3, buy_in=12), random.Random(30))
        play_on(Table(House(engine, SeededEntropy(29)), 2).started(4, buy_in=40), random.Random(29), most=39)
        with reading(engine) as connection:
            rows = {
                table.name: [dict(row) for row in connection.execute(select(table)).mappings()] for table in ALL_TABLES
            }
        engine.dispose()
    return rows


class Forger:
    """Fills a database with the two played tables, drops its triggers, and changes rows for a test."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.house = House(engine)
        if engine.dialect.name == "sqlite":
            driver = engine.raw_connection()  # the pool reuses this connection, so the PRAGMA stays
            driver.cursor().execute("PRAGMA foreign_keys=OFF")
            driver.close()
        with administering(engine) as connection:
            for dropping in connection.execute(text(DROPPINGS[engine.dialect.name])).scalars().all():
                connection.execute(text(dropping))
            for table in ALL_TABLES:
                connection.execute(insert(table), played()[table.name])

    def sql(self, statement: str, *, id: bytes = FINISHED, **values: object) -> None:  # noqa: A002  # SQL has this name.
        """Run *statement*; it must change exactly one row."""
        with administering(self.engine) as connection:
            assert connection.execute(text(statement), {"id": id, **values}).rowcount == 1

    def leaves(self, stream_id: bytes = FINISHED) -> dict[int, Leaf]:
        """Return the leaves of a stream by position, decoded from JSON."""
        with reading(self.engine) as connection:
            rows = connection.execute(select(events).where(events.c.stream_id == stream_id)).all()
        return {row.position: msgspec.json.decode(row.leaf) for row in sorted(rows, key=lambda row: row.position)}

    def position_of(self, kind: str, number: int = 0, stream_id: bytes = FINISHED) -> int:
        """Return the position of the event *number* of a *kind*; 0 is the first event of the kind, and -1 the last."""
        return [position for position, one in self.leaves(stream_id).items() if one["type"] == kind][number]

    def alter(self, position: int, change: Callable[[Leaf], object], stream_id: bytes = FINISHED) -> None:
        """Change one leaf; leave all hashes unchanged."""
        content = self.leaves(stream_id)[position]
        change(content)
        self.sql(
            "UPDATE events SET leaf = :leaf WHERE stream_id = :id AND position = :position",
            id=stream_id,
            position=position,
            leaf=canonical(content),
        )

    def rechain(self, leaves: Iterable[Leaf], stream_id: bytes = FINISHED) -> None:
        """Replace a stream by *leaves*, with new positions and a valid hash chain, and update the head row.

        Sealed values stay at their old positions: without the service key nobody can seal them for other positions.
        """
        rows = []
        prev = leaf.NO_HASH
        for position, content in enumerate(leaves, start=1):
            data = canonical(content | {"prev": prev, "position": position})
            prev = leaf.leaf_hash(data).hex()
            cmd = command_column(content.get("cmd", ""))
            rows.append({"stream_id": stream_id, "position": position, "leaf": data, "cmd": cmd})
        with administering(self.engine) as connection:
            connection.execute(delete(events).where(events.c.stream_id == stream_id))
            connection.execute(insert(events), rows)
            head = {"head": len(rows), "head_hash": bytes.fromhex(prev)}
            connection.execute(update(streams).where(streams.c.stream_id == stream_id).values(head))

    def forge(self, position: int, change: Callable[[Leaf], object], stream_id: bytes = FINISHED) -> None:
        """Change one leaf, and make the hash chain and the head row valid again."""
        leaves = self.leaves(stream_id)
        change(leaves[position])
        self.rechain(leaves.values(), stream_id)

    def verify(self) -> Report:
        """Return the audit's report."""
        return verify(self.engine, self.house.log, CODEC)

    def findings(self) -> tuple[Finding, ...]:
        """Return the audit's findings; the report must have failed."""
        report = self.verify()
        assert report.has_failed
        return report.findings


def of(findings: Iterable[Finding], check: str) -> Finding:
    """Return the first of *findings* with this *check*."""
    return next(finding for finding in findings if finding.check == check)


def name(stream_id: bytes) -> str:
    """Return the table's id as the API shows it."""
    return table_id(stream_id)
