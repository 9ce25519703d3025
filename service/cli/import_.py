"""`chiptrail import`: take in tables that another service has exported."""

from typing import BinaryIO

import click

from service.cli import flags, opening, verify
from service.cli.endings import Code, Ended
from service.entropy import Entropy
from service.intake import CannotBeTakenIn, Intake, TakenIn
from service.settings import Settings


@click.command("import")
@flags.with_settings
@click.argument("file", type=click.File("rb"))
def import_(settings: Settings, *, file: BinaryIO) -> None:
    """Take in the tables of FILE (-: standard input), to be read and never continued.

    FILE has a leaf a line: what `chiptrail export` writes, or the events endpoint as application/x-ndjson. Each
    table is checked, and its decisions are decided again, before it is taken in whole or not at all. One whose game
    was not over is pending: the seed of its deck is where it came from. One with sealed choices is undecidable without
    their openings, which `chiptrail export --openings` writes; they may come in later.
    """
    entropy = Entropy()
    taken = 0
    with opening.opened(settings) as engine:
        log, codec = opening.log(engine, settings, entropy)
        try:
            for table in Intake(engine, log, codec, entropy).take_in(file):
                click.echo(_said(table))
                taken += 1
        except CannotBeTakenIn as error:
            verify.show_findings(error.findings)
            code = Code.VERIFICATION_FAILED if error.findings else Code.FAILED
            raise Ended(code, f"{error} Nothing of this table was taken in.") from error
    if not taken:
        raise Ended(Code.FAILED, "There is no table in it.")


def _said(table: TakenIn) -> str:
    how = "imported, to be read only" if table.is_new else "was here already"
    live = "; its game was not over" if table.is_live else ""
    without = f"; the openings of {table.missing:,} sealed fields did not come with it" if table.missing else ""
    cure = ": import what `chiptrail export --openings` writes" if without else ""
    said = f"{table.table}  {table.events:,} events, {table.hands:,} hands, {table.verdict.value}: {how}{live}"
    return said + without + cure
