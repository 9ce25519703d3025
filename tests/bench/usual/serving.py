"""Starts a server of the usual way (Flask, eventsourcing), with as many processes and threads as `chiptrail serve`."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from service.bench import serving
from service.bench.serving import Served
from service.entropy import Entropy
from tests.bench.usual.table import Tables

PROCESSES: Final = 2
THREADS: Final = 32  # the threads of each process; `chiptrail serve` has the same default
_CACHE: Final = {"AGGREGATE_CACHE_MAXSIZE": "4096"}
WAYS: Final[Mapping[str, Mapping[str, str]]] = {
    "as it comes": {},
    "cached": _CACHE,
    "tuned": {**_CACHE, "POSTGRES_ENABLE_DB_FUNCTIONS": "y"},
}
"""The library's settings. "as it comes": each command folds all events of its table, and recording locks the log until
the commit is on the disk. "cached": a process caches tables, and reads only new events. "tuned": as "cached", but one
call of a database function records the events, without that lock."""

HELLO: Final = "hello"
"""The name of a bare Flask app on the same server, which does nothing but read the request and answer."""
_STOP_SECONDS: Final = 20.0


def environment(database_url: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the library's environment variables: *settings*, and the address of the PostgreSQL at *database_url*."""
    url = make_url(database_url)
    host = url.host or url.query["host"]
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": url.database or "",
        "POSTGRES_HOST": host if isinstance(host, str) else host[0],
        "POSTGRES_PORT": str(url.port or 5432),
        "POSTGRES_USER": url.username or "",
        "POSTGRES_PASSWORD": url.password or "",
        **settings,
    }


@contextmanager
def server(database_url: str, folder: Path, entropy: Entropy, settings: Mapping[str, str]) -> Iterator[Served]:
    """Serve the empty database at *database_url*; the server's output goes into the new *folder*.

    Raises:
        DidNotStart: the server did not start.
    """
    told = environment(database_url, settings)
    Tables(told).close()  # this creates the SQL tables: otherwise two workers would create them at the same time
    with _app("tests.bench.usual.web:application", folder, entropy, {**told, "CREATE_TABLE": "n"}) as served:
        yield served


@contextmanager
def hello_server(folder: Path, entropy: Entropy) -> Iterator[Served]:
    """Serve the app that answers "hello"; the server's output goes into the new *folder*.

    Raises:
        DidNotStart: the server did not start.
    """
    with _app("tests.bench.usual.hello:application", folder, entropy, {}) as served:
        yield served


@contextmanager
def _app(factory: str, folder: Path, entropy: Entropy, variables: Mapping[str, str]) -> Iterator[Served]:
    folder.mkdir()
    port = serving._free_port()
    words = f"--interface wsgi --workers {PROCESSES} --blocking-threads {THREADS} --http 1 --no-ws --log-level error"
    command = [sys.executable, "-m", "granian", *words.split(), "--host", "127.0.0.1", "--port", str(port)]
    ours = {**serving._environment(), **variables}
    path = os.pathsep.join(each for each in (ours["PYTHONPATH"], os.environ.get("PYTHONPATH", "")) if each)
    with (folder / "said.txt").open("w") as said:
        process = subprocess.Popen(
            [*command, "--factory", factory], stdout=said, stderr=said, env={**ours, "PYTHONPATH": path}
        )
    try:
        url = f"http://127.0.0.1:{port}"
        serving._wait_for(url, process, folder / "said.txt", entropy)
        yield Served(url, "", process.pid)
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
