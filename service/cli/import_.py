"""`chiptrail import`: imports tables that another service has exported."""

from collections.abc import Sequence
from typing import BinaryIO

import click

from service.cli import verify
from service.cli.support import flags, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.entropy import Entropy
from service.exchange.importing import FailedImport, ImportedTable, Importer
from service.settings import Settings


@click.command("import")
@flags.with_settings
@click.argument("file", type=click.File("rb"))
def import_(settings: Settings, *, file: BinaryIO) -> None:
    """Import the tables of FILE (-: standard input). They can be read, and never be continued.

    FILE has one leaf in each line: the output of `chiptrail export`, or of the events endpoint as
    application/x-ndjson. Each table is checked, and its decisions are decided again; then it is imported as a whole or
    not at all. A table that fails does not stop the others. If FILE has further events of a table that was imported
    before, they are added.

    A table whose game was not over is pending: the seed of its deck is still with the other service. A table with
    sealed choices is undecidable without their openings, which `chiptrail export --openings` writes; they can be
    imported later.
    """
    entropy = Entropy()
    imported: list[ImportedTable] = []
    rejected: list[FailedImport] = []
    with open_database.check_and_open(settings) as engine:
        log, codec = open_database.open_log(engine, settings, entropy)
        for table in Importer(engine, log, codec, entropy).import_tables(file):
            if isinstance(table, ImportedTable):
                imported.append(table)
                click.echo(_line(table))
            else:
                rejected.append(table)
                verify.show_findings(table.why.findings)
    if not imported and not rejected:
        raise CommandFailed(ExitCode.FAILED, "There is no table in it.")
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
