"""`chiptrail archive`: verifies tables that have ended, and exports them with openings to a file (DECISIONS 122)."""

from pathlib import Path

import click

from service.cli import verify
from service.cli.support import flags, log_files, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.clock import days_before
from service.entropy import Entropy
from service.event_store.entries import is_of_table, stream_id_of
from service.exchange.archiving import ArchiveFilter, Archiver, CannotArchive
from service.exchange.new_files import CannotWriteFile
from service.settings import Settings


@click.command()
@flags.with_settings
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--owner",
    default="",
    metavar="own_…",
    help="Only tables that this owner hosts, or at which this owner has or had a seat.",
)
@click.option(
    "--older-than",
    type=click.IntRange(0, 36_500),
    metavar="DAYS",
    help="Only tables whose last event, and whose last event of a dispute, are more than DAYS days old.",
)
@click.option("--again", is_flag=True, help="Also tables that an earlier archive has already.")
def archive(settings: Settings, *, file: Path, owner: str, older_than: int | None, again: bool) -> None:
    """Copy the tables that have ended, with their disputes, into FILE. Servers may run meanwhile.

    FILE is an export with openings. `chiptrail import` reads FILE into another database, where `verify` verifies the
    tables; `verify --head FILE` checks that a log has all events of FILE. Nothing is removed from the log. The command
    verifies each table first. If tables fail, it leaves them out, lists their findings, and exits with 3. The service's
    own stream records which tables FILE has and up to which event. So without --again, the next archive has only tables
    that are new or have new events. If there are no such tables, no file is written. No file is ever overwritten.
    """
    if file.exists():
        raise CommandFailed(ExitCode.FAILED, f"{file} exists already; it is not overwritten.", "name another file")
    entropy = Entropy()
    before = "" if older_than is None else days_before(entropy.now(), older_than)
    with open_database.check_and_open(settings) as engine:
        log, codec = open_database.open_log(engine, settings, entropy)
        archiver = Archiver(engine, log, codec, open_database.open_service_log(engine, settings, entropy))
        try:
            done = archiver.archive(
                file.absolute(), log_files.origin(settings), ArchiveFilter(owner=owner, before=before, again=again)
            )
        except CannotWriteFile as error:
            raise CommandFailed(ExitCode.FAILED, str(error), "name another file") from error
        except CannotArchive as error:
            why = f"A table was damaged meanwhile: {error}. No file was written."
            raise CommandFailed(ExitCode.VERIFICATION_FAILED, why, "run chiptrail verify") from error
    if done.end is None:
        why = "no table without a finding is left" if done.failed else "no new table has ended"
        click.echo(f"{why}; no file was written")
    else:
        tables = sum(is_of_table(stream_id_of(head.stream)) for head in done.end.heads)
        click.echo(f"{tables:,} tables with {done.end.leaves:,} events are in {file}")
    if done.failed:
        for report in done.failed:
            verify.show_findings((*report.findings, *(report.disputes.findings if report.disputes else ())))
        named = ", ".join(report.table for report in done.failed)
        raise CommandFailed(
            ExitCode.VERIFICATION_FAILED, f"These tables fail and are in no archive: {named}.", "run chiptrail verify"
        )
