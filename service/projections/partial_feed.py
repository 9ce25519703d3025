"""Finds the leaves of a feed; while a node is down, only the leaves before the first leaf at that node."""

# DECISIONS 138

from itertools import chain
from typing import Final

from sqlalchemy import Connection, bindparam, select, text

from service.database.spread import nodes
from service.database.spread.node_readers import Reach
from service.database.sql import padded
from service.projections import feed_leaves
from service.projections.feed_leaves import ALL_TABLES, FeedLeaf
from service.projections.projection_tables import tables
from service.projections.swap_guard import require_current_projections


def between(reach: Reach, feed: str, first: int, end: int, most: int) -> tuple[list[FeedLeaf], int]:
    """Return the first *most* leaves of *feed* with an index from *first* to *end* - 1.

    Also return the index before which no node that is down has a leaf: *end*, or the index of the first leaf at such a
    node. Only that node knows whether the feed has that leaf, and a feed must leave out no event. There must be at most
    `WINDOW` indexes from *first* to *end* - 1.
    """
    if not reach.is_node_by_node:
        return feed_leaves.between(reach.connection, feed, first, end, most), end
    rows = reach.connection.execute(_LEAVES, {"first": first, "end": end})
    leaves = [FeedLeaf(row.leaf_index, bytes(row.stream_id), row.position) for row in rows]
    among = {leaf.stream_id for leaf in leaves}

    def read(connection: Connection) -> list[bytes]:
        require_current_projections(connection)
        if feed != ALL_TABLES:
            return [bytes(row[0]) for row in feed_leaves.OWN.all(connection, {"owner": feed})]
        return [bytes(stream_id) for stream_id in connection.scalars(_TABLES, {"streams": padded(among)})]

    own = set(chain(*reach.each(read)))
    hidden = nodes.streams_at(reach.connection, among, reach.silent)
    known = min((leaf.leaf_index for leaf in leaves if leaf.stream_id in hidden), default=end)
    return [leaf for leaf in leaves if leaf.leaf_index < known and leaf.stream_id in own][:most], known


_LEAVES: Final = text(
    "SELECT leaf_index, stream_id, position FROM leaf_indexes"
    " WHERE leaf_index >= :first AND leaf_index < :end ORDER BY leaf_index"
)
_TABLES: Final = select(tables.c.stream_id).where(tables.c.stream_id.in_(bindparam("streams", expanding=True)))
