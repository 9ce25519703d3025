"""Runs commands in this process or as a user does, without the settings of the person who runs the tests."""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, NamedTuple

import pytest
import structlog
from click.testing import CliRunner
from granian.server.mp import MPServer
from sqlalchemy import select

from service.__main__ import write_script
from service.cli import main
from service.cli.support import server_process
from service.cli.support.server_process import Server
from service.database import engines
from service.database.metadata import SERVICE_STREAM
from service.event_store import export_format
from service.event_store.log_tables import events
from tests.house.tree import ROOT

UNHURRIED = ("--owner-requests-per-second", "0", "--address-requests-per-second", "0")
"""These flags turn off the rate limits: tests send requests faster than users."""


def _script() -> Path:
    """Write the script `chiptrail` as the set-up of a fresh clone does; return its path."""
    folder = Path(tempfile.mkdtemp(prefix="chiptrail-bin-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write_script(folder / "chiptrail", Path(sys.executable))
    return folder / "chiptrail"


SCRIPT = _script()
COMMAND = (str(SCRIPT),)
running_server = partial(server_process.run_server, program=COMMAND)


class Said(NamedTuple):
    """The exit code of a command, and its standard output and standard error."""

    code: int
    out: str
    err: str


class Instance(NamedTuple):
    """An installation of Chiptrail: a database and a data folder, which a test passes to every command."""

    database: str
    data: Path

    @property
    def flags(self) -> tuple[str, ...]:
        return ("--database", self.database, "--data", str(self.data))

    @property
    def first_key(self) -> str:
        return (self.data / "first-key.txt").read_text().strip()

    def run(self, *arguments: str, **variables: str) -> Said:
        """Run a command on this instance, in this process; *arguments* start with the command's name."""
        return run(*arguments, *self.flags, **variables)

    def run_as_user(self, *arguments: str) -> Said:
        """Run a command on this instance, in a new process; *arguments* start with the command's name."""
        return run_as_user(*arguments, *self.flags)

    def service_events(self) -> list[dict[str, Any]]:
        """Return the leaves of the service's own stream, decoded."""
        engine = engines.make_engine(self.database)
        statement = select(events.c.leaf).where(events.c.stream_id == SERVICE_STREAM).order_by(events.c.position)
        with engines.reading(engine) as connection:
            leaves = connection.scalars(statement).all()
        engine.dispose()
        return [json.loads(bytes(leaf)) for leaf in leaves]


class Served(NamedTuple):
    """A server on the database of an instance."""

    instance: Instance
    server: Server

    @property
    def url(self) -> str:
        return self.server.url


def run(*arguments: str, **variables: str) -> Said:
    """Run a command in this process, with *variables* in its environment; fail if the command starts a server."""
    with _alone():
        chosen = {**_without_ours(), **environment(), **variables}
        done = CliRunner().invoke(main, arguments, prog_name="chiptrail", env=chosen, catch_exceptions=False)
    return Said(done.exit_code, done.stdout, done.stderr)


def run_as_user(*arguments: str, command: Sequence[str] = COMMAND) -> Said:
    """Run a command in a new process; this takes as long as a hundred commands in this process."""
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment(), check=False)
    return Said(done.returncode, done.stdout, done.stderr)


@contextmanager
def _alone() -> Iterator[None]:
    """Forbid servers in the block; afterwards restore the program's name and the configuration of log lines."""
    notices = structlog.get_config()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [str(SCRIPT)])
        patch.setattr(MPServer, "serve", _must_not_serve)
        yield
    structlog.configure(**notices)


def _must_not_serve(*_: object, **__: object) -> None:
    raise AssertionError("a server started in the process of the tests")


def _without_ours() -> Mapping[str, None]:
    """Return Chiptrail's environment variables, each with None, so that no command sees their values."""
    return {name: None for name in os.environ if name.startswith("CHIPTRAIL_")}


def leaves_of(exported: str) -> str:
    """Return the lines of a whole export without its first and its last line."""
    first, *lines, last = exported.splitlines(keepends=True)
    assert export_format.parse_begin(first.encode())
    end = export_format.parse_end(last.encode())
    assert end
    assert end.is_whole, end
    return "".join(lines)


class Started(subprocess.Popen[str]):
    """A command in a process session of its own. If a `with` block fails, the command and its children are killed."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:  # Without this, the failure would be hidden by an endless wait for the command.
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        super().__exit__(kind, error, traceback)


def start(*arguments: str) -> Started:
    """Start a command in a new process session, so that `kill` can end the command and its child processes."""
    return Started(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )


def kill(process: subprocess.Popen[str]) -> None:
    """Kill *process* and all its child processes immediately."""
    with process:  # this closes the pipes of the process, and waits for its end
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def is_silent(port: int) -> bool:
    """Return whether no process listens on *port* of this machine."""
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) != 0


def must_fall_silent(port: int) -> None:
    """Return once no process listens on *port*; fail after half a minute."""
    for _ in range(600):
        if is_silent(port):
            return
        Event().wait(0.05)
    raise AssertionError(port)


def environment() -> dict[str, str]:
    kept: Sequence[str] = ("PATH", "HOME", "TMPDIR", "LANG", "PYTHONPYCACHEPREFIX")
    named = {name: os.environ[name] for name in kept if name in os.environ}
    return {**named, "PYTHONPATH": str(ROOT), "CHIPTRAIL_LOG_LEVEL": "warning"}
