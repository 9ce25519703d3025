"""A server of one's own: a real process on a free port of this machine, ended with whoever started it."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final

from msgspec import Struct

from service.bots.client import Client, ServerGone
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.clock import Clock

END_WITH_INPUT: Final = "--end-with-input"
PROGRAM: Final = (sys.executable, "-P", "-m", "service.cli")
"""The command line, where no script of its name is at hand."""

_PORTS_TRIED: Final = 3
_LOOKS: Final = 600
_BETWEEN_LOOKS_SECONDS: Final = 0.05
_STOP_SECONDS: Final = 20.0


class Server(Struct, frozen=True):
    """A server that answers at *url*."""

    url: str
    process: subprocess.Popen[bytes]


@contextmanager
def run_server(
    arguments: Sequence[str],
    log: Path,
    environment: Mapping[str, str] = os.environ,
    program: Sequence[str] = PROGRAM,
) -> Iterator[Server]:
    """Start `chiptrail serve`, as *program*, with *arguments* on a free port, yield it once it is ready, and end it.

    What it says goes to the file *log*. Should this process be killed, the server ends all the same: it
    holds one end of a pipe, and ends when nobody holds the other.

    Raises:
        CommandFailed: it did not become ready; what it said is told.
    """
    server = _started([*program, "serve", *arguments], log, environment)
    try:
        yield server
    finally:
        stop(server.process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End *process* gently, or else for good."""
    process.terminate()
    try:
        process.communicate(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def end_with_input() -> None:
    """Have this process stopped, as by SIGTERM, as soon as its standard input ends."""
    Thread(target=_wait_for_end, name="end-with-input", daemon=True).start()


def free_port() -> int:
    """Return a port of this machine that nobody listens on at this moment."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
        return port


def _started(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> Server:
    for _ in range(_PORTS_TRIED):
        port = free_port()
        with log.open("ab") as said:
            process = subprocess.Popen(  # noqa: S603 -- a command of ours
                [*command, "--port", str(port), END_WITH_INPUT],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=said,
                env=environment,
            )
        server = Server(f"http://127.0.0.1:{port}", process)
        if _is_ready(server):
            return server
        stop(process)
    raise CommandFailed(ExitCode.FAILED, f"the server did not start; it said:\n{log.read_text()}")


def _is_ready(server: Server) -> bool:
    """Wait until *server* answers, and return True; False where it ends instead, or takes too long."""
    client = Client(server.url, "", Clock(), patience_seconds=0)
    try:
        for _ in range(_LOOKS):
            with suppress(ServerGone):
                client.get("/readyz", dict[str, str])
                return server.process.poll() is None
            if server.process.poll() is not None:
                return False
            Event().wait(_BETWEEN_LOOKS_SECONDS)
    finally:
        client.close()
    return False


def _wait_for_end() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
