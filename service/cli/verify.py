"""`chiptrail verify`: decides every decision again, and checks the stored data of every table (DECISIONS 66)."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import structs
from rich.table import Table

from service.audit import log_audit, lost_heads
from service.audit.database_report import Report, sum_up
from service.audit.findings import Finding
from service.audit.log_audit import Workers
from service.audit.verdicts import Verdict
from service.audit.whole_log.whole_log_audit import verify_indexes, verify_log
from service.audit.whole_log.whole_log_report import LogReport
from service.cli.reports import dossier_report
from service.cli.support import flags, log_files, open_database, output
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database.engines import reading
from service.entropy import Entropy
from service.event_store import export_format
from service.event_store.entries import disputes_stream, is_of_table, stream_name
from service.event_store.export_format import StreamHead
from service.secrets import receipts
from service.settings import Settings


@click.command()
@flags.with_settings
@flags.as_json
@flags.processes
@click.option("--table", metavar="tbl_…", help="Verify only this table and its disputes.")
@click.option(
    "--head",
    "head_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The .head file of a backup, or an export. The report lists the heads in FILE that the log does not have.",
)
@click.option(
    "--checkpoint",
    "checkpoints",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A signed checkpoint that somebody saved. The log must begin with the leaves that the checkpoint covers. "
    "May be repeated.",
)
@click.option(
    "--dossier",
    "dossier_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Check this dossier, offline, instead of a database.",
)
@click.option(
    "--kept",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="With --dossier: a checkpoint, proof, receipt or log key that somebody saved. May be repeated.",
)
@click.pass_context
def verify(  # noqa: PLR0913 -- each option is a parameter
    ctx: click.Context,
    settings: Settings,
    *,
    table: str | None,
    head_file: Path | None,
    checkpoints: tuple[Path, ...],
    dossier_file: Path | None,
    kept: tuple[Path, ...],
    processes: int | None,
    as_json: bool,
) -> None:
    """Decide all decisions again, and check the stored data of every table and the log as a whole.

    Disputes are decided again, too. The report lists the first 1,000 findings. The exit code is 3 if a table or a
    dispute has the verdict `failed`, if the log as a whole has a finding, or if the log lacks a head in the file of
    --head. The verdicts `pending` and `undecidable` are no alarm. At a `pending` table a deck is still in play, or a
    sealed field is not open yet. At an `undecidable` table a needed value was erased, or an import did not contain it.

    With --dossier, the command checks a dossier and decides its decisions again; it needs no database and no network.
    """
    if dossier_file:
        if table or head_file or checkpoints or processes:
            raise click.UsageError("--dossier is about a file, so of the other options only --kept and --json apply.")
        ctx.exit(dossier_report.check(dossier_file, kept, as_json=as_json))
    if kept:
        raise click.UsageError("--kept is compared with a dossier, so it needs --dossier.")
    heads = heads_in(head_file) if head_file else ()
    if table:
        if checkpoints:
            raise click.UsageError("--checkpoint is about the whole log, so it can't be used with --table.")
        stream_id = stream_of(table)
        own = {stream_name(stream_id), stream_name(disputes_stream(stream_id))}
        report = run(settings, stream_id, heads=[one for one in heads if one.stream in own])
    else:
        report = run(settings, processes=processes, heads=heads, checkpoints=checkpoints)
    if as_json:
        click.echo(msgspec.json.encode(_as_json(report)))
    else:
        show(report)
    ctx.exit(ExitCode.VERIFICATION_FAILED if report.has_failed else ExitCode.DONE)


def run(
    settings: Settings,
    stream_id: bytes | None = None,
    *,
    processes: int | None = None,
    heads: Sequence[StreamHead] = (),
    checkpoints: Sequence[Path] = (),
) -> Report:
    """Verify the database of *settings*, or only the table *stream_id* and its disputes; show a progress bar.

    *heads* are earlier heads of the streams; the report lists the heads that the log does not have. *checkpoints* are
    files with signed checkpoints, with which the log is compared.

    Raises:
        CommandFailed: there is no such table, and *heads* has no head of the table.
        NoDatabase, SchemaNotAtHead, UnsafeDatabase, KeyFileError, OtherServiceKey, CommandFailed: as for
            `open_database.check_and_open`, `open_database.load_service_key` and `log_files.evidence`.
    """
    # The checkpoints are read before the log, so that the log has all leaves that they cover.
    evidence = log_files.evidence(settings, checkpoints)
    with open_database.check_and_open(settings) as engine, output.progress_bar("events") as bar:
        entropy = Entropy()
        key = open_database.load_service_key(engine, settings, entropy)
        evidence = structs.replace(evidence, receipt_key=receipts.public_key(key))
        log, codec = open_database.open_log(engine, settings, entropy)
        workers = Workers(
            processes or os.cpu_count() or 1,
            key,
            least=1 if processes else log_audit.MIN_EVENTS_FOR_PROCESSES,
        )
        with reading(engine, without_idle_limit=True) as connection:
            lost = tuple(lost_heads.lost_heads(connection, heads))
        try:
            report = log_audit.verify(engine, log, codec, stream_id=stream_id, progress=bar, workers=workers)
        except log_audit.NoSuchTable as error:
            if not lost:
                raise CommandFailed(ExitCode.FAILED, f"There is no table {error}.") from error
            report = sum_up(())
        whole = verify_log(engine, evidence) if stream_id is None else verify_indexes(engine, stream_id)
        return structs.replace(report, lost=lost, log=whole)


def heads_in(file: Path) -> tuple[StreamHead, ...]:
    """Return the heads in the last line of *file*.

    Raises:
        CommandFailed: the file can't be read, or has no such line. The `.head` file of a log key has no such line: it
            is a checkpoint.
    """
    try:
        end = export_format.read_end(file)
    except OSError as error:
        raise CommandFailed(ExitCode.FAILED, f"{file} can't be read: {error.strerror}.") from error
    if end is None:
        cure = f"name by --head {log_files.OF_HEADS}"
        if origin := log_files.origin_in(file):
            why = f"is a checkpoint of the log {origin}, and has no heads of streams"
            cure += "; `chiptrail verify --checkpoint` compares the log with a checkpoint"
        else:
            why = "has no last line with heads of streams: the file is cut off, or neither a .head file nor an export"
        raise CommandFailed(ExitCode.FAILED, f"{file} {why}.", cure)
    return end.heads


def show(report: Report) -> None:
    """Print *report*: verdicts, numbers of checked items, unsigned hands, disputes, pending tables, and findings."""
    grid = Table(box=None, pad_edge=False)
    grid.add_column("")
    for verdict in Verdict:
        grid.add_column(verdict.value, justify="right")
    for what, of_verdict in (("tables", report.tables), ("hands", report.hands)):
        grid.add_row(what, *(f"{of_verdict.get(verdict, 0):,}" for verdict in Verdict))
    output.stdout.print(grid)
    output.stdout.print(
        f"{report.events:,} events, {report.decisions:,} decisions decided again, {report.decks:,} decks"
    )
    if report.signed:
        output.stdout.print(f"{report.signed:,} decisions are signed by the keys that the seats registered")
    for hand in report.unsigned:
        seats = ", ".join(map(str, hand.seats))
        output.stdout.print(f"[yellow]unsigned[/] {hand.table} hand {hand.hand}: seats {seats}", soft_wrap=True)
    if more := report.unsigned_hands - len(report.unsigned):
        output.stdout.print(f"and {more:,} more hands with unsigned decisions")
    if report.dispute_events:
        of_disputes = ", ".join(f"{count:,} {verdict.value}" for verdict, count in report.disputes.items())
        output.stdout.print(f"{report.dispute_events:,} events of disputes decided again; disputes: {of_disputes}")
    for dispute in report.failed_hands:
        said = f"{dispute.status} {dispute.outcome}".rstrip()
        where = f"{dispute.table} hand {dispute.hand}: dispute {dispute.dispute} ({dispute.ground}) is {said}"
        output.stdout.print(f"[red]failed[/] {where}, but the hand fails its audit", soft_wrap=True)
    for one in report.pending:
        output.stdout.print(f"[yellow]pending[/] {one.table}: {output.escaped(str(one))}", soft_wrap=True)
    if more := report.tables.get(Verdict.PENDING, 0) - len(report.pending):
        output.stdout.print(f"and {more:,} more pending tables")
    if report.log:
        _show_log(report.log)
    show_findings(report.lost)
    show_findings(report.findings)
    if report.left_out:
        output.stdout.print(f"and {report.left_out:,} more findings")
    output.stdout.print("[red]FAILED[/]" if report.has_failed else "[green]nothing failed[/]")


def _show_log(log: LogReport) -> None:
    waiting = f", {log.waiting:,} leaves wait for one" if log.waiting else ""
    output.stdout.print(f"{log.indexed:,} leaves have an index{waiting}; {log.checkpoints:,} checkpoints compared")
    if log.service_events:
        output.stdout.print(f"{log.service_events:,} events of the service's own stream, with {log.keys:,} API keys")
    for reason in log.not_checked:
        output.stdout.print(f"[yellow]not checked[/]: {output.escaped(reason)}", soft_wrap=True)
    show_findings(log.findings)
    if log.left_out:
        output.stdout.print(f"and {log.left_out:,} more findings about the log as a whole")


def show_findings(findings: Iterable[Finding]) -> None:
    """Print for each finding its table and position, the failed check, and the expected and found values."""
    for finding in findings:
        where = f"{finding.table} position {finding.position}" if finding.position else finding.table
        output.stdout.print(f"[red]{finding.verdict.value}[/] {where}: {finding.check}", soft_wrap=True)
        for name, value in (("expected", finding.expected), ("found", finding.found), ("where", finding.detail)):
            if value:
                output.stdout.print(f"    {name:<9}{output.escaped(value)}", soft_wrap=True)


def stream_of(table: str) -> bytes:
    """Return the stream of the table with the id *table*.

    Raises:
        UsageError: *table* does not have the form of a table's id.
        CommandFailed: no table can have this id.
    """
    match = re.fullmatch("tbl_([0-9a-f]{32})", table, re.ASCII)
    if match is None:
        raise click.UsageError(f"{table!r} does not have the form of a table's id: tbl_ and 32 hex digits.")
    stream_id = bytes.fromhex(match[1])
    if not is_of_table(stream_id):
        raise CommandFailed(ExitCode.FAILED, f"There is no table {table}.")
    return stream_id


def _as_json(report: Report) -> dict[str, Any]:
    """Return *report* as an object for JSON, with the verdict on the database, and the counts by verdict."""
    counted = {
        name: {verdict.value: of_verdict.get(verdict, 0) for verdict in Verdict}
        for name, of_verdict in (("tables", report.tables), ("hands", report.hands), ("disputes", report.disputes))
    }
    return {"verdict": "failed" if report.has_failed else "clean", **msgspec.to_builtins(report), **counted}
