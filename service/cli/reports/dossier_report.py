"""Checks a dossier for `chiptrail verify --dossier`, and prints the report (DECISIONS 104)."""

from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from service.audit.verdicts import Verdict
from service.cli.reports import hand_report
from service.cli.support import output
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.dossier import archive, kept_files, offline_check
from service.dossier.offline_check import DossierReport, Outcome

_STYLES = {Outcome.OK: "green", Outcome.FAILED: "red", Outcome.NOT_CHECKED: "yellow"}


def check(file: Path, kept: Iterable[Path], *, as_json: bool) -> ExitCode:
    """Check the dossier in *file*, compare it with the files in *kept*, print the report, and return the exit code.

    Raises:
        CommandFailed: a file can't be read.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(archive.MOST_BYTES + 1)
        report = offline_check.check(data, [kept_files.read(one) for one in kept])
    except OSError as error:
        raise CommandFailed(ExitCode.FAILED, f"{error.filename} can't be read: {error.strerror}.") from error
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        _show(report)
    return ExitCode.VERIFICATION_FAILED if report.verdict is Verdict.FAILED else ExitCode.DONE


def _show(report: DossierReport) -> None:
    output.stdout.print(f"SHA-256 {report.sha256}", soft_wrap=True)
    for one in report.steps:
        text = output.escaped(f"{one.place}: {one.text}" if one.place else one.text)
        style = _STYLES[one.outcome]
        output.stdout.print(f"[{style}]{one.outcome.value:<12}[/]{one.step:<12}{text}", soft_wrap=True)
    for hand in report.hands:
        last = hand.last or "now"
        output.stdout.print(f"hand {hand.hand}, positions {hand.first} to {last}: {hand.verdict.value}", soft_wrap=True)
        output.stdout.print(f"    {hand_report.signatures(hand.unsigned_seats)}")
    about = f"hand {report.subject.hand}" if report.subject and report.subject.hand else "the dossier"
    output.stdout.print(f"{about}: [bold]{report.verdict.value}[/]")
