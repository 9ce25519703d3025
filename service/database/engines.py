"""Engines and transactions: opens SQLite and PostgreSQL so that the same code runs on both (DECISIONS 15, 65, 137)."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Any, Final, Literal, TypeAlias
from weakref import WeakKeyDictionary

import msgspec
from sqlalchemy import URL, Connection, Engine, RootTransaction, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError

from service.database import arrays, select_only, sql
from service.database.end_of_reading import end_reading
from service.database.spread import spread_check
from service.database.sqlite_file import DatabaseFile, DatabaseWasReplaced, sqlite_path
from service.database.write_lock import FileLock, WriteLock

Mode: TypeAlias = Literal["reading", "writing", "administering", "migrating"]

Connect: TypeAlias = Callable[[], Connection]
"""Returns the same connection at each call; the code that supplies the function ends the connection's transaction."""

MODE: Final = "chiptrail_mode"  # the execution option with the purpose of a transaction


class Limits(msgspec.Struct, frozen=True):
    """The maximum number of *connections* of an engine, and the timeouts in seconds."""

    connections: int = 10
    lock_seconds: float = 5.0
    statement_seconds: float = 30.0
    idle_seconds: float = 30.0


_WRITE_LOCKS: Final[WeakKeyDictionary[Engine, WriteLock]] = WeakKeyDictionary()
_FILES: Final[WeakKeyDictionary[Engine, DatabaseFile]] = WeakKeyDictionary()


class UnknownCommit(Exception):
    """The transaction may be committed or not. A caller can safely repeat the request with the same Idempotency-Key."""


class TransactionMustHaveAPurpose(Exception):
    """A defect: code began a transaction without one of this module's functions."""


class TransactionMustBeWhole(Exception):
    """A defect: code ignored the error of a failed statement, and then wanted to commit. Nothing was committed."""


def make_engine(url: str, limits: Limits = Limits()) -> Engine:  # noqa: B008  # `Limits` is frozen.
    """Return an engine for *url*: `sqlite:///<file>`, `postgresql://…` or `postgresql+psycopg://…`.

    The call opens no connection. Each transaction must begin by a function of this module, such as `reading`.

    Raises:
        ValueError, ArgumentError: *url* is no URL, or names another kind of database or an SQLite one without a file.
    """
    parsed = make_url(url)
    match parsed.get_backend_name():
        case "sqlite":
            return _sqlite(parsed, limits)
        case "postgresql":
            return _postgresql(parsed, limits)
        case other:
            raise ValueError(f"the database must be sqlite or postgresql, not {other}")


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Run a transaction of commands: commit at the end of the block, roll back if the block raises.

    On SQLite the transaction holds the write lock. Each statement of the block must touch only the stream of one
    command or, if it writes a batch of commands, only their streams.

    Raises:
        UnknownCommit: as for `all_or_nothing`.
        WriteLockNotAcquired, DatabaseWasReplaced: as for `write_lock`.
    """
    with _connected(engine, "writing") as connection, write_lock(engine):
        yield from all_or_nothing(connection)


@contextmanager
def administering(engine: Engine) -> Iterator[Connection]:
    """Run a transaction that writes something other than commands, such as keys, imports or rebuilt projections.

    Raises:
        UnknownCommit, WriteLockNotAcquired, DatabaseWasReplaced: as for `writing`.
    """
    with _connected(engine, "administering") as connection, write_lock(engine):
        yield from all_or_nothing(connection)


@contextmanager
def migrating(engine: Engine) -> Iterator[Connection]:
    """Run a transaction that changes the schema.

    Raises:
        UnknownCommit, WriteLockNotAcquired, DatabaseWasReplaced: as for `writing`.
    """
    with _connected(engine, "migrating") as connection, write_lock(engine):
        yield from all_or_nothing(connection)


@contextmanager
def reading(engine: Engine, *, without_idle_limit: bool = False) -> Iterator[Connection]:
    """Run a read-only transaction; all its statements see the same snapshot of the database.

    If *without_idle_limit* is true, any length of time may pass between two statements.
    """
    options: dict[str, str | bool] = {}
    if engine.dialect.name == "postgresql":
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with _connected(engine, "reading", **options) as connection, connection.begin() as transaction:
        if without_idle_limit and engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield connection
        end_reading(connection, transaction)


@contextmanager
def reading_once(engine: Engine) -> Iterator[Connection]:
    """Yield a connection for one SELECT, which takes one round trip on PostgreSQL; in a transaction it takes three."""
    with _connected(engine, "reading", **select_only.options(engine)) as connection:
        yield connection


class reading_if_needed:  # noqa: N801 -- callers use it like `reading`; a generator would cost each command more
    """Run a transaction like `reading`, but begin the transaction only when its connection is first requested."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._begun: tuple[AbstractContextManager[Connection], Connection] | None = None

    def __enter__(self) -> Connect:
        return self._connect

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._begun is not None:
            self._begun[0].__exit__(kind, error, trace)

    def _connect(self) -> Connection:
        if self._begun is None:
            transaction = reading(self._engine)
            self._begun = (transaction, transaction.__enter__())
        return self._begun[1]


@contextmanager
def _connected(engine: Engine, mode: Mode, **options: str | bool) -> Iterator[Connection]:
    with engine.connect() as connection:
        yield connection.execution_options(**{MODE: mode}, **options)


def all_or_nothing(connection: Connection) -> Iterator[Connection]:
    """Yield *connection* in a transaction, and commit the transaction, or roll it back if the caller's block raises.

    Raises:
        UnknownCommit: COMMIT failed, or the SQLite file was replaced before COMMIT ended.
    """
    transaction = connection.begin()
    try:
        yield connection
        _must_be_whole(connection, transaction)
    except BaseException:
        transaction.rollback()
        raise
    try:
        transaction.commit()
    except DBAPIError as error:
        connection.invalidate(error)
        raise UnknownCommit(str(error.orig)) from error
    try:
        require_same_file(connection.engine)
    except DatabaseWasReplaced as error:
        raise UnknownCommit(str(error)) from error


def _must_be_whole(connection: Connection, transaction: RootTransaction) -> None:
    # PostgreSQL answers COMMIT of a failed transaction by rolling back, without an error.
    failed = connection.invalidated or not transaction.is_active
    if not failed and connection.dialect.name == "postgresql":
        driver: Any = connection.connection.driver_connection
        failed = driver.info.transaction_status.name == "INERROR"
    if failed:
        raise TransactionMustBeWhole("a statement of this transaction has failed")


def require_same_file(engine: Engine) -> None:
    """Check that the path of *engine*'s SQLite database still has the file that *engine* opened; ignore PostgreSQL.

    Raises:
        DatabaseWasReplaced: the file was replaced, removed or overwritten.
    """
    if (file := _FILES.get(engine)) is not None:
        file.require_same_file()


def require_file(engine: Engine, file: DatabaseFile) -> None:
    """Make *engine* refuse every file other than *file*; *engine* must be for SQLite, and have no connection yet."""
    _FILES[engine].expect(file)


def write_lock(engine: Engine) -> AbstractContextManager[None]:
    """Return a context manager that holds the write lock of SQLite; on PostgreSQL it does nothing.

    Raises:
        WriteLockNotAcquired: other writers held the lock for too long, or the lock file can't be opened.
        DatabaseWasReplaced: the file at the database's path is not the file that is open, or was overwritten.
    """
    lock = _WRITE_LOCKS.get(engine)
    return nullcontext() if lock is None else lock.hold()


def _sqlite(url: URL, limits: Limits) -> Engine:
    if url.database in {None, "", ":memory:"}:
        raise ValueError("the database must be a file, which outlives the process")
    engine = create_engine(
        url,
        connect_args={"timeout": limits.lock_seconds},
        pool_size=limits.connections,
        max_overflow=0,
        pool_timeout=limits.lock_seconds,
    )
    file = DatabaseFile(sqlite_path(url))
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "connect", lambda _driver, _record: file.open())
    event.listen(engine, "begin", _begin_sqlite)
    _FILES[engine] = file
    _WRITE_LOCKS[engine] = WriteLock(FileLock(sqlite_path(url)), limits.lock_seconds, file.require_same_file)
    return engine


def _prepare_sqlite(driver: sqlite3.Connection, _record: object) -> None:
    driver.isolation_level = None  # the driver begins no transaction by itself
    if driver.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        driver.execute("PRAGMA journal_mode=WAL")
    driver.execute("PRAGMA synchronous=FULL")
    driver.execute("PRAGMA foreign_keys=ON")
    driver.execute("PRAGMA secure_delete=FAST")  # SQLite then overwrites an erased value in its page of the file.


def _begin_sqlite(connection: Connection) -> None:
    is_read_only = _mode(connection) == "reading"
    if connection.info.get("query_only", False) != is_read_only:
        connection.exec_driver_sql(f"PRAGMA query_only={is_read_only:d}")
        connection.info["query_only"] = is_read_only
    connection.exec_driver_sql("BEGIN" if is_read_only else "BEGIN IMMEDIATE")


def _postgresql(url: URL, limits: Limits) -> Engine:
    given_options = url.query.get("options", "")
    settings = {
        "lock_timeout": _milliseconds(limits.lock_seconds),
        "statement_timeout": _milliseconds(limits.statement_seconds),
        "idle_in_transaction_session_timeout": _milliseconds(limits.idle_seconds),
        "default_transaction_isolation": r"read\ committed",
        # While a table is small, PostgreSQL could cache a plan with a sequential scan. This plan is slow once the table
        # has grown.
        "enable_seqscan": "off",
        # With `enable_seqscan` off, a scan looks expensive where no index helps, so PostgreSQL would compile even a
        # short scan.
        "jit": "off",
        "plan_cache_mode": "force_generic_plan",  # a look-up by key has the same plan for every value
    }
    options = " ".join([str(given_options), *(f"-c {name}={value}" for name, value in settings.items())])
    arrays.register()
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={
            "options": options.strip(),
            "application_name": "chiptrail",
            "prepare_threshold": 0,  # prepare at the first use: every statement is repeated
            "tcp_user_timeout": _milliseconds(limits.statement_seconds),  # A network may drop packets silently.
        },
        pool_size=limits.connections,
        max_overflow=0,
        pool_timeout=limits.lock_seconds,
    )
    spread_check.watch(engine)
    event.listen(engine, "begin", _mode)
    event.listen(engine, "before_cursor_execute", sql.request_binary)
    event.listen(engine, "before_cursor_execute", select_only.require_select)
    return engine


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def _mode(connection: Connection) -> Mode:
    mode: Mode | None = connection.get_execution_options().get(MODE)
    if mode is None:
        raise TransactionMustHaveAPurpose("begin it by reading(), writing(), administering() or migrating()")
    return mode
