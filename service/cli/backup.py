"""`chiptrail backup`: the whole database in one file, while servers go on."""

from pathlib import Path

import click

from service.cli.support import flags, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.exchange import database_copy as copies
from service.settings import Settings


@click.command()
@flags.with_settings
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(settings: Settings, *, file: Path) -> None:
    """Copy the whole database into FILE while servers go on, and the heads of its streams into FILE.head.

    SQLite is copied by itself, PostgreSQL by its program pg_dump, in its custom format. Nothing is overwritten. The
    service key is not in FILE: keep a copy of it apart, since both together show hidden cards.
    """
    with open_database.check_and_open(settings) as engine:
        try:
            end = copies.back_up(engine, file.absolute())
        except copies.CannotBackUp as error:
            raise CommandFailed(ExitCode.FAILED, str(error), error.cure) from error
    click.echo(f"{end.streams:,} tables with {end.leaves:,} events are in {file}, their heads in {file}.head")
