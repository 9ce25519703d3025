"""`chiptrail serve`: answer requests until told to stop."""

import multiprocessing
import os
import resource
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
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer
from msgspec import structs
from sqlalchemy.exc import OperationalError

from service.cli.support import first_key, flags, open_database, server_process, worker
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database import sqlite_file
from service.database.closing import close_for_good
from service.database.engines import administering, make_engine
from service.database.sqlite_file import DatabaseFile, DatabaseWasReplaced
from service.database.write_lock import WriteLockNotAcquired
from service.entropy import Entropy
from service.settings import BODY_SLOTS, EXPENSIVE_SLOTS, LogLevel, Settings

_GRACE_SECONDS: Final = 10  # what requests under way get to end in, once a stop was asked for
_BACKLOG: Final = 2048  # connections that wait to be accepted, at each worker; the kernel's own limit may be lower
_OTHER_FILES: Final = 256  # that a worker has open besides its connections
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
@click.option("--threads", type=int, help="Requests that work at once, in each worker: 32.")
@click.option("--waiting-places", type=int, help="For long polls and streams: 2000.")
@click.option("--waiting-places-each", type=int, help="Of these for an owner, an address, or a host's owners: 500.")
@click.option("--connections", type=int, help="Open at once: 8000.")
@click.option("--connections-per-address", type=int, help="Of these for one address: 500; 0: any number.")
@click.option("--idle-seconds", type=int, help="Until a connection on which no request's head comes is closed: 10.")
@click.option("--body-seconds", type=int, help="Until a connection on which a body does not come is closed: 10.")
@click.option("--owner-requests-per-second", type=int, help="Of all keys of an owner together: 100; 0: any number.")
@click.option("--address-requests-per-second", type=int, help="Of those without a valid key: 50; 0: any number.")
@click.option("--tables-per-owner", type=int, help="Unfinished ones that a host may have: 1000; 0: any number.")
@click.option("--seats-per-owner", type=int, help="At unfinished tables, of a player: 1000; 0: any number.")
@click.option("--keys-per-owner", type=int, help="That a host made and that have not ended: 1000; 0: any number.")
@click.option("--proxies", type=int, help="How many proxies of yours stand before it and add to X-Forwarded-For: 0.")
@click.option(
    "--cors-origins", metavar="ORIGINS", help="Web pages that may ask, like https://a.example,https://b.example."
)
@click.option("--metrics-host", metavar="ADDRESS", help="Where to answer scrapes without a key: this machine alone.")
@click.option("--metrics-port", type=int, help="The port for scrapes without a key; 0, unless it is set: none.")
@click.option("--drain-seconds", type=int, help="From the end of readiness to the end of listening, at a stop: 0.")
@click.option("--workers", type=click.IntRange(1, 64), default=2, envvar="CHIPTRAIL_WORKERS", help="Processes: 2.")
@click.option("--migrate", is_flag=True, help="First bring the database's schema to this release.")
@click.option(server_process.END_WITH_INPUT, is_flag=True, hidden=True)
def serve(settings: Settings, *, workers: int, migrate: bool, end_with_input: bool) -> None:
    """Answer requests until told to stop (Ctrl-C, or SIGTERM)."""
    if end_with_input:
        server_process.end_with_input()
    if migrate:
        with open_database.migrate_and_open(settings):
            pass
    has_file = _prepare(settings)
    file = sqlite_file.current(settings.database_url)
    _must_be_free("port", settings.host, settings.port)
    if settings.metrics_port:
        _must_be_free("metrics-port", settings.metrics_host, settings.metrics_port)
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    click.echo(f"Chiptrail   http://{address}:{settings.port}  (to look at and try: /docs)")
    click.echo(f"database    {settings.shown_database_url}")
    click.echo(f"first key   {settings.first_key_file if has_file else 'its file was removed: keys show-first'}")
    stopping, stop = multiprocessing.Pipe(duplex=False)
    try:
        with _counted_together(workers):
            share = _with_files(_shared_out(settings, workers))
            server = _Server(stop, settings.drain_seconds, **_options(share, workers))
            server.serve(target_loader=worker.loader(share, stopping, file), wrap_loader=False)
        _must_be_there(file)
    finally:
        _leave_one_file(settings)
    click.echo("Chiptrail has stopped", err=True)


def _must_be_there(file: DatabaseFile | None) -> None:
    """Pass the end of a server whose database is still the file that it began with.

    Raises:
        CommandFailed: it is not, which is why the server has stopped.
    """
    try:
        if file is not None:
            file.require_same_file()
    except DatabaseWasReplaced as error:
        cure = "stop the server before a backup is put back, and start it afterwards"
        raise CommandFailed(ExitCode.FAILED, f"The server has stopped: {error}.", cure) from error


def _prepare(settings: Settings) -> bool:
    """Check the database, settle which service key it belongs to, and make the first API key; say if its file is there.

    Raises:
        NoDatabase, SchemaNotAtHead, UnsafeDatabase: as `open_database.check_and_open`.
        KeyFileError, OtherServiceKey, CommandFailed: it can't be served with this service key.
    """
    entropy = Entropy()
    with open_database.check_and_open(settings) as engine:
        service_key = open_database.load_service_key(engine, settings, entropy)
        with administering(engine) as connection:
            return first_key.ensure(connection, service_key, settings, entropy)


def _leave_one_file(settings: Settings) -> None:
    """Leave nothing beside SQLite's file: the processes that answered end with their connections open."""
    try:
        is_whole = close_for_good(make_engine(settings.database_url))
    except (WriteLockNotAcquired, OperationalError):
        is_whole = False
    if not is_whole:
        why = "Another process has the database open, so its newest events may be in its -wal file"
        click.echo(f"{why}: copy it by `chiptrail backup` alone.", err=True)


def _must_be_free(flag: str, host: str, port: int) -> None:
    """Refuse a port that somebody listens on: the workers' own sockets would share it without a word."""
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
        raise CommandFailed(ExitCode.FAILED, f"{why} Another port is chosen by --{flag}.") from error


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
        "backlog": _BACKLOG,
        "backpressure": settings.connections,
        "blocking_threads": settings.threads + settings.waiting_places + BODY_SLOTS + EXPENSIVE_SLOTS,
        "http": HTTPModes.http1,
        "http1_settings": HTTP1Settings(header_read_timeout=1000 * settings.idle_seconds),
        "websockets": False,
        "log_level": LogLevels.info if settings.log_level == "debug" else LogLevels.error,
        "respawn_failed_workers": True,
        "workers_kill_timeout": _GRACE_SECONDS,
    }


def _shared_out(settings: Settings, processes: int) -> Settings:
    """Give each process its share of what is counted in each by itself.

    The kernel gives connections out by chance, never quite evenly: of these a process may take a tenth more.
    """

    def share(most: int) -> int:
        return most if processes == 1 else ceil(1.1 * most / processes)

    return structs.replace(
        settings,
        waiting_places=share(settings.waiting_places),
        waiting_places_each=share(settings.waiting_places_each),
        connections=share(settings.connections),
        connections_per_address=share(settings.connections_per_address),
        owner_requests_per_second=ceil(settings.owner_requests_per_second / processes),
        address_requests_per_second=ceil(settings.address_requests_per_second / processes),
    )


def _with_files(settings: Settings) -> Settings:
    """Let a process have as many files open as its connections need, or fewer connections where it may not."""
    needed = settings.connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        fewer = max(1, hard - _OTHER_FILES)
        click.echo(
            f"files       {hard} may be open, so each worker takes {fewer} connections, not {settings.connections}; "
            f"`ulimit -Hn {needed}` lets it take all",
            err=True,
        )
        settings, needed = structs.replace(settings, connections=fewer), hard
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return settings


@contextmanager
def _counted_together(processes: int) -> Iterator[None]:
    """Have what several processes count put together, in a folder that lasts as long as they do."""
    if processes == 1:
        yield
        return
    with TemporaryDirectory(prefix="chiptrail-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ[_METRICS_FOLDER] = folder  # read in the workers, where alone the library is imported
        yield
