"""A failover that loses commits: an earlier copy takes the place of a database that a service uses."""

import secrets
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql
from sqlalchemy import Engine

from service.database.cache_generation import Generation


class Copy:
    """Copies the database of *engine* in `__init__`. When the copy takes over, all later commits are lost.

    On PostgreSQL the cache *generation* ends as in a real failover: the service finds its connections cut. On SQLite
    the file must not be replaced while a service runs. So the copy's content overwrites the file's content, and this
    class ends the generation.
    """

    def __init__(self, engine: Engine, generation: Generation) -> None:
        self._engine = engine
        self._generation = generation
        self._name = f"{engine.url.database}_{secrets.token_hex(4)}"
        if engine.dialect.name == "sqlite":
            _overwrite(str(engine.url.database), self._name)
        else:
            self._run("CREATE DATABASE {} TEMPLATE {}", self._name, str(engine.url.database))

    def take_over(self) -> None:
        """Put the copy in the place of the database."""
        name = str(self._engine.url.database)
        if self._engine.dialect.name == "sqlite":
            _overwrite(self._name, name)
            self._generation.end()
            return
        lost = f"{name}_lost"
        self._run("ALTER DATABASE {} RENAME TO {}", name, lost)
        self._run("ALTER DATABASE {} RENAME TO {}", self._name, name)
        self._run("DROP DATABASE {}", lost)

    def remove(self) -> None:
        """Remove the copy, if it still exists."""
        if self._engine.dialect.name == "sqlite":
            Path(self._name).unlink(missing_ok=True)
        else:
            self._run("DROP DATABASE IF EXISTS {}", self._name)

    def _run(self, statement: LiteralString, *names: str) -> None:
        """Run *statement* on the databases *names*, after ending all sessions on these databases."""
        url = self._engine.url.set(drivername="postgresql", database="postgres")
        with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as connection:
            for name in names:
                connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
                while connection.execute("SELECT 1 FROM pg_stat_activity WHERE datname = %s", [name]).fetchone():
                    connection.execute("SELECT pg_stat_clear_snapshot()")
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _overwrite(source: str, target: str) -> None:
    if not Path(target).exists():
        shutil.copy(source, target)  # for the file's header; the backup below copies all rows
    with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)
