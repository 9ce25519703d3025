"""`chiptrail sign`: signs the log of a service on another machine (DECISIONS 101)."""

from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Final

import click
import structlog

from service.cli.support import server_process
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.cli.support.remote_signing import RemoteSigner
from service.client.client import Client
from service.client.client_errors import Problem, ServerGone
from service.entropy import Entropy
from service.transparency import log_signer
from service.transparency.log_signer import AnotherWasSigned, HeadFileError, TreeMustContinue

_LOG: Final = structlog.get_logger("service.sign")
_EVERY_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 5.0


@click.command()
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="The address of the service.")
@click.option(
    "--key-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of an API key with the scope admin.",
)
@click.option(
    "--log-key-file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("log-key.txt"),
    show_default=True,
    help="The file of the log key; the last checkpoint is beside it. If there is no log key, both are made.",
)
@click.option("--vkey", "only_key", is_flag=True, help="Only print the public key of the log, for serve --log-vkey.")
@click.option("--once", is_flag=True, help="Look once, and sign if the log has new leaves.")
@click.option("--begin", is_flag=True, help="Begin a new log in a database that has checkpoints of another log.")
@click.option(server_process.END_WITH_INPUT, is_flag=True, hidden=True)
def sign(  # noqa: PLR0913  # one parameter for each option
    *,
    url: str,
    key_file: Path | None,
    log_key_file: Path,
    only_key: bool,
    once: bool,
    begin: bool,
    end_with_input: bool,
) -> None:
    """Sign the log of a service whose machine does not have the log key, until Ctrl-C or SIGTERM.

    The service runs with --log-vkey. This machine has the log key and the last checkpoint, and needs no database. The
    command asks the service for its tree, and signs this tree only if it continues the last signed tree.
    """
    if end_with_input:
        server_process.end_with_input()
    path = log_key_file.absolute()
    signer = log_signer.load_or_make(path, path.with_name(f"{path.name}.head"), Entropy())
    signer.last()
    if only_key:
        click.echo(str(signer.key.public))
        return
    if key_file is None:
        raise click.UsageError("Name the file of an API key with the scope admin by --key-file.")
    try:
        token = key_file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(ExitCode.FAILED, f"The API key {key_file} can't be read.") from error
    with closing(Client(url, token, Entropy())) as client:
        remote = RemoteSigner(client, signer, begins=begin)
        remote.check_key()
        if once:
            _look_once(remote)
        else:
            click.echo(f"signs {url} with {signer.key.public}")
            _run(remote)


def _look_once(remote: RemoteSigner) -> None:
    try:
        click.echo(remote.look())
    except TreeMustContinue as error:
        raise CommandFailed(ExitCode.VERIFICATION_FAILED, f"Nothing was signed. {error}") from error
    except (AnotherWasSigned, ValueError) as error:
        raise CommandFailed(ExitCode.FAILED, f"Nothing was signed. {error}") from error


def _run(remote: RemoteSigner) -> None:
    """Look every second, or 5 seconds after a failure; of failures of the same type in a row, log only the first."""
    failed = ""
    while True:
        try:
            remote.look()
            failed, seconds = "", _EVERY_SECONDS
        except (TreeMustContinue, AnotherWasSigned, HeadFileError, Problem, ServerGone, ValueError) as error:
            seconds = _RETRY_SECONDS
            if type(error).__name__ != failed:
                failed = type(error).__name__
                _LOG.error("log_not_signed", error=failed, cause=str(error))
        Event().wait(seconds)
