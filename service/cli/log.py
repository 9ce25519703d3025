"""`chiptrail log`: prints the public keys of the log, and begins a new log after a loss (DECISIONS 98)."""

import click
import msgspec

from service.cli.support import flags, log_files, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database.exclusive import SEQUENCING, WorkUnderWay, exclusive_work
from service.entropy import Entropy
from service.secrets.receipts import Signer
from service.settings import Settings
from service.transparency import log_signer, published, tile_rebuild
from service.transparency.tree import TreeDamaged

_NOTICE = """\
Clients, auditors and witnesses notice the new origin: no proof leads from a checkpoint of the old log to the new log.
Give them the new key, say why the old log ended, and keep the renamed files and every checkpoint of the old log."""


@click.group()
def log() -> None:
    """Print the keys of the transparency log, or begin a new log."""


@log.command()
@flags.with_settings
@flags.as_json
def key(settings: Settings, *, as_json: bool) -> None:
    """Print the log's origin, and the public keys that verify its checkpoints and the service's receipts."""
    of_log = log_files.public_key(settings)
    with open_database.check_and_open(settings) as engine:
        receipts = Signer(open_database.load_service_key(engine, settings, Entropy())).public_key
    told = {"origin": of_log.name, "vkey": str(of_log), "receipt_key": receipts}
    if as_json:
        click.echo(msgspec.json.encode(told))
        return
    for name, value in told.items():
        click.echo(f"{name:<13}{value}")


@log.command()
@flags.with_settings
@click.option("--yes", is_flag=True, help="Begin a new log although the present log could go on.")
def restart(settings: Settings, *, yes: bool) -> None:
    """Begin a new log, with a new key and a new origin, for example after the restore of an older database.

    The command renames the files of the old log key and of its last checkpoint, makes new ones, and signs the first
    checkpoint of the new log. Stop the server first.
    """
    if settings.log_vkey:
        cure = "make a new log key there, start the server with its --log-vkey, and run `chiptrail sign --begin`"
        raise CommandFailed(ExitCode.FAILED, "Another machine signs this log; nothing was changed.", cure)
    with open_database.check_and_open(settings) as engine:
        try:
            with exclusive_work(engine, SEQUENCING):
                tile_rebuild.rebuild_tiles(engine)  # The new log begins with a whole tree.
                reason = log_files.fault(engine, settings)
                if not (reason or yes):
                    why = "The present log can go on: nothing was changed."
                    raise CommandFailed(
                        ExitCode.FAILED, why, "chiptrail log restart --yes, if you want a new log anyway"
                    )
                renamed = log_signer.set_aside(settings.log_key_file, settings.log_head_file)
                signer = log_signer.load_or_make(settings.log_key_file, settings.log_head_file, Entropy())
                published.publish(engine, signer, begins=True)
        except WorkUnderWay as error:
            why = "A server keeps the log of this database; nothing was changed."
            raise CommandFailed(ExitCode.FAILED, why, "stop every server of this database first") from error
        except TreeDamaged as error:
            why = f"The tree is damaged, so nothing was changed. {error}"
            raise CommandFailed(
                ExitCode.FAILED, why, "`chiptrail verify` finds the damage; restore a backup"
            ) from error
    if reason:
        click.echo(f"The old log can't go on: {reason}", err=True)
    for path in renamed:
        click.echo(f"renamed      {path}", err=True)
    click.echo(f"new origin   {signer.key.origin}")
    click.echo(f"new vkey     {signer.key.public}")
    click.echo(_NOTICE, err=True)
