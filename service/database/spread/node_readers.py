"""Reads a spread database at each node that answers, so that a node that is down hides only its own rows."""

# DECISIONS 138

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import structlog
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError

from service.clock import Clock
from service.database.engines import Limits, reading
from service.database.spread.nodes import Node, engine_on
from service.database.spread.placement import spread_tables
from service.database.spread.spread_check import COORDINATOR, connection_failed, is_known_as_spread, is_node_down

Shards: TypeAlias = Mapping[str, Sequence[str]]
"""For each table, the names of the shards that one node has."""
T = TypeVar("T")

_LOG: Final = structlog.get_logger("service.database")
_OWN_ROWS: Final = "chiptrail_own_rows"
_OF_A_NODE: Final = Limits(connections=4)
_REMEMBERED_SECONDS: Final = 5.0
_CLOCK: Final = Clock()


class Reached(NamedTuple, Generic[T]):
    """The *value* that was computed from what could be read; *is_whole*: no node was left out."""

    value: T
    is_whole: bool


class Reach:
    """The part of the database that a transaction can read: in this class all of it, over *connection*."""

    is_node_by_node = False
    """Whether each node is read over a connection of its own."""

    def __init__(self, connection: Connection) -> None:
        self.connection: Final = connection
        self.silent: tuple[Node, ...] = ()
        """The nodes that do not answer."""

    def each(self, read: Callable[[Connection], T]) -> list[T]:
        """Return the results of *read*: one for the whole database or, node by node, one for each node that answers."""
        return [read(self.connection)]


def read_reachable(engine: Engine, work: Callable[[Reach], T]) -> Reached[T]:
    """Return the result of *work* in a read-only transaction.

    If a node of a spread database is down, *work* runs a second time, and then `Reach.each` reads each node that
    answers. A node that did not answer is not asked again for some seconds, because an attempt may take seconds; during
    these seconds, *work* runs only once, and only with the other nodes.
    """
    nodes = _nodes_of(engine)
    if not (is_known_as_spread(engine) and nodes.has_silent()):
        try:
            with reading(engine) as connection:
                return Reached(work(Reach(connection)), is_whole=True)
        except DBAPIError as error:
            if not is_node_down(engine, error):
                raise
    with reading(engine) as connection:
        reach = _NodeByNode(connection, nodes)
        value = work(reach)
        return Reached(value, is_whole=not reach.silent)


def shards_by_node(connection: Connection) -> Mapping[Node, Shards]:
    """Return the shards of all placed tables, by node; a shard that several nodes have is listed for one of them."""
    found: dict[Node, dict[str, list[str]]] = {}
    for table, shard, *node in connection.execute(_SHARDS, {"names": list(spread_tables())}):
        found.setdefault(Node(*node), {}).setdefault(table, []).append(shard)
    return dict(sorted(found.items()))


def over_rows_of(shards: Shards, statement: str) -> str:
    """Return *statement*, changed to read the rows of *shards* instead of the tables that it names."""
    named = [table for table in shards if re.search(rf"\b{table}\b", statement)]
    rows = {table: " UNION ALL ".join(f"SELECT * FROM {shard}" for shard in shards[table]) for table in named}  # noqa: S608  # Citus quotes the names.
    parts = ", ".join(f"{table} AS NOT MATERIALIZED ({select})" for table, select in rows.items())
    return f"WITH {parts} {statement}" if parts else statement


class _Nodes:
    """The engines on the nodes of one spread database, and the nodes that lately did not answer."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._engines: dict[Node, Engine] = {}
        self._silent_until: dict[Node, float] = {}

    def has_silent(self) -> bool:
        return any(self.is_silent(node) for node in tuple(self._silent_until))

    def is_silent(self, node: Node) -> bool:
        return self._silent_until.get(node, 0.0) > _CLOCK.monotonic()

    def did_not_answer(self, node: Node, error: DBAPIError) -> None:
        self._silent_until[node] = _CLOCK.monotonic() + _REMEMBERED_SECONDS
        with suppress(OSError, ValueError):  # The log's output may be closed.
            _LOG.error("node_does_not_answer", node=f"{node.host}:{node.port}", error=type(error.orig).__name__)

    def engine_on(self, engine: Engine, node: Node) -> Engine:
        """Return the engine on *node* for the database of *engine*."""
        with self._lock:
            if node not in self._engines:
                made = self._engines[node] = engine_on(engine, node, _OF_A_NODE)
                event.listen(made, "before_cursor_execute", _over_own_rows, retval=True)
            return self._engines[node]

    def end(self, _engine: Engine) -> None:
        """Close the connections to nodes, and forget which nodes did not answer."""
        with self._lock:
            engines, self._engines = self._engines, {}
            self._silent_until = {}
        for one in engines.values():
            one.dispose()


class _NodeByNode(Reach):
    is_node_by_node = True

    def __init__(self, connection: Connection, nodes: _Nodes) -> None:
        super().__init__(connection)
        self._nodes = nodes
        self._shards = shards_by_node(connection)

    def each(self, read: Callable[[Connection], T]) -> list[T]:
        results: list[T] = []
        for node, shards in self._shards.items():
            if node not in self.silent and not self._nodes.is_silent(node):
                try:
                    results.append(self._at(node, shards, read))
                except DBAPIError as error:
                    if not connection_failed(error):
                        raise
                    self._nodes.did_not_answer(node, error)
                else:
                    continue
            self.silent = (*self.silent, node) if node not in self.silent else self.silent
        return results

    def _at(self, node: Node, shards: Shards, read: Callable[[Connection], T]) -> T:
        with reading(self._nodes.engine_on(self.connection.engine, node)) as at_node:
            return read(at_node.execution_options(**{_OWN_ROWS: shards, COORDINATOR: self.connection}))


_NODES_OF: Final[WeakKeyDictionary[Engine, _Nodes]] = WeakKeyDictionary()


def _nodes_of(engine: Engine) -> _Nodes:
    if (found := _NODES_OF.get(engine)) is None:
        found = _NODES_OF.setdefault(engine, _Nodes())
        event.listen(engine, "engine_disposed", found.end)
    return found


def _over_own_rows(
    connection: Connection,
    _cursor: object,
    statement: str,
    parameters: Any,  # noqa: ANN401 -- as the driver takes them
    _context: object,
    _is_many: object,
) -> tuple[str, Any]:
    return over_rows_of(connection.get_execution_options().get(_OWN_ROWS, {}), statement), parameters


_SHARDS: Final = text(
    "SELECT DISTINCT ON (relname, shardid) relname::text, shard_name(logicalrelid, shardid)::text,"
    " groupid, nodename, nodeport FROM pg_dist_shard JOIN pg_class ON pg_class.oid = logicalrelid"
    " JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)"
    " WHERE relname = ANY(:names) AND relnamespace = current_schema()::regnamespace AND noderole = 'primary'"
    " ORDER BY relname, shardid, groupid"
)
