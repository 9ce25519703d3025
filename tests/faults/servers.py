"""A server of `chiptrail serve`, which a test can kill and restart as often as the test needs."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Final

from service import settings
from service.cli.support import server_process
from service.cli.verify import run as verify
from service.client.client import Client
from service.client.client_errors import ServerGone
from service.entropy import Entropy
from tests.cli.commands import COMMAND, UNHURRIED, Instance, environment, must_fall_silent

CAP_SECONDS: Final = 60


class Serving:
    """A server of an instance, in its own process session; its output goes to the instance's file `server.log`."""

    def __init__(
        self,
        instance: Instance,
        *arguments: str,
        more: Mapping[str, str] | None = None,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.instance = instance
        self.port = server_process.free_port()
        self.log = instance.data / "server.log"
        instance.data.mkdir(exist_ok=True)
        self._arguments = [*instance.flags, *UNHURRIED, "--port", str(self.port), *arguments]
        self._command = command
        self._environment = {**environment(), **(more or {})}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server, and return once it is ready."""
        self._begin()
        self.must_be_ready()

    def must_be_ready(self) -> None:
        """Return once the server and its database answer; if the server ends instead, restart it, but only once.

        The server ends if a worker that replaced another worker ends soon after its start.
        """
        started_again = False

        def answers() -> bool:
            nonlocal started_again
            if self._process is not None and self._process.poll() is not None:
                assert not started_again, self.log.read_text()[-4000:]
                started_again = True
                self._begin()
            with suppress(ServerGone):
                client.get("/readyz", dict[str, str])
                return True
            return False

        with closing(Client(self.url, "", Entropy(), patience_seconds=0)) as client:
            wait_until(answers)

    def _begin(self) -> None:
        with self.log.open("ab") as said:
            self._process = subprocess.Popen(
                [*self._command, "serve", *self._arguments],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=self._environment,
                start_new_session=True,
            )

    def workers(self) -> list[int]:
        """Return the process ids of the workers."""
        return sorted(pid for pid in session(self.pid) if pid != self.pid)

    def kill(self) -> None:
        """Kill all processes of the server immediately."""
        if self._process is not None:
            workers = self.workers()
            self._process.kill()  # the parent first, so that it does not replace the workers
            for pid in workers:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """Stop the server as an operator does; its exit code must be 0."""
        assert self._process is not None
        self._process.terminate()
        assert self._process.wait(CAP_SECONDS) == 0, self.log.read_text()[-4000:]
        self._process = None

    def kill_a_worker(self, chance: random.Random) -> None:
        """Kill a random worker, and return once a new worker has replaced it or the server has ended."""
        process, before = self._process, self.workers()
        assert process is not None
        os.kill(killed := chance.choice(before), signal.SIGKILL)
        wait_until(
            lambda: process.poll() is not None or (len(now := self.workers()) == len(before) and killed not in now)
        )

    def kill_the_first(self) -> None:
        """Kill only the parent of the workers, and return once no worker listens any more."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None
        must_fall_silent(self.port)


@contextmanager
def serving(
    instance: Instance, *arguments: str, more: Mapping[str, str] | None = None, command: Sequence[str] = COMMAND
) -> Iterator[Serving]:
    """Start a server, yield it once it is ready, and kill it afterwards."""
    server = Serving(instance, *arguments, more=more, command=command)
    try:
        server.start()
        yield server
    finally:
        server.kill()


def must_be_clean(instance: Instance) -> None:
    """Verify the whole database of *instance*: every decision and all stored data."""
    report = verify(settings.load({}, data_folder=instance.data, database_url=instance.database))
    assert not report.has_failed, report


def wait_until(claim: Callable[[], bool]) -> None:
    """Return once *claim* is true; fail after `CAP_SECONDS`."""
    end = time.monotonic() + CAP_SECONDS
    while not claim():
        assert time.monotonic() < end, claim
        Event().wait(0.01)


def session(leader: int) -> list[int]:
    """Return the ids of the running processes in the session of *leader*, including *leader*."""
    return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit() and _session_of(one) == leader]


def _session_of(process: Path) -> int:
    """Return the session id of a *process*; 0 if it has ended."""
    try:
        state, _parent, _group, session, *_ = (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if state == "Z" else int(session)
