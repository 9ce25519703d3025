"""A server of the usual way, to be measured: as many processes and threads as `chiptrail serve` has."""

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
THREADS: Final = 32  # of each process, as `chiptrail serve` has them unless it is told otherwise
_CACHE: Final = {"AGGREGATE_CACHE_MAXSIZE": "4096"}
WAYS: Final[Mapping[str, Mapping[str, str]]] = {
    "as it comes": {},
    "cached": _CACHE,
    "tuned": {**_CACHE, "POSTGRES_ENABLE_DB_FUNCTIONS": "y"},
}
"""The library's settings. As it comes, each command folds all of its table's events, and recording them locks the log
against all others until they are on the disk. Cached, a process keeps tables and reads only what is new; tuned, events
are recorded by one call of a function in the database, too, without that lock."""

_STOP_SECONDS: Final = 20.0


def environment(database_url: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return how the library is told to record on the PostgreSQL at *database_url*, with further *settings* of its."""
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
    """Serve the empty database at *database_url*; what the server says goes into the new *folder*.

    Raises:
        DidNotStart: the server did not come up.
    """
    folder.mkdir()
    told = environment(database_url, settings)
    Tables(told).close()  # makes the tables once; two workers would make them at the same time
    port = serving._free_port()
    words = f"--interface wsgi --workers {PROCESSES} --blocking-threads {THREADS} --http 1 --no-ws --log-level error"
    command = [sys.executable, "-m", "granian", *words.split(), "--host", "127.0.0.1", "--port", str(port)]
    variables = {**serving._environment(), **told, "CREATE_TABLE": "n"}
    path = os.pathsep.join(each for each in (variables["PYTHONPATH"], os.environ.get("PYTHONPATH", "")) if each)
    with (folder / "said.txt").open("w") as said:
        process = subprocess.Popen(
            [*command, "--factory", "tests.bench.usual.web:application"],
            stdout=said,
            stderr=said,
            env={**variables, "PYTHONPATH": path},
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
