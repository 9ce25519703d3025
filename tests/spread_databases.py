"""New spread databases: on two nodes of a stand-in for Citus on plain PostgreSQL, or on a given Citus."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from service.database import engines, schema_check
from service.database.spread import placement

GIVEN_CITUS = "CHIPTRAIL_TEST_CITUS"
"""The URLs of a coordinator and its nodes, with spaces between them: the tests use these servers, and no stand-in."""
SHARDS = 4
_STAND_IN = Path(__file__).with_name("citus_stand_in.sql")
_STANDING_IN = "ALTER DATABASE {} SET search_path = public, citus_stand_in"


class SpreadDatabases:
    """Makes spread databases as copies of a template."""

    def __init__(
        self,
        server: Callable[[str], str],
        execute: Callable[..., None],
        copied: Callable[[str, str], AbstractContextManager[str]],
        new_name: Callable[[], str],
    ) -> None:
        self._server = server
        self._execute = execute
        self._copied = copied
        self._new_name = new_name
        self._template = ""

    @contextmanager
    def made(self) -> Iterator[str]:
        """Make a migrated database whose tables are placed on nodes; yield its URL, and then remove the database."""
        if given := os.environ.get(GIVEN_CITUS, "").split():
            with self._copied_everywhere(given) as url:
                yield url
            return
        server = self._server("postgresql")
        if not self._template:
            self._template = self._new_name()
            self._execute(server, "CREATE DATABASE {}", self._template)
            self._make_standing_in(server, self._template)
            _distribute(_url(server, self._template))
        with self._copied(server, self._template) as url:
            self._execute(server, _STANDING_IN, make_url(url).database or "")
            yield url

    @contextmanager
    def empty(self) -> Iterator[str]:
        """Make an empty database with two nodes of the stand-in; yield its URL, and then remove the database."""
        server = self._server("postgresql")
        with self._copied(server, "template0") as url:
            self._make_standing_in(server, make_url(url).database or "")
            yield url

    def close(self) -> None:
        """Remove the template."""
        for server in (
            (os.environ.get(GIVEN_CITUS, "").split() or [self._server("postgresql")]) if self._template else ()
        ):
            self._shut(server, self._template)
            self._execute(server, "DROP DATABASE {} WITH (FORCE)", self._template)

    def _make_standing_in(self, server: str, name: str) -> None:
        self._execute(server, _STANDING_IN, name)
        with psycopg.connect(plain(_url(server, name)), autocommit=True) as connection:
            connection.execute(_STAND_IN.read_bytes())
            address = {"host": connection.info.host, "port": connection.info.port}
            for group in (1, 2):
                of_node = "INSERT INTO citus_stand_in.pg_dist_node VALUES (%(group)s, %(host)s, %(port)s)"
                connection.execute(of_node, {"group": group, **address})

    @contextmanager
    def _copied_everywhere(self, servers: Sequence[str]) -> Iterator[str]:
        """Copy the template on *servers* (coordinator first); yield the coordinator's URL; then remove the copies."""
        if not self._template:
            self._template = self._new_name()
            self._make_on_citus(servers)
        copy = self._new_name()
        for server in servers:
            self._execute(server, "CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", copy, self._template)
            self._execute(
                server, "ALTER DATABASE {} SET citus.enable_unsafe_triggers = on", copy
            )  # tests drop triggers
        yield _url(servers[0], copy)
        for server in servers:
            self._shut(server, copy)
            self._execute(server, "DROP DATABASE {} WITH (FORCE)", copy)

    def _make_on_citus(self, servers: Sequence[str]) -> None:
        for server in servers:
            self._execute(server, "CREATE DATABASE {}", self._template)
            with psycopg.connect(plain(_url(server, self._template)), autocommit=True) as connection:
                connection.execute("CREATE EXTENSION citus")
        with psycopg.connect(plain(_url(servers[0], self._template)), autocommit=True) as connection:
            for at, server in enumerate(servers):
                place = make_url(server)
                how = sql.Identifier("citus_add_node" if at else "citus_set_coordinator_host")
                connection.execute(sql.SQL("SELECT {}(%s, %s)").format(how), [place.host, place.port])
        _distribute(_url(servers[0], self._template))
        for server in servers:
            self._shut(server, self._template)

    def _shut(self, server: str, name: str) -> None:
        """Forbid connections to the database *name*, and end its sessions and its maintenance process of Citus."""
        self._execute(server, "ALTER DATABASE {} ALLOW_CONNECTIONS false", name)
        with psycopg.connect(plain(server), autocommit=True) as connection:
            ended = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s"
            connection.execute(ended, [name])


def plain(url: str) -> str:
    """Return *url* as psycopg takes it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _distribute(url: str) -> None:
    engine = engines.make_engine(url)
    schema_check.migrate(engine)
    with engines.migrating(engine) as connection:
        placement.distribute(connection, SHARDS)
    engine.dispose()


def _url(server: str, name: str) -> str:
    return make_url(server).set(database=name).render_as_string(hide_password=False)
