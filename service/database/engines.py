"""Engines and transactions: how SQLite and PostgreSQL are opened, so that one code runs on both."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Any, Final, Literal, TypeAlias
from weakref import WeakKeyDictionary

import msgspec
from sqlalchemy import URL, Connection, Engine, ExceptionContext, RootTransaction, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError

from service.database import arrays, sql
from service.database.sqlite_file import DatabaseFile, DatabaseWasReplaced, sqlite_path
from service.database.write_lock import FileLock, WriteLock

Mode: TypeAlias = Literal["reading", "writing", "administering", "migrating"]

Connect: TypeAlias = Callable[[], Connection]
"""Returns a connection in a transaction that its giver ends; the same each time."""

MODE: Final = "chiptrail_mode"  # the execution option that says what a transaction is for


class Limits(msgspec.Struct, frozen=True):
    """How many *connections* a process holds, and how long it waits, in seconds."""

    connections: int = 10
    lock_seconds: float = 5.0
    statement_seconds: float = 30.0
    idle_seconds: float = 30.0


_WRITE_LOCKS: Final[WeakKeyDictionary[Engine, WriteLock]] = WeakKeyDictionary()
_FILES: Final[WeakKeyDictionary[Engine, DatabaseFile]] = WeakKeyDictionary()


class UnknownCommit(Exception):
    """COMMIT failed: what was written may be there or not. A repeat with the same key finds out."""


class TransactionMustHaveAPurpose(Exception):
    """A connection was used without saying what for: a defect."""


class TransactionMustBeWhole(Exception):
    """A statement failed, its error was swallowed, and the rest was about to be committed: a defect."""


def make_engine(url: str, limits: Limits = Limits()) -> Engine:  # noqa: B008  # It is frozen.
    """Return an engine for *url*: `sqlite:///<file>`, `postgresql://…` or `postgresql+psycopg://…`.

    Nothing is connected yet. Its transactions begin only in `reading`, `writing` and their like.

    Raises:
        ValueError: neither of the two databases, or an SQLite database that is not a file.
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
    """Run a transaction of commands: committed where the block ends, undone where it raises.

    SQLite's writers take turns. Statements of this kind touch one stream each, or, many commands together, name all.

    Raises:
        UnknownCommit: COMMIT failed.
    """
    with _connected(engine, "writing") as connection, write_lock(engine):
        yield from all_or_nothing(connection)


@contextmanager
def administering(engine: Engine) -> Iterator[Connection]:
    """Run a transaction that writes and is no command's: keys, rebuilt projections.

    Raises:
        UnknownCommit: COMMIT failed.
    """
    with _connected(engine, "administering") as connection, write_lock(engine):
        yield from all_or_nothing(connection)


@contextmanager
def migrating(engine: Engine) -> Iterator[Connection]:
    """Run a transaction that changes the schema.

    Raises:
        UnknownCommit: COMMIT failed.
    """
    with _connected(engine, "migrating") as connection, write_lock(engine):
        yield from all_or_nothing(connection)


@contextmanager
def reading(engine: Engine, *, without_idle_limit: bool = False) -> Iterator[Connection]:
    """Run a transaction that can write nothing and sees one state of the database throughout.

    *without_idle_limit*: who reads may compute between two statements for as long as it takes.
    """
    options: dict[str, str | bool] = {}
    if engine.dialect.name == "postgresql":
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with _connected(engine, "reading", **options) as connection, connection.begin() as transaction:
        if without_idle_limit and engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield connection
        transaction.rollback()


def on_disconnect(engine: Engine, then: Callable[[], None]) -> None:
    """Do *then* whenever *engine* finds a connection cut: what answers next may be a standby, or a copy."""

    def failed(context: ExceptionContext) -> None:
        if context.is_disconnect:
            then()

    event.listen(engine, "handle_error", failed)


class reading_if_needed:  # noqa: N801 -- used as `reading` is; a generator would cost each command more
    """Run a transaction as `reading` does, which begins where its connection is first asked for, if it ever is."""

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
    """Yield *connection* in a transaction that is committed afterwards, or undone.

    Raises:
        UnknownCommit: COMMIT failed.
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
    # PostgreSQL answers the COMMIT of a failed transaction with a ROLLBACK, and no error.
    failed = connection.invalidated or not transaction.is_active
    if not failed and connection.dialect.name == "postgresql":
        driver: Any = connection.connection.driver_connection
        failed = driver.info.transaction_status.name == "INERROR"
    if failed:
        raise TransactionMustBeWhole("a statement of this transaction has failed")


def require_same_file(engine: Engine) -> None:
    """Pass an engine whose SQLite database is the file that it has opened, and any of PostgreSQL's.

    Raises:
        DatabaseWasReplaced: the file was replaced or removed.
    """
    if (file := _FILES.get(engine)) is not None:
        file.require_same_file()


def require_file(engine: Engine, file: DatabaseFile) -> None:
    """Have *engine*, which is on SQLite and has opened nothing yet, open no other file than *file*."""
    _FILES[engine].expect(file)


def write_lock(engine: Engine) -> AbstractContextManager[None]:
    """Write while nobody else does, on SQLite, which has one writer.

    Raises:
        WriteLockNotAcquired: others did for too long.
        DatabaseWasReplaced: the file at its path is not the one that is open.
    """
    lock = _WRITE_LOCKS.get(engine)
    return nullcontext() if lock is None else lock.hold()


def _sqlite(url: URL, limits: Limits) -> Engine:
    if url.database in {None, "", ":memory:"}:
        raise ValueError("the database must be a file: it has to outlive the process")
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
    driver.isolation_level = None  # the driver begins nothing by itself
    if driver.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        driver.execute("PRAGMA journal_mode=WAL")
    driver.execute("PRAGMA synchronous=FULL")
    driver.execute("PRAGMA foreign_keys=ON")
    driver.execute("PRAGMA secure_delete=FAST")  # a sealed value that is erased is overwritten in its page


def _begin_sqlite(connection: Connection) -> None:
    only_reads = _mode(connection) == "reading"
    if connection.info.get("query_only", False) != only_reads:
        connection.exec_driver_sql(f"PRAGMA query_only={only_reads:d}")
        connection.info["query_only"] = only_reads
    connection.exec_driver_sql("BEGIN" if only_reads else "BEGIN IMMEDIATE")


def _postgresql(url: URL, limits: Limits) -> Engine:
    asked = url.query.get("options", "")
    settings = {
        "lock_timeout": _milliseconds(limits.lock_seconds),
        "statement_timeout": _milliseconds(limits.statement_seconds),
        "idle_in_transaction_session_timeout": _milliseconds(limits.idle_seconds),
        "default_transaction_isolation": r"read\ committed",
        # A plan is made and kept while a table is small; reading all of it would not do once it has grown.
        "enable_seqscan": "off",
        "plan_cache_mode": "force_generic_plan",  # what values there are changes nothing where keys are looked up
    }
    options = " ".join([str(asked), *(f"-c {name}={value}" for name, value in settings.items())])
    arrays.register()
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={
            "options": options.strip(),
            "application_name": "chiptrail",
            "prepare_threshold": 0,  # every statement comes again
            "tcp_user_timeout": _milliseconds(limits.statement_seconds),  # for a network that swallows what is sent
        },
        pool_size=limits.connections,
        max_overflow=0,
        pool_timeout=limits.lock_seconds,
    )
    event.listen(engine, "begin", _mode)
    event.listen(engine, "before_cursor_execute", sql.request_binary)
    return engine


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def _mode(connection: Connection) -> Mode:
    mode: Mode | None = connection.get_execution_options().get(MODE)
    if mode is None:
        raise TransactionMustHaveAPurpose("begin it by reading(), writing(), administering() or migrating()")
    return mode
