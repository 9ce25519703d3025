"""Temporary databases for figures: new, migrated, and with the durability settings of production."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Self

from sqlalchemy import Engine, create_engine, make_url

from service.bench import postgres
from service.clock import Clock
from service.database import durability, engines, schema_check
from service.database.spread import nodes, placement

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"

_DURABLE: Final = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
_QUESTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    SQLITE: ("PRAGMA journal_mode", "PRAGMA synchronous"),
    POSTGRESQL: (
        "SHOW server_version",
        "SHOW fsync",
        "SHOW synchronous_commit",
        "SHOW full_page_writes",
        "SHOW wal_sync_method",
        "SHOW shared_buffers",
    ),
}


class NoPostgreSQL(Exception):
    """There is no PostgreSQL, or its driver is not installed; the message gives the remedy."""


@contextmanager
def folder() -> Iterator[Path]:
    """Yield a new folder among the system's temporary files, and remove the folder afterwards."""
    made = Path(tempfile.mkdtemp(prefix="chiptrail-bench-"))
    made.chmod(0o711)  # if we are root, the user nobody runs the server and must reach its folder
    try:
        yield made
    finally:
        shutil.rmtree(made)


class TemporaryDatabases:
    """Creates databases of a kind, "sqlite" or "postgresql".

    *server* is the URL of a PostgreSQL server, or "" to start a server when a database first needs one. SQLite's
    databases, and a server that this object starts, are in the folder *home*.
    """

    def __init__(self, home: Path, server: str, clock: Clock) -> None:
        self.home: Final = home
        self._server = server
        self._clock = clock
        self._started = ExitStack()
        self.settings: Final[dict[str, str]] = {}
        """The settings of the databases created so far, by kind."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._started.close()

    @contextmanager
    def create(self, kind: str) -> Iterator[str]:
        """Create a migrated database of *kind*, yield its URL, and remove the database afterwards.

        Raises:
            NoPostgreSQL: there is no PostgreSQL, or psycopg is not installed.
            UnsafeDatabase: with the settings of the server, the database could lose acknowledged commits.
        """
        name = self._clock.new_id("chiptrail_bench")
        with self._on_server(name) if kind == POSTGRESQL else self._in_file(name) as url:
            with opened(url) as engine:
                schema_check.migrate(engine)
                durability.check_engine(engine)
                self.settings[kind] = _settings(engine) + _placed(engine)
            yield url

    @property
    def process(self) -> int:
        """The id of the main process of the PostgreSQL server that this object started; 0: no server was started."""
        file = self.home / "postgresql" / "data" / "postmaster.pid"
        return int(file.read_text().split()[0]) if file.exists() else 0

    @contextmanager
    def _in_file(self, name: str) -> Iterator[str]:
        file = self.home / f"{name}.db"
        yield f"sqlite:///{file}"
        for part in self.home.glob(f"{file.name}*"):
            part.unlink()

    @contextmanager
    def _on_server(self, name: str) -> Iterator[str]:
        server = self._server = self._server or self._start()
        with ExitStack() as made:
            _make(server, name, made)
            if others := _nodes(server):
                for host, port in others:
                    _make(_at_node(server, host, port), name, made)
                _connect_nodes(_url(server, database=name), others)
            yield _url(server, database=name)

    def _start(self) -> str:
        found = postgres.installations()
        if not found:
            raise NoPostgreSQL("no PostgreSQL was found: install one, or name a server by --postgresql URL")
        self._started.callback(postgres.stop_all, self.home)
        postgres.start(found[0], self.home / "postgresql", _DURABLE)
        return postgres.url_of(self.home / "postgresql")


@contextmanager
def opened(url: str) -> Iterator[Engine]:
    """Yield an engine on the database at *url*."""
    engine = engines.make_engine(url)
    try:
        yield engine
    finally:
        engine.dispose()


def _make(server: str, name: str, made: ExitStack) -> None:
    _execute(server, f"CREATE DATABASE {name}")
    made.callback(_execute, server, f"DROP DATABASE {name} WITH (FORCE)")


def _connect_nodes(url: str, others: Sequence[tuple[str, int]]) -> None:
    """Make the database at *url* the coordinator of the databases of the same name on the servers *others*."""
    for at in (url, *(_at_node(url, host, port) for host, port in others)):
        _execute(at, "CREATE EXTENSION citus")
    coordinator = make_url(url)
    if coordinator.host:
        _execute(url, f"SELECT citus_set_coordinator_host('{coordinator.host}', {coordinator.port or 5432})")
    for host, port in others:
        _execute(url, f"SELECT citus_add_node('{host}', {port})")


def _nodes(server: str) -> Sequence[tuple[str, int]]:
    """Return the addresses of the nodes that the database at *server* knows, or [] if this is no coordinator."""
    with opened(server) as engine, engines.reading(engine) as connection:
        return [(node.host, node.port) for node in nodes.nodes(connection)] if placement.knows_nodes(connection) else []


def _url(server: str, *, database: str) -> str:
    return make_url(server).set(database=database).render_as_string(hide_password=False)


def _at_node(url: str, host: str, port: int) -> str:
    """Return *url* with the address of the node *host*:*port* in place of its own address."""
    at = make_url(url).set(host=None, port=None).update_query_dict({"host": host, "port": str(port)})
    return at.render_as_string(hide_password=False)


def _placed(engine: Engine) -> str:
    """Place the database tables on the nodes, and return ", nodes=<number>"; if there are no nodes, return ""."""
    if engine.dialect.name != POSTGRESQL:
        return ""
    with engines.migrating(engine) as connection:
        if not placement.knows_nodes(connection):
            return ""
        placement.distribute(connection)
        return f", nodes={len(nodes.nodes(connection))}"


def _settings(engine: Engine) -> str:
    """Return, as text, the settings of a database that affect figures."""
    with engines.reading(engine) as connection:
        found = [
            f"{question.partition(' ')[2]}={connection.exec_driver_sql(question).scalar_one()}"
            for question in _QUESTIONS[engine.dialect.name]
        ]
    return ", ".join(found)


def _execute(server: str, statement: str) -> None:
    try:
        engine = create_engine(make_url(server).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    except ModuleNotFoundError as error:
        raise NoPostgreSQL("psycopg is not installed; it comes with the extra chiptrail[postgres]") from error
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()
