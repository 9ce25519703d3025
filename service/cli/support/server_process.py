"""Runs a server as a child process, on a free port of this machine; the server ends with its parent."""

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Final

from msgspec import Struct

from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.client.client import Client
from service.client.client_errors import ServerGone
from service.clock import Clock

END_WITH_INPUT: Final = "--end-with-input"
PROGRAM: Final = (sys.executable, "-P", "-m", "service.cli")
"""The command line that runs Chiptrail without the script `chiptrail`."""

_GRACE_SECONDS: Final = 5.0
_CHECK_SECONDS: Final = 0.5
_PORTS_TRIED: Final = 3
_READY_CHECKS: Final = 600
_CHECK_PAUSE_SECONDS: Final = 0.05
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
    command: str = "serve",
) -> Iterator[Server]:
    """Start the *command* of *program* with *arguments* on a free port; yield the server when it is ready.

    At the end of the `with` block the server stops. Its output goes to the file *log*. If this process is killed, the
    server ends too: its standard input is a pipe from this process, and the server stops when this pipe is closed.

    Raises:
        CommandFailed: the server did not become ready; the message has the server's output.
    """
    server = _started([*program, command, *arguments], log, environment)
    try:
        yield server
    finally:
        stop(server.process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Terminate *process*, and kill it if it does not end within `_STOP_SECONDS`."""
    process.terminate()
    try:
        process.communicate(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def end_with_input() -> None:
    """Start a thread that sends this process SIGTERM when its standard input ends."""
    Thread(target=_wait_for_end, name="end-with-input", daemon=True).start()


def end_with_parent() -> None:
    """Wait until the parent process ends, then stop this process gracefully; after a grace period end it immediately.

    If this process is no worker, return at once. Without this function, a worker whose parent was killed would go on
    answering requests beside the next server's workers.
    """
    if parent_pid() is None:
        return
    # The sentinel of `parent_process()` is no help: it is a pipe, and each later worker holds a copy of the pipe's
    # other end. While such a worker runs, the sentinel stays silent.
    while not has_lost_parent():
        Event().wait(_CHECK_SECONDS)
    ending = Timer(_GRACE_SECONDS, os._exit, (1,))
    ending.daemon = True
    ending.start()
    os.kill(os.getpid(), signal.SIGTERM)


def parent_pid() -> int | None:
    """Return the id of the process that started this worker, or None if this process is no worker."""
    parent = multiprocessing.parent_process()
    return parent.pid if parent else None


def has_lost_parent() -> bool:
    """Return whether this process is a worker whose parent has ended."""
    return parent_pid() not in {None, os.getppid()}


def must_be_free(flag: str, host: str, port: int) -> None:
    """Check that no other process listens on the port: the workers' sockets would share such a port silently.

    Raises:
        CommandFailed: the server can't listen at *host* and *port*.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            trial.listen(1)
    except OSError as error:
        why = f"Can't listen at {host}, port {port}: {os.strerror(error.errno or 0)}."
        raise CommandFailed(ExitCode.FAILED, f"{why} Choose another port by --{flag}.") from error


def free_port() -> int:
    """Return a port of this machine on which no process listens at this moment."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
        return port


def _started(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> Server:
    for _ in range(_PORTS_TRIED):
        port = free_port()
        with log.open("ab") as output:
            process = subprocess.Popen(  # noqa: S603 -- the command is Chiptrail's own, and no shell interprets it
                [*command, "--port", str(port), END_WITH_INPUT],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,  # Ctrl-C reaches only this process: it stops its clients, then the server
            )
        server = Server(f"http://127.0.0.1:{port}", process)
        if _is_ready(server):
            return server
        stop(process)
    raise CommandFailed(ExitCode.FAILED, f"The server did not start. Its output:\n{log.read_text()}")


def _is_ready(server: Server) -> bool:
    """Return True once *server* reports that it is ready, and False if the server ends or takes too long."""
    client = Client(server.url, "", Clock(), patience_seconds=0)
    try:
        for _ in range(_READY_CHECKS):
            with suppress(ServerGone):
                client.get("/readyz", dict[str, str])
                return server.process.poll() is None
            if server.process.poll() is not None:
                return False
            Event().wait(_CHECK_PAUSE_SECONDS)
    finally:
        client.close()
    return False


def _wait_for_end() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
