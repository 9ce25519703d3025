"""`chiptrail export`: writes the leaves of the log, byte for byte as they were hashed, and optionally openings."""

# DECISIONS 64

import sys
from typing import Final

import click

from service.cli.support import flags, log_files, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.cli.verify import stream_of
from service.entropy import Entropy
from service.exchange import exported_streams, exporting
from service.settings import Settings

_NAMED: Final = 10  # the message names at most this many broken streams; the last line of the file names all of them


@click.command()
@flags.with_settings
@click.option("--table", metavar="tbl_…", help="Export only this table and its disputes.")
@click.option(
    "--openings",
    is_flag=True,
    help="Add to each leaf its hash and the sealed fields that its event opens to everybody.",
)
def export(settings: Settings, *, table: str | None, openings: bool) -> None:
    """Write the leaves of the log to standard output.

    Each line between the first and the last is one leaf, byte for byte as it was hashed. The file has one table after
    the other: first the leaves of the table in the order of its stream, then the leaves of its disputes. The file has
    no keys and no values of sealed fields. With --openings each line is an event as the events endpoint returns it to a
    spectator, with the sealed fields that the event opens to everybody; an audit needs only these lines.

    The last line has the head of each table, and says whether the file is whole. The command writes a damaged table up
    to the damage, then goes on with the other tables; the exit code is then 3.
    """
    with open_database.check_and_open(settings) as engine:
        log, _ = open_database.open_log(engine, settings, Entropy())
        stream_id = stream_of(table) if table else None
        begin = exporting.begin("openings" if openings else "leaves", log_files.origin(settings))
        try:
            end = exporting.write_export(sys.stdout.buffer, engine, log, begin, stream_id=stream_id)
        except exported_streams.CannotExport as error:
            raise CommandFailed(ExitCode.FAILED, str(error)) from error
    if not end.is_whole:
        named = ", ".join(f"{table.stream} at position {table.position} ({table.why})" for table in end.broken[:_NAMED])
        more = f", and {len(end.broken) - _NAMED:,} more" if len(end.broken) > _NAMED else ""
        raise CommandFailed(
            ExitCode.VERIFICATION_FAILED,
            f"These tables are damaged, and were written only up to the damage: {named}{more}.",
            "run chiptrail verify, which lists the damage",
        )
