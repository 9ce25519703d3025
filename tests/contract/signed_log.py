"""A log with indexes and signed checkpoints, and changes by somebody who has the database's password."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, delete, insert, select, text, update

from service import merkle
from service.audit.findings import Finding
from service.audit.whole_log.whole_log_audit import verify_log
from service.audit.whole_log.whole_log_report import LogEvidence, LogReport
from service.database.engines import administering, reading
from service.entropy import Entropy
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY, UncommittedEvent
from service.event_store.leaf import leaf_hash
from service.event_store.log_tables import events, streams
from service.tables.fold import table_id
from service.transparency import log_signer, published, tile_rebuild
from service.transparency.log_signer import LogSigner
from service.transparency.sequencer import Sequencer
from service.transparency.tree_tables import leaf_indexes, tree_head, tree_tiles
from tests.audit.forging import DROPPINGS
from tests.event_store.streams import append, append_events, asked, head_of, make_log, new_stream

LOG: Final = make_log()
ROUNDS: Final = 4
"""In each round each of the three streams gets two leaves; then the whole log is signed."""


class SignedLog:
    """Three streams, whose leaves have indexes, under checkpoints of 6, 12, 18 and 24 leaves."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.files = folder / "log-key.txt", folder / "log-key.txt.head"
        self.signer: LogSigner = log_signer.load_or_make(*self.files, Entropy())
        self.ids = [new_stream(engine, LOG) for _ in range(3)]
        self.recorded: dict[bytes, tuple[RecordedEvent, ...]] = dict.fromkeys(self.ids, ())
        for number in range(ROUNDS):
            for stream_id in self.ids:
                self.append(stream_id, asked(f"q{number}", answers=1))
            self.keep()

    def append(self, stream_id: bytes, uncommitted: Sequence[UncommittedEvent]) -> None:
        before = self.recorded[stream_id]
        self.recorded[stream_id] += append(self.engine, LOG, stream_id, head_of(before), uncommitted)

    def keep(self) -> str | None:
        """Give all leaves an index, and publish a checkpoint."""
        sequencer = Sequencer(self.engine)
        while sequencer.round():
            pass
        return published.publish(self.engine, self.signer)

    def evidence(self) -> LogEvidence:
        return LogEvidence(key=self.signer.key.public, checkpoints=(("the last checkpoint", self.signer.last()),))

    def verified(self) -> LogReport:
        return verify_log(self.engine, self.evidence())

    def places(self, check: str) -> list[tuple[str, int]]:
        """Return the table and the position of each finding of *check*."""
        return [(one.table, one.position) for one in self.verified().findings if one.check == check]

    def at(self, index: int) -> tuple[str, int]:
        """Return the table and the position of the leaf with *index*."""
        with reading(self.engine) as connection:
            row = connection.execute(select(leaf_indexes).where(leaf_indexes.c.leaf_index == index)).one()
        return table_id(bytes(row.stream_id)), row.position

    def owner(self, *statements: str, **values: object) -> None:
        """Drop all triggers, and run *statements*, as the owner of the database can."""
        with administering(self.engine) as connection:
            for drop in connection.execute(text(DROPPINGS[self.engine.dialect.name])).scalars().all():
                connection.execute(text(drop))
            for statement in statements:
                connection.execute(text(statement), values)

    def rewrite(self, stream_id: bytes) -> None:
        """Replace the history of a stream by another valid history with the same number of leaves."""
        number = len(self.recorded[stream_id]) // 2
        self.owner(
            "DELETE FROM events WHERE stream_id = :id",
            "UPDATE streams SET head = 0, head_hash = :none WHERE stream_id = :id",
            id=stream_id,
            none=EMPTY.hash,
        )
        recorded: tuple[RecordedEvent, ...] = ()
        for each in range(number):
            name = f"q{each}" if each else "another"
            with administering(self.engine) as connection:
                recorded += append_events(connection, LOG, stream_id, head_of(recorded), asked(name, answers=1))
        self.recorded[stream_id] = recorded
        self.owner("DELETE FROM outbox")
        self.remake()

    def cut(self, size: int) -> None:
        """Remove all leaves from the index *size* on, and every trace of these leaves in other rows."""
        with reading(self.engine) as connection:
            lost = connection.execute(select(leaf_indexes).where(leaf_indexes.c.leaf_index >= size)).all()
        self.owner("DELETE FROM outbox")
        with administering(self.engine) as connection:
            for row in lost:
                of_leaf = (events.c.stream_id == row.stream_id) & (events.c.position == row.position)
                connection.execute(delete(events).where(of_leaf))
            for stream_id in self.ids:
                rows = select(events.c.position, events.c.leaf).where(events.c.stream_id == stream_id)
                last = connection.execute(rows.order_by(events.c.position.desc()).limit(1)).one()
                values = {"head": last.position, "head_hash": leaf_hash(bytes(last.leaf))}
                connection.execute(update(streams).where(streams.c.stream_id == stream_id).values(values))
            connection.execute(delete(leaf_indexes).where(leaf_indexes.c.leaf_index >= size))
        self.owner("DELETE FROM checkpoints WHERE size > :size", size=size)
        self.remake()

    def remake(self) -> None:
        """Make the leaf hashes in `leaf_indexes`, and the head and the tiles of the tree, fit the leaves."""
        remake(self.engine)


def remake(engine: Engine) -> None:
    """Compute the leaf hashes in `leaf_indexes`, and the head and the tiles of the tree, from the leaves."""
    with administering(engine) as connection:
        rows = connection.execute(
            select(leaf_indexes.c.leaf_index, leaf_indexes.c.stream_id, leaf_indexes.c.position, events.c.leaf)
            .join_from(
                leaf_indexes,
                events,
                (events.c.stream_id == leaf_indexes.c.stream_id) & (events.c.position == leaf_indexes.c.position),
            )
            .order_by(leaf_indexes.c.leaf_index)
        ).all()
        hashes = [leaf_hash(bytes(row.leaf)) for row in rows]
        connection.execute(delete(leaf_indexes))
        connection.execute(
            insert(leaf_indexes),
            [
                {
                    "leaf_index": row.leaf_index,
                    "stream_id": row.stream_id,
                    "position": row.position,
                    "leaf_hash": one,
                }
                for row, one in zip(rows, hashes, strict=True)
            ],
        )
        connection.execute(update(tree_head).values(size=len(hashes), root=merkle.root(hashes)))
        connection.execute(delete(tree_tiles))
    tile_rebuild.rebuild_tiles(engine)


def checks(findings: Sequence[Finding]) -> set[str]:
    return {one.check for one in findings}
