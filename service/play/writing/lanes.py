"""Lanes: a writer for each node of a spread database, so that a node that is down stops only its own streams."""

# DECISIONS 130

from threading import Lock
from typing import Final
from weakref import WeakMethod

from sqlalchemy import Engine

from service.clock import Clock
from service.database.engines import Limits
from service.database.spread.nodes import Node, NodeMap, engine_on
from service.event_store.codec import RecordedEvent
from service.event_store.store import Log
from service.play.writing.group_commit import Work, Writer
from service.play.writing.writer_connection import end_with

_OF_A_LANE: Final = Limits(connections=1)


class Lanes:
    """The writers of one process: one for the whole database, and on a spread database one more for each node.

    A node's writer records batches at the node that owns their streams: there a batch is one local transaction. A
    command that is recorded alone goes through the coordinator.
    """

    def __init__(self, engine: Engine, log: Log, clock: Clock) -> None:
        self._lock = Lock()
        self._lanes: dict[Node, tuple[Writer, Engine]] = {}
        self._engine = engine
        self._log = log
        self._clock = clock
        self.whole = Writer(engine, log, clock)
        self._map = NodeMap(engine, clock)
        end_with(engine, WeakMethod(self.end))

    def __del__(self) -> None:
        self.end()

    def record(self, work: Work) -> None:
        """Record *work* as `Writer.record` does, by the writer of the only node that has the stream.

        If there is no such node, the writer for the whole database records *work*.

        Raises:
            as `Writer.record`.
        """
        self._writer(work.entry.stream_id).record(work)

    def wait_until_durable(self, stream_id: bytes, recorded: RecordedEvent) -> None:
        """Wait as `Writer.wait_until_durable` does.

        Raises:
            as `Writer.wait_until_durable`.
        """
        self.whole.wait_until_durable(stream_id, recorded)

    def end(self) -> None:
        """Close the connections to nodes. The next command opens new connections."""
        with self._lock:
            lanes, self._lanes = self._lanes, {}
        for _, at_node in lanes.values():
            at_node.dispose()

    def _writer(self, stream_id: bytes) -> Writer:
        node = self._map.node_of(stream_id)
        if node is None:
            return self.whole
        with self._lock:
            if node not in self._lanes:
                at_node = engine_on(self._engine, node, _OF_A_LANE)
                self._log.generation.end_at_disconnect(at_node)
                self._lanes[node] = Writer(self._engine, self._log, self._clock, batches_at=at_node), at_node
            return self._lanes[node][0]
