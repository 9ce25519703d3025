"""`chiptrail import`: imports tables that another service exported."""

from collections.abc import Sequence
from typing import BinaryIO

import click

from service.cli import verify
from service.cli.support import flags, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.entropy import Entropy
from service.exchange.import_batches import Logs
from service.exchange.importing import FailedImport, ImportedTable, Importer
from service.exchange.importing_disputes import ImportedDisputes
from service.settings import Settings


@click.command("import")
@flags.with_settings
@click.argument("file", type=click.File("rb"))
def import_(settings: Settings, *, file: BinaryIO) -> None:
    """Import the tables of FILE (or of standard input, if FILE is -), read-only.

    FILE is the output of `chiptrail export`, or of the events endpoint as application/x-ndjson. The command checks each
    table and decides its decisions again before it writes any event of the table. A new table becomes visible when all
    of it is imported. If one table fails, the others are still imported. If FILE has further events of an imported
    table, the command adds these events. An imported table can be read, but not played.

    A table whose game was not over is pending: only the other service has the seed of the deck. If sealed choices were
    opened and FILE has no openings, the table is undecidable; import the output of `chiptrail export --openings`, now
    or later.
    """
    entropy = Entropy()
    imported: list[ImportedTable] = []
    rejected: list[FailedImport] = []
    with open_database.check_and_open(settings) as engine:
        log, codec = open_database.open_log(engine, settings, entropy)
        logs = Logs(log, open_database.open_service_log(engine, settings, entropy))
        for table in Importer(engine, logs, codec, entropy).import_tables(file):
            if isinstance(table, ImportedTable):
                imported.append(table)
                click.echo(_line(table))
            elif isinstance(table, ImportedDisputes):
                click.echo(f"{table.stream}  disputes of {table.table}: {table.events:,} events, {table.added:,} added")
            else:
                rejected.append(table)
                verify.show_findings(table.why.findings)
    if not imported and not rejected:
        raise CommandFailed(ExitCode.FAILED, "The file has no table.")
    click.echo(_summary(imported, rejected))
    if rejected:
        has_failed = any(table.why.findings for table in rejected)
        raise CommandFailed(ExitCode.VERIFICATION_FAILED if has_failed else ExitCode.FAILED, _reasons(rejected))


def _line(table: ImportedTable) -> str:
    change = f"{table.added:,} events added" if table.added else "no new events"
    how = "imported, read-only" if table.is_new else change
    live = "; its game was not over" if table.is_live else ""
    without = f"; the file lacks the openings of {table.missing:,} sealed fields" if table.missing else ""
    cure = ": import the output of `chiptrail export --openings`" if without else ""
    line = f"{table.table}  {table.events:,} events, {table.hands:,} hands, {table.verdict.value}: {how}{live}"
    return line + without + cure


def _summary(imported: Sequence[ImportedTable], rejected: Sequence[FailedImport]) -> str:
    new = sum(table.is_new for table in imported)
    more = sum(not table.is_new and table.added > 0 for table in imported)
    tables = len({table.table for table in rejected if table.table})
    same = len(imported) - new - more
    return f"{new:,} tables imported, {more:,} continued, {same:,} unchanged, {tables:,} rejected"


def _reasons(rejected: Sequence[FailedImport]) -> str:
    lines = [f"  {table.table or 'the file'}: {table.why}" for table in rejected]
    return "\n".join(["Not everything was imported:", *lines])
