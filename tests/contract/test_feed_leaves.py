"""The leaves of a feed are found without a scan of the whole log; the readers of a feed notice new leaves."""

import os
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, insert

from service.database.engines import administering, reading
from service.http.operations import waiting_heads
from service.http.operations.waiting_heads import WaitingHeads
from service.projections import feed_leaves
from service.projections.feed_leaves import ALL_TABLES, FeedLeaf
from service.projections.projection_tables import seats, tables
from service.transparency import tree
from service.transparency.sequencer import Sequencer
from tests import databases
from tests.damage import alter
from tests.event_store.streams import append, asked, head_of, make_log, new_stream

LOG = make_log()
ANN, BEN, EVE = (f"own_{letter * 32}" for letter in "abe")
INVITED = 1_001
"""A value of the column `seat` that stands for an invitation."""


class Tables:
    """Streams of tables, with their rows in the projections; each append gives the new leaves their indexes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._heads: dict[bytes, Any] = {}
        self.leaves: list[FeedLeaf] = []

    def open(self, host: str, **players: int) -> bytes:
        """Open a table of *host*; *players* gives the value of the column `seat` for each player."""
        stream_id = new_stream(self._engine, LOG)
        row = dict.fromkeys(("game", "status", "visibility", "opened_at"), "x")
        numbers = dict.fromkeys(("edition", "seats", "seats_taken", "time_limit_seconds"), 0)
        with administering(self._engine) as connection:
            connection.execute(insert(tables).values(stream_id=stream_id, host=host, **row, **numbers))
            for player, seat in players.items():
                connection.execute(insert(seats).values(stream_id=stream_id, seat=seat, player=player))
        return stream_id

    def append(self, stream_id: bytes, many: int = 1) -> None:
        recorded = append(
            self._engine, LOG, stream_id, self._heads.get(stream_id, head_of(())), asked(os.urandom(8).hex(), many - 1)
        )
        self._heads[stream_id] = head_of(recorded)
        while Sequencer(self._engine).round():
            pass
        self.leaves += [FeedLeaf(len(self.leaves) + at, stream_id, one.position) for at, one in enumerate(recorded)]

    def of(self, *streams: bytes) -> list[FeedLeaf]:
        return [leaf for leaf in self.leaves if leaf.stream_id in streams]


def between(engine: Engine, feed: str, first: int = 0, end: int = 10**6, most: int = 10**6) -> Sequence[FeedLeaf]:
    with reading(engine) as connection:
        return feed_leaves.between(connection, feed, first, end, most)


def test_a_feed_has_the_tables_that_its_owner_hosts_sits_at_or_is_invited_to(storage: Engine) -> None:
    made = Tables(storage)
    hosted, sat_at, invited_to = made.open(ANN), made.open(BEN, **{ANN: 2}), made.open(BEN, **{ANN: INVITED})
    elsewhere, none = made.open(BEN, **{EVE: 1}), new_stream(storage, LOG)
    for stream_id in (hosted, elsewhere, none, sat_at, hosted, invited_to, none, elsewhere, hosted):
        made.append(stream_id, 2)
    assert between(storage, ANN) == made.of(hosted, sat_at, invited_to)
    assert between(storage, EVE) == made.of(elsewhere)
    assert between(storage, "own_of_nothing") == []
    assert between(storage, ALL_TABLES) == made.of(hosted, sat_at, invited_to, elsewhere)
    assert between(storage, ANN, 1, 9) == [leaf for leaf in between(storage, ANN) if 1 <= leaf.leaf_index < 9]
    assert between(storage, ANN, most=3) == made.of(hosted, sat_at, invited_to)[:3]


def test_the_next_leaf_of_a_feed_is_found_wherever_it_is(storage: Engine) -> None:
    made = Tables(storage)
    own, other = (made.open(ANN), made.open(BEN, **{ANN: 1})), made.open(EVE)
    for stream_id in (own[0], other, own[1], other, own[0], other):
        made.append(stream_id, 5)
    indexes = [leaf.leaf_index for leaf in made.of(*own)]
    with reading(storage) as connection:
        for first in range(len(made.leaves) + 1):
            following = next((index for index in indexes if index >= first), None)
            assert feed_leaves.next_index(connection, ANN, first) == following
        assert feed_leaves.next_index(connection, "own_of_nothing", 0) is None


def test_a_reader_of_a_feed_is_woken_only_by_leaves_of_its_tables(storage: Engine) -> None:
    made = Tables(storage)
    own, other = made.open(ANN, **{EVE: 1}), made.open(BEN)
    heads = WaitingHeads(storage, LOG)
    made.append(own)
    assert heads.read([ANN, own]) == {ANN: 1, own: 1}  # a feed that nobody awaited before counts as changed
    made.append(other)
    assert heads.read([ANN, BEN, ALL_TABLES, own]) == {ANN: 1, BEN: 2, ALL_TABLES: 2, own: 1}
    made.append(own)
    assert heads.read([ANN, BEN, ALL_TABLES]) == {ANN: 3, BEN: 2, ALL_TABLES: 3}
    assert heads.read([ANN, BEN, ALL_TABLES]) == {ANN: 3, BEN: 2, ALL_TABLES: 3}
    invited_to = made.open(BEN, **{EVE: INVITED})
    assert heads.read([ANN, EVE]) == {ANN: 3, EVE: 3}
    made.append(invited_to)
    assert heads.read([ANN, EVE]) == {ANN: 3, EVE: 4}
    assert heads.read([own]) == {own: 2}
    made.append(own)
    assert heads.read([ANN]) == {ANN: 5}


def test_after_many_leaves_each_feed_is_read_again(storage: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_heads, "_MOST_LEAVES", 10)
    made, heads = Tables(storage), WaitingHeads(storage, LOG)
    other = made.open(BEN)
    assert heads.read([ANN]) == {ANN: 0}
    made.append(other, 10)
    assert heads.read([ANN]) == {ANN: 0}
    made.append(other, 11)
    assert heads.read([ANN]) == {ANN: 21}


def test_a_tree_without_its_head_keeps_no_reader_of_a_stream_from_waking(storage: Engine) -> None:
    made, heads = Tables(storage), WaitingHeads(storage, LOG)
    own = made.open(ANN)
    made.append(own)
    alter(storage, "DELETE FROM tree_head")
    assert heads.read([ANN, own]) == {own: 1}


def plan_of(connection: Connection, statement: str, parameters: Any) -> str:  # noqa: ANN401 -- the driver's own
    explain = "EXPLAIN" if connection.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
    return "\n".join(str(row[-1]) for row in connection.exec_driver_sql(f"{explain} {statement}", parameters))


@pytest.mark.parametrize("storage_kind", databases.all_kinds()[:-1])  # on several nodes, plans are of another kind
def test_no_look_at_a_feed_reads_the_whole_log(storage: Engine) -> None:
    made = Tables(storage)
    for host in (ANN, BEN, EVE):
        made.append(made.open(host, **{ANN: INVITED}), 100)
    asked_for: dict[str, Any] = {}

    @event.listens_for(storage, "before_cursor_execute")
    def collect(_c: object, _cursor: object, statement: str, parameters: Any, _x: object, _many: bool) -> None:  # noqa: ANN401, FBT001 -- SQLAlchemy calls it
        if "leaf_indexes" in statement:
            asked_for[statement] = parameters

    with reading(storage) as connection:
        feed_leaves.between(connection, ANN, 5, 10, 10)
        feed_leaves.between(connection, ALL_TABLES, 5, 10, 10)
        feed_leaves.next_index(connection, ANN, 5)
        feed_leaves.feeds_with(connection, 5, 10)
        assert tree.head(connection).size == 300
    event.remove(storage, "before_cursor_execute", collect)
    assert len(asked_for) == 4
    with reading(storage) as connection:
        plans = {each: plan_of(connection, each, parameters) for each, parameters in asked_for.items()}
    whole = re.compile(r"Seq Scan|Hash Join|hashed SubPlan|SCAN (leaf_indexes|tables|seats)\b")
    assert {each: plan for each, plan in plans.items() if whole.search(plan) or scans_an_index(plan)} == {}
    (of_next,) = (plan for each, plan in plans.items() if "min(leaf_index)" in each)
    assert "ix_leaf_indexes_stream_id_leaf_index" in of_next


def scans_an_index(plan: str) -> bool:
    """Return whether PostgreSQL's *plan* reads a whole index: it scans an index without a condition."""
    lines = plan.splitlines()
    indexed = re.compile(r"(Bitmap Index Scan|Index Scan using|Index Only Scan using)")
    return any(indexed.search(line) and "Index Cond:" not in after for line, after in pairwise([*lines, ""]))
