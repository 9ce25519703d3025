"""`chiptrail serve`: answer requests until told to stop."""

import os
import socket
from typing import Final

import click
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.mp import MPServer

from service.cli import background, first_key, flags, opening, worker
from service.cli.endings import Code, Ended
from service.entropy import Entropy
from service.log.database import administering
from service.settings import Settings

_GRACE_SECONDS: Final = 10  # what requests under way get to end in, once a stop was asked for
_WORKERS_ON_POSTGRESQL: Final = 2


@click.command()
@flags.with_settings
@click.option("--host", metavar="ADDRESS", help="Where to listen; this machine alone unless it is set.")
@click.option("--port", type=int, help="8000 unless it is set.")
@click.option("--threads", type=int, help="Requests answered at once, by each worker.")
@click.option("--workers", type=click.IntRange(1, 64), envvar="CHIPTRAIL_WORKERS", help="Processes, on PostgreSQL: 2.")
@click.option("--migrate", is_flag=True, help="First bring the database's schema to this release.")
@click.option(background.FLAG, is_flag=True, hidden=True)
def serve(settings: Settings, *, workers: int | None, migrate: bool, end_with_input: bool) -> None:
    """Answer requests until told to stop (Ctrl-C, or SIGTERM)."""
    if end_with_input:
        background.end_with_input()
    processes = _processes(settings, workers)
    if migrate:
        with opening.bring_to_head(settings):
            pass
    has_file = _prepare(settings)
    _must_be_free(settings)
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    click.echo(f"Chiptrail   http://{address}:{settings.port}  (its document at /openapi.json)")
    click.echo(f"database    {settings.shown_database_url}")
    click.echo(f"first key   {settings.first_key_file if has_file else 'its file was removed: keys show-first'}")
    _server(settings, processes).serve(target_loader=worker.loader(settings), wrap_loader=False)
    click.echo("Chiptrail has stopped", err=True)


def _processes(settings: Settings, asked: int | None) -> int:
    if settings.database_url.startswith("sqlite"):
        if asked not in (None, 1):
            raise click.UsageError("On SQLite one process answers, with threads; --workers is for PostgreSQL.")
        return 1
    return asked or _WORKERS_ON_POSTGRESQL


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


def _server(settings: Settings, processes: int) -> MPServer:
    return MPServer(
        "service.app",
        address=settings.host,
        port=settings.port,
        interface=Interfaces.WSGI,
        workers=processes,
        blocking_threads=settings.threads,
        http=HTTPModes.http1,
        websockets=False,
        log_level=LogLevels.info if settings.log_level == "debug" else LogLevels.error,
        respawn_failed_workers=True,
        workers_kill_timeout=_GRACE_SECONDS,
    )
