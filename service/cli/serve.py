"""`chiptrail serve`: answer requests until told to stop."""

import multiprocessing
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Final, get_args

import click
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.mp import MPServer
from msgspec import structs
from sqlalchemy.exc import OperationalError

from service.cli import background, first_key, flags, opening, worker
from service.cli.endings import Code, Ended
from service.entropy import Entropy
from service.log.database import administering, close_for_good, make_engine
from service.log.turns import TurnDidNotCome
from service.settings import LogLevel, Settings

_GRACE_SECONDS: Final = 10  # what requests under way get to end in, once a stop was asked for
_METRICS_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"  # prometheus-client's own word


@click.command()
@flags.with_settings
@click.option(
    "--first-key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the first API key is written; first-key.txt in the folder of --data unless it is set.",
)
@click.option("--log-level", type=click.Choice(get_args(LogLevel)), help="The least that is logged: info.")
@click.option("--host", metavar="ADDRESS", help="Where to listen; this machine alone unless it is set.")
@click.option("--port", type=int, help="8000 unless it is set.")
@click.option("--threads", type=int, help="Requests answered at once, by each worker.")
@click.option("--owner-requests-per-second", type=int, help="Of all keys of an owner together: 100; 0: any number.")
@click.option("--address-requests-per-second", type=int, help="Of those without a valid key: 50; 0: any number.")
@click.option("--tables-per-owner", type=int, help="Unfinished ones that a host may have: 1000; 0: any number.")
@click.option("--seats-per-owner", type=int, help="At unfinished tables, of a player: 1000; 0: any number.")
@click.option("--proxies", type=int, help="How many proxies of yours stand before it and add to X-Forwarded-For: 0.")
@click.option(
    "--cors-origins", metavar="ORIGINS", help="Web pages that may ask, like https://a.example,https://b.example."
)
@click.option("--drain-seconds", type=int, help="From the end of readiness to the end of listening, at a stop: 0.")
@click.option("--workers", type=click.IntRange(1, 64), default=2, envvar="CHIPTRAIL_WORKERS", help="Processes: 2.")
@click.option("--migrate", is_flag=True, help="First bring the database's schema to this release.")
@click.option(background.FLAG, is_flag=True, hidden=True)
def serve(settings: Settings, *, workers: int, migrate: bool, end_with_input: bool) -> None:
    """Answer requests until told to stop (Ctrl-C, or SIGTERM)."""
    if end_with_input:
        background.end_with_input()
    if migrate:
        with opening.bring_to_head(settings):
            pass
    has_file = _prepare(settings)
    _must_be_free(settings)
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    click.echo(f"Chiptrail   http://{address}:{settings.port}  (to look at and try: /docs)")
    click.echo(f"database    {settings.shown_database_url}")
    click.echo(f"first key   {settings.first_key_file if has_file else 'its file was removed: keys show-first'}")
    stopping, stop = multiprocessing.Pipe(duplex=False)
    try:
        with _counted_together(workers):
            server = _Server(stop, settings.drain_seconds, **_options(settings, workers))
            server.serve(target_loader=worker.loader(_shared_out(settings, workers), stopping), wrap_loader=False)
    finally:
        _leave_one_file(settings)
    click.echo("Chiptrail has stopped", err=True)


def _prepare(settings: Settings) -> bool:
    """Check the database, settle which service key it belongs to, and make the first API key; say if its file is there.

    Raises:
        NoDatabase, SchemaNotAtHead, UnsafeDatabase: as `opening.opened`.
        KeyFileError, OtherServiceKey, Ended: it can't be served with this service key.
    """
    entropy = Entropy()
    with opening.opened(settings) as engine:
        service_key = opening.service_key(engine, settings, entropy)
        with administering(engine) as connection:
            return first_key.ensure(connection, service_key, settings, entropy)


def _leave_one_file(settings: Settings) -> None:
    """Leave nothing beside SQLite's file: the processes that answered end with their connections open."""
    try:
        is_whole = close_for_good(make_engine(settings.database_url))
    except (TurnDidNotCome, OperationalError):
        is_whole = False
    if not is_whole:
        why = "Another process has the database open, so its newest events may be in its -wal file"
        click.echo(f"{why}: copy it by `chiptrail backup` alone.", err=True)


def _must_be_free(settings: Settings) -> None:
    """Refuse a port that somebody listens on: the workers' own sockets would share it without a word."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            trial.listen(1)
    except OSError as error:
        why = f"Can't listen at {settings.host}, port {settings.port}: {os.strerror(error.errno or 0)}."
        raise Ended(Code.FAILED, f"{why} Another port is chosen by --port.") from error


class _Server(MPServer):
    """The processes, which are told of a stop before they are stopped."""

    def __init__(self, stop: Connection, drain_seconds: int, **options: Any) -> None:  # noqa: ANN401 -- granian's
        super().__init__("service.app", **options)
        self._stop = stop
        self._drain_seconds = drain_seconds

    def shutdown(self, exit_code: int = 0) -> None:
        """Let nobody wait any more and be unready, give proxies time to see it, and stop."""
        self._stop.send_bytes(b"stop")  # which nobody reads: there to be seen is enough, for as many as there are
        Event().wait(self._drain_seconds)
        super().shutdown(exit_code)  # type: ignore[no-untyped-call]  # granian has none here


def _options(settings: Settings, processes: int) -> dict[str, Any]:
    return {
        "address": settings.host,
        "port": settings.port,
        "interface": Interfaces.WSGI,
        "workers": processes,
        "blocking_threads": settings.threads,
        "http": HTTPModes.http1,
        "websockets": False,
        "log_level": LogLevels.info if settings.log_level == "debug" else LogLevels.error,
        "respawn_failed_workers": True,
        "workers_kill_timeout": _GRACE_SECONDS,
    }


def _shared_out(settings: Settings, processes: int) -> Settings:
    """Give each process its share of what is counted in each by itself."""
    return structs.replace(
        settings,
        owner_requests_per_second=ceil(settings.owner_requests_per_second / processes),
        address_requests_per_second=ceil(settings.address_requests_per_second / processes),
    )


@contextmanager
def _counted_together(processes: int) -> Iterator[None]:
    """Have what several processes count put together, in a folder that lasts as long as they do."""
    if processes == 1:
        yield
        return
    with TemporaryDirectory(prefix="chiptrail-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ[_METRICS_FOLDER] = folder  # read in the workers, where alone the library is imported
        yield
