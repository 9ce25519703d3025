"""`chiptrail import`: take in tables that another service has exported."""

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
    """Take in the tables of FILE (-: standard input), to be read and never continued.

    FILE has a leaf a line: what `chiptrail export` writes, or the events endpoint as application/x-ndjson. Each
    table is checked, and its decisions are decided again, before it is taken in whole or not at all; one that is not
    taken in does not stop the others. A table that was imported before goes on where FILE has more of it. One whose
    game was not over is pending: the seed of its deck is where it came from. One with sealed choices is undecidable
    without their openings, which `chiptrail export --openings` writes; they may come in later.
    """
    entropy = Entropy()
    taken: list[ImportedTable] = []
    left: list[FailedImport] = []
    with open_database.check_and_open(settings) as engine:
        log, codec = open_database.open_log(engine, settings, entropy)
        for one in Importer(engine, log, codec, entropy).import_tables(file):
            if isinstance(one, ImportedTable):
                taken.append(one)
                click.echo(_said(one))
            else:
                left.append(one)
                verify.show_findings(one.why.findings)
    if not taken and not left:
        raise CommandFailed(ExitCode.FAILED, "There is no table in it.")
    click.echo(_summed_up(taken, left))
    if left:
        has_failed = any(one.why.findings for one in left)
        raise CommandFailed(ExitCode.VERIFICATION_FAILED if has_failed else ExitCode.FAILED, _not_taken(left))


def _said(table: ImportedTable) -> str:
    went_on = f"went on by {table.added:,} events" if table.added else "was here already"
    how = "imported, to be read only" if table.is_new else went_on
    live = "; its game was not over" if table.is_live else ""
    without = f"; the openings of {table.missing:,} sealed fields did not come with it" if table.missing else ""
    cure = ": import what `chiptrail export --openings` writes" if without else ""
    said = f"{table.table}  {table.events:,} events, {table.hands:,} hands, {table.verdict.value}: {how}{live}"
    return said + without + cure


def _summed_up(taken: Sequence[ImportedTable], left: Sequence[FailedImport]) -> str:
    new = sum(one.is_new for one in taken)
    more = sum(not one.is_new and one.added > 0 for one in taken)
    tables = len({one.table for one in left if one.table})
    same = len(taken) - new - more
    return f"{new:,} tables imported, {more:,} went on, {same:,} were here already, {tables:,} not taken in"


def _not_taken(left: Sequence[FailedImport]) -> str:
    lines = [f"  {one.table or 'the file'}: {one.why}" for one in left]
    return "\n".join(["Not all of it was taken in:", *lines])
