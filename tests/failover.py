"""A failover that loses commits: a copy that was made earlier takes the database's place, under whoever uses it."""

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
    """The database of *engine* as it is now, ready to take its place: all that is committed later is lost then.

    The *generation* ends as it does in a service: on PostgreSQL because connections are found cut. A file can be
    exchanged only for a service that is stopped, so on SQLite other rows take the place of those that are there, and
    the generation is ended by hand.
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
        """Be the database from now on."""
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
        """Remove what has not taken over."""
        if self._engine.dialect.name == "sqlite":
            Path(self._name).unlink(missing_ok=True)
        else:
            self._run("DROP DATABASE IF EXISTS {}", self._name)

    def _run(self, statement: LiteralString, *names: str) -> None:
        """Run a statement on whole databases, once nobody is connected to the first of *names* that is there."""
        url = self._engine.url.set(drivername="postgresql", database="postgres")
        with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as connection:
            for name in names:
                connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
                while connection.execute("SELECT 1 FROM pg_stat_activity WHERE datname = %s", [name]).fetchone():
                    connection.execute("SELECT pg_stat_clear_snapshot()")
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _overwrite(source: str, target: str) -> None:
    if not Path(target).exists():
        shutil.copy(source, target)  # it has its header; what is in the journal comes with the rows
    with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)
