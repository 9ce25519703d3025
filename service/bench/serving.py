"""Starts a server for figures: `chiptrail serve` in a process of its own, as a user would start it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from service.client.client import Client
from service.client.client_errors import ServerGone
from service.clock import Clock

_PROGRAM: Final = "from service.cli import main; main()"
_PATIENCE_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 20.0


class DidNotStart(Exception):
    """The server did not start; the message has the end of its output."""


class Served(Struct, frozen=True):
    """A running server: its *url*, its *first_key*, and its main *process*."""

    url: str
    first_key: str
    process: int

    @property
    def authority(self) -> str:
        """The host and the port of the server."""
        return self.url.removeprefix("http://")


@contextmanager
def server(
    database_url: str, folder: Path, clock: Clock, *, limited: bool = False, flags: Sequence[str] = ()
) -> Iterator[Served]:
    """Serve the migrated database at *database_url*; the server writes keys and output into the new *folder*.

    Unless *limited* is true, owners and addresses have no rate limit. *flags* are further flags of the server.

    Raises:
        DidNotStart: the server did not start.
    """
    folder.mkdir()
    port = _free_port()
    unlimited = () if limited else ("--owner-requests-per-second", "0", "--address-requests-per-second", "0")
    all_flags = ("--database", database_url, "--data", str(folder), "--port", str(port), *unlimited, *flags)
    with (folder / "output.txt").open("w") as output:
        process = subprocess.Popen(  # noqa: S603  # the program and the arguments are our own
            [sys.executable, "-c", _PROGRAM, "serve", *all_flags], stdout=output, stderr=output, env=_environment()
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, process, folder / "output.txt", clock)
        yield Served(url, (folder / "first-key.txt").read_text().strip(), process.pid)
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(url: str, process: subprocess.Popen[Any], output: Path, clock: Clock) -> None:
    client = Client(url, "", clock, patience_seconds=1)
    given_up = clock.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            client.get("/readyz", dict[str, Any])
        except ServerGone:
            if process.poll() is not None or clock.monotonic() > given_up:
                raise DidNotStart(f"the server did not start: {output.read_text().strip()[-1000:]}") from None
        else:
            client.close()
            return


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
    return port


def _environment() -> dict[str, str]:
    """Return the environment without Chiptrail's variables, and with this code in PYTHONPATH."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("CHIPTRAIL_")}
    return others | {"PYTHONPATH": str(Path(__file__).parents[2])}
