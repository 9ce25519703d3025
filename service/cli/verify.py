"""`chiptrail verify`: decide everything again, check all that is stored, and say what is not as it must be."""

import os
import re
from collections.abc import Iterable
from typing import Any

import click
import msgspec
from rich.table import Table

from service.audit import verify as audit
from service.audit.findings import Finding
from service.audit.verdicts import Verdict
from service.audit.verify import Helpers, Report
from service.cli import flags, opening, screen
from service.cli.endings import Code, Ended
from service.entropy import Entropy
from service.settings import Settings


@click.command()
@flags.with_settings
@flags.as_json
@flags.processes
@click.option("--table", metavar="tbl_…", help="Verify this table alone.")
@click.pass_context
def verify(ctx: click.Context, settings: Settings, *, table: str | None, processes: int | None, as_json: bool) -> None:
    """Decide every decision again, check all that is stored, and name what is not as it must be.

    Only `failed` is an alarm, and ends with 3; `pending` is what a live deck does not show yet.
    """
    report = run(settings, stream_of(table) if table else None, processes)
    if as_json:
        click.echo(msgspec.json.encode(_as_json(report)))
    else:
        show(report)
    ctx.exit(Code.VERIFICATION_FAILED if report.has_failed else Code.DONE)


def run(settings: Settings, stream_id: bytes | None = None, processes: int | None = None) -> Report:
    """Verify the database that *settings* name, or one stream of it, with a bar where there is a terminal.

    Raises:
        Ended: there is no such table.
    """
    with opening.opened(settings) as engine, screen.progress("events") as bar:
        entropy = Entropy()
        log, codec = opening.log(engine, settings, entropy)
        helpers = Helpers(
            processes or os.cpu_count() or 1,
            opening.service_key(engine, settings, entropy),
            least=1 if processes else audit.WORTH_SHARING,
        )
        try:
            return audit.verify(engine, log, codec, stream_id=stream_id, progress=bar, helpers=helpers)
        except audit.NoSuchTable as error:
            raise Ended(Code.FAILED, f"There is no table {error}.") from error


def show(report: Report) -> None:
    """Print the verdict, what it rests on, and every finding."""
    counted = Table(box=None, pad_edge=False)
    counted.add_column("")
    for verdict in Verdict:
        counted.add_column(verdict.value, justify="right")
    for what, of_verdict in (("tables", report.tables), ("hands", report.hands)):
        counted.add_row(what, *(f"{of_verdict.get(verdict, 0):,}" for verdict in Verdict))
    screen.out.print(counted)
    screen.out.print(f"{report.events:,} events, {report.decisions:,} decisions decided again, {report.decks:,} decks")
    show_findings(report.findings)
    if report.left_out:
        screen.out.print(f"and {report.left_out:,} findings more")
    screen.out.print("[red]FAILED[/]" if report.has_failed else "[green]nothing failed[/]")


def show_findings(findings: Iterable[Finding]) -> None:
    """Print each finding: where it is, what must hold, what was expected and what found."""
    for finding in findings:
        where = f"{finding.table} position {finding.position}" if finding.position else finding.table
        screen.out.print(f"[red]{finding.verdict.value}[/] {where}: {finding.check}", soft_wrap=True)
        for name, said in (("expected", finding.expected), ("found", finding.found), ("where", finding.detail)):
            if said:
                screen.out.print(f"    {name:<9}{screen.plain(said)}", soft_wrap=True)


def stream_of(table: str) -> bytes:
    """Return the stream of the table with this id.

    Raises:
        UsageError: it is none.
    """
    found = re.fullmatch("tbl_([0-9a-f]{32})", table, re.ASCII)
    if found is None:
        raise click.UsageError(f"{table!r} is no table's id: that is tbl_ and 32 hex digits.")
    return bytes.fromhex(found[1])


def _as_json(report: Report) -> dict[str, Any]:
    """Return *report* with a number for every verdict."""
    counted = {
        name: {verdict.value: of_verdict.get(verdict, 0) for verdict in Verdict}
        for name, of_verdict in (("tables", report.tables), ("hands", report.hands))
    }
    return {"verdict": "failed" if report.has_failed else "clean", **msgspec.to_builtins(report), **counted}
