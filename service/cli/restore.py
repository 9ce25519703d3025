"""`chiptrail restore`: restores a backup into an empty database and verifies it."""

from pathlib import Path

import click

from service.cli import verify
from service.cli.support import flags, log_files, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.entropy import Entropy
from service.exchange import database_copy
from service.secrets import key_rotation
from service.settings import Settings


@click.command()
@flags.with_settings
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_context
def restore(ctx: click.Context, settings: Settings, *, file: Path) -> None:
    """Restore the backup FILE into an empty database.

    The database is a new SQLite file, or an empty PostgreSQL database. Restore the service key first, and the log key
    with its last checkpoint. After the restore the command verifies the database, and checks that the database has the
    heads in FILE.head. If a check fails or a head is missing, the command lists the findings and exits with 3. If the
    database is older than the last checkpoint, the server will sign nothing until `chiptrail log restart` begins a new
    log.
    """
    heads = verify.heads_in(database_copy.head_file(file))
    if not settings.key_file.exists():
        cure = "restore that file from its backup, or name another file by --key-file"
        raise CommandFailed(
            ExitCode.FAILED, f"There is no service key {settings.key_file}; nothing was restored.", cure
        )
    with open_database.open_as_is(settings) as engine:
        try:
            database_copy.restore(engine, file.absolute())
        except database_copy.CannotBackUp as error:
            raise CommandFailed(ExitCode.FAILED, str(error), error.cure) from error
    click.echo(f"restored into {settings.shown_database_url}", err=True)
    report = verify.run(settings, heads=heads)
    verify.show(report)
    with open_database.open_as_is(settings) as engine:
        log_files.warn(engine, settings)
        key = open_database.load_service_key(engine, settings, Entropy())
    if why := key_rotation.waiting(settings.key_file, key.key_id):
        click.echo(f"service key  {why}\nThe cure: chiptrail key rotate, before you start a server", err=True)
    ctx.exit(ExitCode.VERIFICATION_FAILED if report.has_failed else ExitCode.DONE)
