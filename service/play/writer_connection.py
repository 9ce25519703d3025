"""The pen: by what a process records commands, whichever of its threads writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakMethod

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError

from service.clock import Clock
from service.database.engines import MODE, UnknownCommit, all_or_nothing, write_lock
from service.event_store import queries

_SOON_SECONDS: Final = 1.0


class WriterConnection:
    """The connection over which commands are recorded, kept from one transaction to the next.

    One thread at a time has it. To take a connection from the pool and to put it back takes longer than a command's
    share of what is done over it.
    """

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._held: Connection | None = None
        self._used = 0.0
        _end_with(engine, WeakMethod(self._end))

    def __del__(self) -> None:
        self.release()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Run what records many commands: all or nothing, committed where the block ends.

        On PostgreSQL it is one statement, which commits itself: the server is asked once where it would be three times.

        Raises:
            UnknownCommit: COMMIT failed, or the statement that is one.
        """
        try:
            if self._engine.dialect.name == "postgresql":
                yield from self._by_one_statement()
            else:
                connection = self._connection()  # before the turn: while somebody waits for one, others may write
                with write_lock(self._engine):
                    yield from all_or_nothing(connection)
        except BaseException:
            self.release()
            raise
        self._used = self._clock.monotonic()

    def release(self) -> None:
        """Give the connection back."""
        held, self._held = self._held, None
        if held is not None:
            held.close()

    def _end(self) -> None:
        if self._held is not None and not self._held.invalidated:
            self._held.detach()  # its pool is gone
        self.release()

    def _by_one_statement(self) -> Iterator[Connection]:
        if self._held is None or self._clock.monotonic() - self._used > _SOON_SECONDS:
            self._must_answer()
        try:
            yield self._connection(isolation_level="AUTOCOMMIT")
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise  # The server has answered: it undid the statement.
            raise UnknownCommit(str(error.orig)) from error

    def _must_answer(self) -> None:
        """Put down what was cut while it idled, here or in the pool, and would leave a command's commit unknown.

        With one that was cut the pool lets go of all that it has.
        """
        try:
            queries.HEAD.run(self._connection(isolation_level="AUTOCOMMIT"), {"stream_id": b""}).all()
        except DBAPIError:
            self.release()

    def _connection(self, **options: str) -> Connection:
        if self._held is None:
            mode: dict[str, Any] = {MODE: "writing", **options}
            self._held = self._engine.connect().execution_options(**mode)
        return self._held


def _end_with(engine: Engine, end: WeakMethod[Any]) -> None:
    """Have *end* called when *engine* is disposed of, if there is a pen that still has it."""

    def disposed(_: Engine) -> None:
        if still_there := end():
            still_there()

    event.listen(engine, "engine_disposed", disposed)
