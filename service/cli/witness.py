"""`chiptrail witness`: runs a witness, which cosigns checkpoints of logs (DECISIONS 101)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from service.cli.support import server_process, witness_worker
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.cli.support.witness_worker import Audited
from service.entropy import Entropy
from service.transparency.signed_note import NoteMustBeGenuine
from service.witness import cosigner, witness_file
from service.witness.cosigner import Logs
from service.witness.witness_file import WitnessFile

_BACKLOG: Final = 256
_CONNECTIONS: Final = 512
_HEAD_MILLISECONDS: Final = 10_000
_STOP_SECONDS: Final = 10
_FILE: Final = click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("witness.json"),
    show_default=True,
    help="The file with the witness's key and, for each log, the last checkpoint that the witness cosigned.",
)


@click.group(invoke_without_command=True)
@_FILE
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="VKEY",
    help="The public key of a log to cosign, as `chiptrail log key` prints it; may be repeated.",
)
@click.option(
    "--audit",
    is_flag=True,
    help="Read every entry of the log before cosigning, refuse a log with two histories of a table, decide every "
    "decision again, and publish at /findings what failed.",
)
@click.option("--url", default="", help="With --audit: the address of the log's service.")
@click.option(
    "--key-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --audit: the file of an API key with the scope audit.",
)
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=int, default=8010, show_default=True, help="The port to listen on.")
@click.option(server_process.END_WITH_INPUT, is_flag=True, hidden=True)
@click.pass_context
def witness(  # noqa: PLR0913  # one parameter for each option
    ctx: click.Context,
    *,
    file: Path,
    logs: Sequence[str],
    audit: bool,
    url: str,
    key_file: Path | None,
    host: str,
    port: int,
    end_with_input: bool,
) -> None:
    """Run a witness: cosign a checkpoint only if it continues the last checkpoint of its log that the witness cosigned.

    The witness answers POST /add-checkpoint as c2sp.org/tlog-witness defines it. Make the witness's key first, with
    `chiptrail witness key --name NAME`. The witness needs no database and no key of the service. With --audit it needs
    an API key of the service, and keeps a copy of the log's entries in a file beside FILE.
    """
    if ctx.invoked_subcommand is not None:
        return
    if end_with_input:
        server_process.end_with_input()
    known = _known(logs)
    audited = _audited(known, url, key_file, file) if audit else None
    with witness_file.exclusively(file, witness_worker.LOCK_SECONDS):
        vkey = WitnessFile(file).key
    server_process.must_be_free("port", host, port)
    click.echo(f"Witness     http://{f'[{host}]' if ':' in host else host}:{port}/add-checkpoint")
    click.echo(f"vkey        {vkey}")
    for origin in known:
        click.echo(f"log         {origin}")
    if audited:
        click.echo(f"audits      {audited.url}; what failed is at /findings")
    _server(host, port).serve(target_loader=witness_worker.loader(file, known, audited), wrap_loader=False)
    click.echo("The witness has stopped", err=True)


@witness.command()
@_FILE
@click.option("--name", default="", help="The name of a new witness, such as witness.example/w1.")
def key(*, file: Path, name: str) -> None:
    """Print the public key of the witness; with --name, make its file first if there is none."""
    if name:
        try:
            witness_file.make(file, name, Entropy())
        except NoteMustBeGenuine as error:
            raise click.BadParameter(str(error), param_hint="--name") from error
    elif not file.exists():
        cure = "chiptrail witness key --name NAME, with a name such as witness.example/w1"
        raise CommandFailed(ExitCode.FAILED, f"There is no witness's file {file}.", cure)
    made = WitnessFile(file).key
    if name and made.name != name:
        raise CommandFailed(ExitCode.FAILED, f"{file} is the file of the witness {made.name}; it was not changed.")
    click.echo(str(made))


def _server(host: str, port: int) -> MPServer:
    return MPServer(
        "service.witness",
        address=host,
        port=port,
        interface=Interfaces.ASGINL,
        backlog=_BACKLOG,
        backpressure=_CONNECTIONS,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=_HEAD_MILLISECONDS),
        websockets=False,
        log_level=LogLevels.error,
        respawn_failed_workers=True,
        workers_kill_timeout=_STOP_SECONDS,
    )


def _audited(known: Logs, url: str, key_file: Path | None, file: Path) -> Audited:
    if len(known) != 1 or not url or key_file is None:
        raise click.UsageError("With --audit, name one log by --log, its service by --url, an API key by --key-file.")
    try:
        token = key_file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(ExitCode.FAILED, f"The API key {key_file} can't be read.") from error
    return Audited(next(iter(known)), url, token, file.with_name(f"{file.name}.copy"))


def _known(logs: Sequence[str]) -> Logs:
    if not logs:
        raise click.UsageError("Name at least one log by --log VKEY; `chiptrail log key` prints the key of a log.")
    try:
        return cosigner.logs_of(logs)
    except NoteMustBeGenuine as error:
        raise click.BadParameter(str(error), param_hint="--log") from error
