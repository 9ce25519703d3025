"""The sequencer: gives each committed leaf its index in the whole log, and extends the tree."""

# DECISIONS 97, 129 and 138

from collections.abc import Sequence
from itertools import chain
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, Engine, bindparam, delete, func, select, update

from service import merkle
from service.database import sql
from service.database.engines import administering
from service.database.spread.node_readers import Reach, read_reachable
from service.database.spread.spread_check import is_spread
from service.database.sql import Insert, Row, Sql
from service.event_store.log_tables import outbox
from service.transparency import tiles, tree
from service.transparency.tiles import Tile
from service.transparency.tree import TreeHead
from service.transparency.tree_tables import SLOT, leaf_indexes, tree_head

MOST_LEAVES: Final = 1_000


class _Leaf(Struct, frozen=True):
    """A committed leaf that has no index yet."""

    stream_id: bytes
    position: int
    leaf_hash: bytes


class Sequencer:
    """Gives an index to each committed leaf that has none, in rounds of at most *most_leaves* leaves.

    A round reads the leaves and the tree. Then one transaction writes the indexes and the new tree, if the tree still
    has the head that the round read. So a killed round changes nothing, and if two rounds run at the same time, only
    one of them writes. In a stream, a later leaf always gets a higher index.
    """

    def __init__(self, engine: Engine, *, most_leaves: int = MOST_LEAVES) -> None:
        self._engine = engine
        self._most_leaves = most_leaves

    def round(self) -> int:
        """Do one round; return the number of leaves that got an index.

        Raises:
            TreeDamaged: the tree's head, or a tile at the right edge of the tree, is missing.
        """
        leaves, before, edge = read_reachable(self._engine, self._read).value
        if not leaves:
            return 0
        changed = tiles.extended(before.size, edge, [leaf.leaf_hash for leaf in leaves])
        size = before.size + len(leaves)
        root = tiles.root(size, lambda wanted: {one: (edge | changed)[one] for one in wanted})
        with administering(self._engine) as connection:
            if not _advance(connection, before, TreeHead(size, root)):
                return 0
            _write_indexes(connection, before.size, leaves)
            tree.write_tiles(connection, changed)
            _empty_outbox(connection, leaves)
        return len(leaves)

    def _read(self, reach: Reach) -> tuple[list[_Leaf], TreeHead, dict[Tile, bytes]]:
        """Return the next leaves, and, if there are any, the tree's head and the tiles at its right edge."""
        if not (leaves := _without_index(reach, self._most_leaves)):
            return [], TreeHead(0, b""), {}
        before = tree.head(reach.connection)
        return leaves, before, tree.read_tiles(reach.connection, tiles.right_edge(before.size))


def _without_index(reach: Reach, most: int) -> list[_Leaf]:
    """Return at most *most* committed leaves that have no index; the leaves of each stream are in order."""
    leaves: list[_Leaf] = []
    done: dict[bytes, int] = {}
    if is_spread(reach.connection):
        rows = _on_nodes(reach, most)
    else:
        rows = _LEAVES[reach.connection.dialect.name].all(reach.connection, {"most": most})
    for found, has_index_up_to, position, leaf in sorted(rows):
        stream_id = bytes(found)
        if position == done.setdefault(stream_id, has_index_up_to) + 1:
            leaves.append(_Leaf(stream_id, position, merkle.leaf_hash(bytes(leaf))))
            done[stream_id] = position
    return leaves[:most]


def _on_nodes(reach: Reach, most: int) -> list[Row]:
    """Return the rows of `_LEAVES` from a spread database: read `outbox`, then `leaf_indexes`, then `events`.

    The table `leaf_indexes` is at the coordinator, and a join with a table on the nodes would not look up single rows
    of `leaf_indexes`. The leaves of a node that is down get their indexes when the node is back.
    """
    waiting = chain(*reach.each(lambda connection: _LAST.all(connection, {})))
    last = {bytes(stream_id): position for stream_id, position in waiting}
    if not last:
        return []
    done = {bytes(row.stream_id): row.done for row in reach.connection.execute(_DONE, {"streams": sql.padded(last)})}
    ranges = [(stream_id, done.get(stream_id, 0), position) for stream_id, position in last.items()]
    values = (*sql.column_arrays(("BYTEA", "INTEGER", "INTEGER"), ranges), most)
    found = chain(*reach.each(lambda connection: connection.exec_driver_sql(_BETWEEN, values).all()))
    return [(bytes(row.stream_id), done.get(bytes(row.stream_id), 0), row.position, row.leaf) for row in found]


def _advance(connection: Connection, before: TreeHead, after: TreeHead) -> bool:
    """Put *after* in the place of *before*; return whether *before* was still the tree's head."""
    statement = (
        update(tree_head)
        .where(tree_head.c.slot == SLOT, tree_head.c.size == before.size, tree_head.c.root == before.root)
        .values(size=after.size, root=after.root)
    )
    return connection.execute(statement).rowcount == 1


def _write_indexes(connection: Connection, first: int, leaves: Sequence[_Leaf]) -> None:
    rows = [(index, leaf.stream_id, leaf.position, leaf.leaf_hash) for index, leaf in enumerate(leaves, start=first)]
    _INDEXES.run(connection, rows)


def _empty_outbox(connection: Connection, leaves: Sequence[_Leaf]) -> None:
    last = {leaf.stream_id: leaf.position for leaf in leaves}
    connection.execute(_DELIVERED, [{"of_stream": stream_id, "up_to": up_to} for stream_id, up_to in last.items()])


# A stream whose next event is missing is left out, so that the damage keeps no other stream waiting.
_WAITING: Final = (
    "(SELECT stream_id, last, done FROM (SELECT stream_id, max(position) AS last, COALESCE("
    "(SELECT max(position) FROM leaf_indexes WHERE leaf_indexes.stream_id = outbox.stream_id), 0) AS done"
    " FROM outbox GROUP BY stream_id) AS listed WHERE EXISTS"
    " (SELECT 1 FROM events WHERE events.stream_id = listed.stream_id AND events.position = listed.done + 1)"
    " LIMIT :most) AS waiting"
)
# Both statements look up the events stream by stream. With a plain join, PostgreSQL may scan all events.
_LEAVES: Final = {
    "postgresql": Sql(
        f"SELECT waiting.stream_id, waiting.done, leaves.position, leaves.leaf FROM {_WAITING}, LATERAL"  # noqa: S608
        " (SELECT position, leaf FROM events WHERE events.stream_id = waiting.stream_id"
        " AND position > waiting.done AND position <= waiting.last ORDER BY position LIMIT :most) AS leaves LIMIT :most"
    ),
    "sqlite": Sql(
        f"SELECT waiting.stream_id, waiting.done, events.position, events.leaf FROM {_WAITING}"  # noqa: S608
        " CROSS JOIN events ON events.stream_id = waiting.stream_id"
        " AND events.position > waiting.done AND events.position <= waiting.last LIMIT :most"
    ),
}
_LAST: Final = Sql("SELECT stream_id, max(position) FROM outbox GROUP BY stream_id")
_DONE: Final = (
    select(leaf_indexes.c.stream_id, func.max(leaf_indexes.c.position).label("done"))
    .where(leaf_indexes.c.stream_id.in_(bindparam("streams", expanding=True)))
    .group_by(leaf_indexes.c.stream_id)
)
_BETWEEN: Final = (
    "SELECT events.stream_id, events.position, events.leaf"
    " FROM events JOIN events AS next ON next.stream_id = events.stream_id"
    " JOIN unnest(%b::bytea[], %b::integer[], %b::integer[]) AS wanted (stream_id, done, last)"
    " ON events.stream_id = wanted.stream_id AND events.position > wanted.done AND events.position <= wanted.last"
    " AND next.position = wanted.done + 1"
    " ORDER BY events.stream_id, events.position LIMIT %s"
)
_INDEXES: Final = Insert(leaf_indexes, "leaf_index", "stream_id", "position", "leaf_hash")
_DELIVERED: Final = delete(outbox).where(
    outbox.c.stream_id == bindparam("of_stream"), outbox.c.position <= bindparam("up_to")
)
