"""Each leaf that is recorded here gets one index, and the tree proves it, whatever is killed or runs meanwhile."""

import random
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, delete, event, insert, select, text

from service import merkle
from service.database.engines import administering, reading
from service.event_store.codec import RecordedEvent
from service.event_store.entries import EMPTY
from service.event_store.log_tables import events, outbox
from service.transparency import published, sequencer, tile_rebuild, tree
from service.transparency.sequencer import Sequencer
from service.transparency.tree import TreeDamaged, TreeHead
from service.transparency.tree_tables import leaf_indexes, tree_tiles
from tests.contract.service_logs import as_owner
from tests.event_store.streams import append, append_events, asked, head_of, make_log, new_stream

LOG = make_log()


def indexes(engine: Engine) -> list[tuple[int, bytes, int, bytes]]:
    with reading(engine) as connection:
        rows = connection.execute(select(leaf_indexes).order_by(leaf_indexes.c.leaf_index))
        return [(row.leaf_index, bytes(row.stream_id), row.position, bytes(row.leaf_hash)) for row in rows]


def head(engine: Engine) -> TreeHead:
    with reading(engine) as connection:
        return tree.head(connection)


def is_outbox_empty(engine: Engine) -> bool:
    with reading(engine) as connection:
        return connection.execute(select(outbox)).first() is None


def run_to_end(engine: Engine, most_leaves: int = sequencer.MOST_LEAVES) -> None:
    rounds = Sequencer(engine, most_leaves=most_leaves)
    while rounds.round():
        pass


def must_be_one_tree(engine: Engine, streams: dict[bytes, Sequence[RecordedEvent]]) -> None:
    """Check that exactly the leaves of *streams* have indexes, in order, and that head, outbox and some proofs fit."""
    found = indexes(engine)
    assert [index for index, *_ in found] == list(range(len(found)))
    for stream_id, recorded in streams.items():
        own = [(position, leaf_hash) for _, stream, position, leaf_hash in found if stream == stream_id]
        assert own == [(one.position, one.hash) for one in recorded]
    assert len(found) == sum(map(len, streams.values()))
    hashes = [leaf_hash for *_, leaf_hash in found]
    assert head(engine) == TreeHead(len(hashes), merkle.root(hashes))
    assert is_outbox_empty(engine)
    with reading(engine) as connection:
        for index, leaf_hash in random.Random(len(hashes)).sample(list(enumerate(hashes)), min(20, len(hashes))):
            size = random.Random(index).randint(index + 1, len(hashes))
            root = merkle.root(hashes[:size])
            assert merkle.is_included(leaf_hash, index, size, tree.inclusion_proof(connection, index, size), root)
            proof = tree.consistency_proof(connection, size, len(hashes))
            assert merkle.is_consistent(size, root, len(hashes), merkle.root(hashes), proof)


def test_an_empty_log_has_the_empty_tree(storage: Engine) -> None:
    assert Sequencer(storage).round() == 0
    assert head(storage) == TreeHead(0, merkle.EMPTY_ROOT)


@pytest.mark.parametrize("most_leaves", [1, 3, 1_000])
def test_every_leaf_gets_one_index_and_the_indexes_of_a_stream_rise(storage: Engine, most_leaves: int) -> None:
    ids = [new_stream(storage, LOG) for _ in range(3)]
    streams: dict[bytes, tuple[RecordedEvent, ...]] = dict.fromkeys(ids, ())
    for number in range(6):
        stream_id = ids[number % 3]
        before = streams[stream_id]
        streams[stream_id] += append(storage, LOG, stream_id, head_of(before), asked(f"q{number}", answers=number))
        if number % 2:
            run_to_end(storage, most_leaves)
    run_to_end(storage, most_leaves)
    must_be_one_tree(storage, dict(streams))


def test_a_tree_of_more_than_one_tile_is_proved(storage: Engine) -> None:
    stream_id = new_stream(storage, LOG)
    recorded: tuple[RecordedEvent, ...] = ()
    for number in range(6):
        recorded += append(storage, LOG, stream_id, head_of(recorded), asked(f"q{number}", answers=120))
        run_to_end(storage, 130)
    must_be_one_tree(storage, {stream_id: recorded})


def test_two_sequencers_at_once_give_each_leaf_one_index(storage: Engine) -> None:
    streams = {}
    for _ in range(4):
        stream_id = new_stream(storage, LOG)
        streams[stream_id] = append(storage, LOG, stream_id, EMPTY, asked("a", answers=20))
    together = Barrier(2)

    def work() -> None:
        together.wait()
        run_to_end(storage, 7)

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(work) for _ in range(2)]:
            done.result()
    run_to_end(storage)
    must_be_one_tree(storage, dict(streams))


@pytest.mark.parametrize("step", ["_write_indexes", "write_tiles", "_empty_outbox"])
def test_a_round_that_ends_between_its_steps_leaves_nothing_behind(
    storage: Engine, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    stream_id = new_stream(storage, LOG)
    recorded = append(storage, LOG, stream_id, EMPTY, asked("a", answers=3))

    def fail(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patched:
        patched.setattr(tree if step == "write_tiles" else sequencer, step, fail)
        with pytest.raises(InterruptedError):
            Sequencer(storage).round()
    assert indexes(storage) == []
    assert head(storage) == TreeHead(0, merkle.EMPTY_ROOT)
    run_to_end(storage)
    must_be_one_tree(storage, {stream_id: recorded})


def test_leaves_of_a_command_that_is_not_committed_get_no_index(storage: Engine) -> None:
    stream_id = new_stream(storage, LOG)
    recorded = append(storage, LOG, stream_id, EMPTY, asked("a"))
    with suppress(InterruptedError), administering(storage) as connection:
        append_events(connection, LOG, stream_id, head_of(recorded), asked("b"))
        raise InterruptedError
    run_to_end(storage)
    must_be_one_tree(storage, {stream_id: recorded})


@pytest.mark.parametrize("lost", ["an event", "the streams of many rows"])
def test_a_damaged_stream_does_not_keep_the_others_waiting(storage: Engine, lost: str) -> None:
    damaged, sound = sorted(new_stream(storage, LOG) for _ in range(2))
    append(storage, LOG, damaged, EMPTY, asked("a", answers=20))
    recorded = append(storage, LOG, sound, EMPTY, asked("b", answers=3))
    as_owner(storage)
    with administering(storage) as connection:
        if lost == "an event":
            connection.execute(delete(events).where(events.c.stream_id == damaged, events.c.position == 3))
        else:
            connection.execute(insert(outbox), [{"stream_id": bytes([0] * 15 + [n]), "position": 1} for n in range(9)])
    run_to_end(storage, most_leaves=5)
    done = [(position, leaf_hash) for _, stream, position, leaf_hash in indexes(storage) if stream == sound]
    assert done == [(one.position, one.hash) for one in recorded]
    assert len(indexes(storage)) == len(recorded) + (2 if lost == "an event" else 21)


def test_an_imported_stream_gets_no_index(storage: Engine) -> None:
    own, imported = new_stream(storage, LOG), bytes(16)
    recorded = append(storage, LOG, own, EMPTY, asked("a", answers=2))
    with administering(storage) as connection:
        LOG.begin_import(connection, imported, "2026-11-23T00:00:00.000Z")
        LOG.append_imported(connection, imported, LOG.entry(imported, EMPTY, asked("b")).recorded)
        LOG.end_import(connection, imported)
    run_to_end(storage)
    must_be_one_tree(storage, {own: recorded})


def test_the_tiles_are_computed_again_from_the_indexes(storage: Engine) -> None:
    stream_id = new_stream(storage, LOG)
    recorded = append(storage, LOG, stream_id, EMPTY, asked("a", answers=300))
    run_to_end(storage)
    with administering(storage) as connection:
        connection.execute(delete(tree_tiles))
    with reading(storage) as connection, pytest.raises(TreeDamaged):
        tree.inclusion_proof(connection, 0, 301)
    assert tile_rebuild.rebuild_tiles(storage) == 3
    must_be_one_tree(storage, {stream_id: recorded})


def plan_of(connection: Connection, statement: str, parameters: Any) -> str:  # noqa: ANN401 -- the driver's own
    explain = "EXPLAIN" if connection.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
    return "\n".join(str(row[-1]) for row in connection.exec_driver_sql(f"{explain} {statement}", parameters))


def test_no_round_and_no_proof_scans_a_table(storage: Engine) -> None:
    stream_id = new_stream(storage, LOG)
    append(storage, LOG, stream_id, EMPTY, asked("a", answers=300))
    statements: dict[str, Any] = {}

    @event.listens_for(storage, "before_cursor_execute")
    def collect(_c: object, _cursor: object, statement: str, parameters: Any, _x: object, many: bool) -> None:  # noqa: ANN401, FBT001 -- SQLAlchemy calls it
        if statement.startswith(("SELECT", "UPDATE", "DELETE")):
            statements[statement] = parameters[0] if many else parameters

    assert Sequencer(storage).round() == 301
    with reading(storage) as connection:
        tree.consistency_proof(connection, 200, tree.head(connection).size)
        assert tree.indexed(connection, stream_id, 300)
        tree.inclusion_proof(connection, 299, 301)
        tree.tile(connection, 0, 1, 45)
        tree.number_of_leaves(connection)
        published.newest(connection, "origin")
    event.remove(storage, "before_cursor_execute", collect)
    assert len(statements) >= 8
    with reading(storage) as connection:
        plans = {each: plan_of(connection, each, parameters) for each, parameters in statements.items()}
    scans = re.compile(r"Seq Scan|SCAN (events|leaf_indexes|tree_tiles|tree_head|checkpoints)\b(?! USING)")
    assert {each: plan for each, plan in plans.items() if scans.search(plan)} == {}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE leaf_indexes SET position = 9",
        "DELETE FROM leaf_indexes",
        "UPDATE tree_head SET size = 0",
        "UPDATE tree_head SET size = size",
    ],
)
def test_the_database_refuses_to_change_an_index_or_to_shrink_the_tree(storage: Engine, statement: str) -> None:
    stream_id = new_stream(storage, LOG)
    recorded = append(storage, LOG, stream_id, EMPTY, asked("a"))
    run_to_end(storage)
    with pytest.raises(Exception, match=r"only_grows|only grows"), administering(storage) as connection:
        connection.execute(text(statement))
    must_be_one_tree(storage, {stream_id: recorded})
