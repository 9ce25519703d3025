"""Finds the node that has a stream's rows, and makes engines on nodes (DECISIONS 130)."""

from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import Connection, Engine, text

from service.clock import Clock
from service.database.engines import Limits, make_engine, reading
from service.database.spread.spread_check import is_known_as_spread
from service.database.sql import Sql

COORDINATOR: Final = 0
"""The number of the coordinator's group of nodes."""
_LEAST_CONNECT_SECONDS: Final = 2  # the shortest time that PostgreSQL's library accepts
_MOST_REMEMBERED: Final = 100_000
_REMEMBERED_SECONDS: Final = 60.0


class Node(NamedTuple):
    """A node: the number of its *group*, and its address as the coordinator knows it."""

    group: int
    host: str
    port: int


class NodeMap:
    """The nodes of the streams of one database; after a minute, the nodes are looked up again.

    If a shard has moved meanwhile, its earlier node forwards statements to its new node, which only costs time.
    """

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._found: dict[bytes, Node | None] = {}
        self._since = clock.monotonic()

    def node_of(self, stream_id: bytes) -> Node | None:
        """Return the node that has the stream's rows; None: the coordinator must find them.

        The result is None if the database is not spread, the coordinator has the rows, several nodes have a copy of
        them, or no node is known to have them.
        """
        if not is_known_as_spread(self._engine):
            return None
        now = self._clock.monotonic()
        if now - self._since > _REMEMBERED_SECONDS or len(self._found) > _MOST_REMEMBERED:
            self._found, self._since = {}, now
        found = self._found  # Another thread may replace the dictionary at any time.
        if stream_id not in found:
            with reading(self._engine) as connection:
                owners = [Node(*row) for row in _OWNER.all(connection, {"stream_id": stream_id})]
            is_of_one = len(owners) == 1 and owners[0].group != COORDINATOR
            found[stream_id] = owners[0] if is_of_one else None
        return found[stream_id]


def nodes(connection: Connection) -> tuple[Node, ...]:
    """Return the active nodes on which Citus may place shards."""
    return tuple(Node(*row) for row in connection.execute(_NODES))


def are_together(connection: Connection, one: bytes, other: bytes) -> bool:
    """Return whether the rows of two streams of a spread database are on the same node."""
    owners = [_OWNER.all(connection, {"stream_id": stream_id}) for stream_id in (one, other)]
    return owners[0] == owners[1]


def streams_at(connection: Connection, streams: Collection[bytes], some: Collection[Node]) -> frozenset[bytes]:
    """Return those *streams* of a spread database whose rows are on one of the nodes in *some*."""
    values = {"streams": list(streams), "groups": [node.group for node in some]}
    return frozenset(bytes(stream_id) for stream_id in connection.scalars(_AT, values)) if some else frozenset()


def engine_on(engine: Engine, node: Node, limits: Limits) -> Engine:
    """Return an engine on *node*, for the database of *engine*, as the same role.

    An attempt to connect is given up after *lock_seconds* of *limits*, or after two seconds if *lock_seconds* is less.
    So even a network that drops packets delays no command for longer.
    """
    url = engine.url.set(host=None, port=None)
    seconds = str(max(_LEAST_CONNECT_SECONDS, round(limits.lock_seconds)))
    at_node = url.update_query_dict({"host": node.host, "port": str(node.port), "connect_timeout": seconds})
    return make_engine(at_node.render_as_string(hide_password=False), limits)


_OWNER: Final = Sql(
    "SELECT groupid, nodename, nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)"
    " WHERE shardid = get_shard_id_for_distribution_column('streams', :stream_id) AND noderole = 'primary'"
)
_AT: Final = text(  # If nodes have copies of a shard, the first node counts, as for `shards_by_node`.
    "SELECT stream_id FROM unnest(CAST(:streams AS bytea[])) AS wanted (stream_id) WHERE (SELECT min(groupid)"
    " FROM pg_dist_placement WHERE shardid = get_shard_id_for_distribution_column('streams', stream_id)) = ANY(:groups)"
)
_NODES: Final = text(
    "SELECT groupid, nodename, nodeport FROM pg_dist_node"
    " WHERE isactive AND shouldhaveshards AND noderole = 'primary' ORDER BY groupid"
)
