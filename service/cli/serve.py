"""`chiptrail serve`: answers requests until the server is stopped (DECISIONS 25, 27, 56 and 133)."""

import multiprocessing
import os
import resource
from collections.abc import Callable
from math import ceil
from multiprocessing.connection import Connection
from typing import Final
from wsgiref.types import WSGIApplication

import click
from msgspec import structs
from sqlalchemy.exc import OperationalError

from service.cli.support import first_key, flags, log_files, open_database, server_process, worker
from service.cli.support.configuration import server_flags
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.cli.support.shared_metrics import shared_metrics
from service.database import sqlite_file
from service.database.closing import close_for_good
from service.database.engines import administering, make_engine
from service.database.sqlite_file import DatabaseFile, DatabaseWasReplaced
from service.database.write_lock import WriteLockNotAcquired
from service.entropy import Entropy
from service.settings import Settings

_ALLOCATOR: Final = "_RJEM_MALLOC_CONF"
_NO_THREAD_CACHES: Final = "tcache:false"
"""Without this option, granian's allocator keeps some 50 KB for each thread, also for thousands of waiting threads."""
_OTHER_FILES: Final = 256  # the number of files that a worker may open besides its connections


@click.command()
@flags.with_settings
@server_flags.of_server
@click.option("--migrate", is_flag=True, help="First migrate the database to the schema of this release.")
@click.option(server_process.END_WITH_INPUT, is_flag=True, hidden=True)
def serve(settings: Settings, *, migrate: bool, end_with_input: bool) -> None:
    """Answer requests until Ctrl-C or SIGTERM."""
    if end_with_input:
        server_process.end_with_input()
    if migrate:
        open_database.migrate(settings)
    has_file, fingerprint = _prepare(settings)
    file = sqlite_file.current(settings.database_url)
    server_process.must_be_free("port", settings.host, settings.port)
    if settings.metrics_port:
        server_process.must_be_free("metrics-port", settings.metrics_host, settings.metrics_port)
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    click.echo(f"Chiptrail   http://{address}:{settings.port}  (read and try the API at /docs)")
    click.echo(f"database    {settings.shown_database_url}")
    where = settings.first_key_file if has_file else "its file was removed; chiptrail keys show-first prints the key"
    click.echo(f"first key   {where}")
    stopping, stop = multiprocessing.Pipe(duplex=False)
    try:
        with shared_metrics(settings.workers) as folder:
            share = _with_files(_share_of_one(settings, settings.workers))
            _serve(share, settings.workers, stop, worker.loader(share, stopping, file, folder))
        _must_be_there(file)
        open_database.must_be_bound(settings, fingerprint)
        log_files.finish(settings)
    finally:
        _leave_one_file(settings)
    click.echo("Chiptrail has stopped", err=True)


def _serve(settings: Settings, processes: int, stop: Connection, load: Callable[[], WSGIApplication]) -> None:
    """Answer requests with *processes* workers: each calls *load* to make its app, and has the limits in *settings*."""
    os.environ.setdefault(_ALLOCATOR, _NO_THREAD_CACHES)
    from service.cli.serving.granian_server import GranianServer  # noqa: PLC0415 -- this import reads the variable

    GranianServer(stop, settings, processes).serve(target_loader=load, wrap_loader=False)


def _must_be_there(file: DatabaseFile | None) -> None:
    """Check that the server's database is still the same file as at the start.

    Raises:
        CommandFailed: the database file was replaced or removed, so the server has stopped.
    """
    try:
        if file is not None:
            file.require_same_file()
    except DatabaseWasReplaced as error:
        cure = "stop the server before you restore a backup, and start it afterwards"
        raise CommandFailed(ExitCode.FAILED, f"The server has stopped: {error}.", cure) from error


def _prepare(settings: Settings) -> tuple[bool, str]:
    """Check the database and its service key; make the first API key if needed.

    Return whether that API key's file exists, and the fingerprint of the service key.

    Raises:
        NoDatabase, SchemaNotAtHead, UnsafeDatabase, KeyFileError, OtherServiceKey, CommandFailed: a check failed.
    """
    entropy = Entropy()
    with open_database.check_and_open(settings) as engine:
        service_key = open_database.load_service_key(engine, settings, entropy)
        log_files.prepare(engine, settings, entropy)
        service_log = open_database.open_service_log(engine, settings, entropy)
        with administering(engine) as connection:
            service_log.record_start(connection, log_files.newest_recorded)
            has_file = first_key.ensure(connection, service_key, service_log, settings, entropy)
    return has_file, service_key.fingerprint


def _leave_one_file(settings: Settings) -> None:
    """Merge SQLite's -wal file into the database file, because the workers end without closing their connections."""
    try:
        is_whole = close_for_good(make_engine(settings.database_url))
    except (WriteLockNotAcquired, OperationalError):
        is_whole = False
    if not is_whole:
        why = "Another process is using the database, so the newest events may be in the -wal file"
        click.echo(f"{why}: copy the database only by `chiptrail backup`.", err=True)


def _share_of_one(settings: Settings, processes: int) -> Settings:
    """Return the settings of one process, with its share of each limit that the processes count separately.

    The kernel distributes connections at random. So each share of connections and waiting slots is a tenth larger than
    an equal share.
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
    """Raise the limit of open files to the number that the connections of a process need, as far as possible.

    Return *settings*, with fewer connections if the limit does not allow all connections.
    """
    needed = settings.connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        fewer = max(1, hard - _OTHER_FILES)
        click.echo(
            f"files       {hard} may be open, so each worker takes {fewer} connections, not {settings.connections}; "
            f"`ulimit -Hn {needed}` allows all",
            err=True,
        )
        settings, needed = structs.replace(settings, connections=fewer), hard
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return settings
