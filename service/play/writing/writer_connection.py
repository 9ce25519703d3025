"""The connection over which a `Writer` records batches of commands; the threads of the process use it in turn."""

# Measured: a command takes 0.27 ms of the database's processor time; with connections from the pool it took 0.45 ms
# (service/bench/README.md, DECISIONS 46).

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any, Final
from weakref import WeakMethod

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError

from service.clock import Clock
from service.database.engines import MODE, UnknownCommit, all_or_nothing, write_lock
from service.database.spread.spread_check import is_spread
from service.event_store import queries

_SOON_SECONDS: Final = 1.0


class WriterConnection:
    """The writer's connection, which stays open between transactions. Not thread-safe: one thread at a time uses it."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._open: Connection | None = None
        self._used = -inf
        end_with(engine, WeakMethod(self._end))

    def __del__(self) -> None:
        self.release()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield the connection in a transaction that commits, all or nothing, at the end of the block.

        On PostgreSQL, unless the database is spread, the connection is in autocommit mode instead, and the block must
        run only one statement. The statement takes one round trip to the server; a transaction would take three. On a
        spread database the block runs several statements, and so needs a transaction (DECISIONS 130).

        Raises:
            UnknownCommit: as for `all_or_nothing`, or the connection was lost during the autocommitted statement.
            WriteLockNotAcquired, DatabaseWasReplaced: as for `write_lock`.
        """
        try:
            # Connecting takes time, so it comes before the write lock: other processes can write meanwhile.
            connection = self._connection()
            if self._engine.dialect.name == "postgresql" and not is_spread(connection):
                yield from self._by_one_statement()
            else:
                with write_lock(self._engine):
                    yield from all_or_nothing(connection)
        except BaseException:
            self.release()
            raise
        self._used = self._clock.monotonic()

    def release(self) -> None:
        """Return the connection to the pool."""
        connection, self._open = self._open, None
        if connection is not None:
            connection.close()

    def _end(self) -> None:
        if self._open is not None and not self._open.invalidated:
            self._open.detach()  # The engine was disposed of, and with it the connection's pool.
        self.release()

    def _by_one_statement(self) -> Iterator[Connection]:
        if self._clock.monotonic() - self._used > _SOON_SECONDS:
            self._must_answer()
        try:
            yield self._connection()
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise  # The server has answered, so it rolled the statement back.
            raise UnknownCommit(str(error.orig)) from error

    def _must_answer(self) -> None:
        """Release the connection if it was cut since its last use.

        Over a cut connection, the outcome of a command's commit would be unknown. When the pool learns that one
        connection was cut, it drops all of its connections.
        """
        try:
            queries.HEAD.run(self._connection(), {"stream_id": b""}).all()
        except DBAPIError:
            self.release()

    def _connection(self) -> Connection:
        if self._open is None:
            opened, mode = self._engine.connect(), {MODE: "writing"}
            if self._engine.dialect.name == "postgresql" and not is_spread(opened):
                mode["isolation_level"] = "AUTOCOMMIT"
            self._open, self._used = opened.execution_options(**mode), -inf
        return self._open


def end_with(engine: Engine, end: WeakMethod[Any]) -> None:
    """Call *end* when *engine* is disposed of, unless the object to which *end* is bound has been deleted."""

    def disposed(_: Engine) -> None:
        if call := end():
            call()

    event.listen(engine, "engine_disposed", disposed)
