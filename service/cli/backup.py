"""`chiptrail backup`: copies the whole database into one file; servers may run meanwhile."""

from pathlib import Path

import click

from service.cli.support import flags, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.event_store.entries import is_of_table, stream_id_of
from service.exchange import database_copy
from service.settings import Settings


@click.command()
@flags.with_settings
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(settings: Settings, *, file: Path) -> None:
    """Copy the whole database into FILE.

    The command also writes the heads of all streams to FILE.head. Servers may run meanwhile. On SQLite the copy is a
    database file; on PostgreSQL the command runs pg_dump, which writes its custom format. If the database is spread,
    FILE is a ZIP file with the rows of all nodes at one moment. The command never overwrites a file. FILE has no
    sign-ins of browsers, and does not contain the service key. Keep a copy of the key, but not beside FILE: anybody who
    has both can read hidden cards.
    FILE contains neither the file of the log key nor the file of the last checkpoint: copy both before you make FILE.
    """
    with open_database.check_and_open(settings) as engine:
        try:
            end = database_copy.back_up(engine, file.absolute())
        except database_copy.CannotBackUp as error:
            raise CommandFailed(ExitCode.FAILED, str(error), error.cure) from error
    tables = [head for head in end.heads if is_of_table(stream_id_of(head.stream))]
    events = sum(head.position for head in tables)
    click.echo(f"{len(tables):,} tables with {events:,} events are in {file}, their heads in {file}.head")
    others = f"{settings.key_file}, {settings.log_key_file} and {settings.log_head_file}"
    click.echo(f"these files need a copy too: {others} (the first one by `chiptrail key backup`)")
