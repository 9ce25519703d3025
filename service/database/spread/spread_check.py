"""Learns from each new connection whether the database is spread, and prepares the connection (DECISIONS 129)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError

SPREAD: Final = "spread"
"""The kind of a spread database, beside SQLAlchemy's names "sqlite" and "postgresql"."""
_CONNECTION_FAILED: Final = "08"
"""The class of the error codes for failed connections, such as the coordinator's connection to a node."""
_SERVER_STOPPED: Final = "57P"
COORDINATOR: Final = "chiptrail_coordinator"
"""The execution option by which a connection to a node names the connection to the coordinator."""
_IS_SPREAD: Final = "chiptrail_is_spread"
_HAS_CATALOGUE: Final = "SELECT to_regclass('pg_dist_partition') IS NOT NULL"
_HAS_SHARDS: Final = "SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('streams'))"
# With a generic plan Citus can't plan a statement over several streams.
_PLAN_EACH_TIME: Final = "SET plan_cache_mode = auto"


class _Learner:
    """Learns from each new connection of one engine whether the database is spread."""

    def __init__(self) -> None:
        self.is_spread = False

    def learn(self, driver: Any, record: Any) -> None:  # noqa: ANN401 -- a psycopg connection, and its place in the pool
        """Ask the database over a new connection whether it is spread; without Citus this takes one round trip."""
        with _without_transaction(driver):
            self.is_spread = _answer(driver, _HAS_CATALOGUE) and _answer(driver, _HAS_SHARDS)
            record.info[_IS_SPREAD] = self.is_spread
            if self.is_spread:
                driver.execute(_PLAN_EACH_TIME, prepare=False)


_LEARNERS: Final[WeakKeyDictionary[Engine, _Learner]] = WeakKeyDictionary()


def watch(engine: Engine) -> None:
    """Learn from each new connection of *engine*, which is for PostgreSQL, whether the database is spread."""
    learner = _LEARNERS[engine] = _Learner()
    event.listen(engine, "connect", learner.learn)


def is_spread(connection: Connection) -> bool:
    """Return whether the database was spread when *connection* was made."""
    return bool(connection.info.get(_IS_SPREAD))


def kind(connection: Connection) -> str:
    """Return "sqlite", "postgresql" or `SPREAD`: a statement that reads several streams may have a text for each."""
    return SPREAD if is_spread(connection) else connection.dialect.name


def is_known_as_spread(engine: Engine) -> bool:
    """Return whether the database was spread when *engine* last connected; False also if it has never connected."""
    learner = _LEARNERS.get(engine)
    return learner is not None and learner.is_spread


def is_node_down(engine: Engine, error: DBAPIError) -> bool:
    """Return whether *error* says that the coordinator can't reach a node; other nodes may answer."""
    state = getattr(error.orig, "sqlstate", None) or ""
    return state.startswith(_CONNECTION_FAILED) and is_known_as_spread(engine)


def connection_failed(error: DBAPIError) -> bool:
    """Return whether *error* says that a server can't be reached, or is starting or stopping."""
    state = getattr(error.orig, "sqlstate", None)
    return state is None or state.startswith((_CONNECTION_FAILED, _SERVER_STOPPED))


def at_coordinator(connection: Connection) -> Connection:
    """Return the connection that reads the tables of the coordinator.

    This is *connection*, or, if *connection* is at another node, the connection that its option `COORDINATOR` names.
    """
    found: Connection = connection.get_execution_options().get(COORDINATOR, connection)
    return found


def _answer(driver: Any, question: str) -> bool:  # noqa: ANN401
    return bool(driver.execute(question, prepare=False).fetchone()[0])


@contextmanager
def _without_transaction(driver: Any) -> Iterator[None]:  # noqa: ANN401
    driver.autocommit = True
    try:
        yield
    finally:
        driver.autocommit = False
