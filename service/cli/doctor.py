"""`chiptrail doctor`: finds faults of an installation, and names a cure for each fault."""

from collections.abc import Iterator
from itertools import chain

import click
import msgspec

from service.cli.checks import placement_checks
from service.cli.support import exit_codes, flags, open_database, output
from service.cli.support.exit_codes import ExitCode
from service.cli.support.installation_checks import DATABASE_CHECKS, OTHER_CHECKS, Finding, Installation
from service.cli.support.log_checks import DATABASE_LOG_CHECKS, OTHER_LOG_CHECKS
from service.settings import Settings


@click.command()
@flags.with_settings
@flags.as_json
@click.pass_context
def doctor(ctx: click.Context, settings: Settings, *, as_json: bool) -> None:
    """Check the installation, and name a cure for each fault."""
    with open_database.open_as_is(settings) as engine:
        installation = Installation(settings, engine, lambda command: exit_codes.command_line(ctx, command))
        findings = list(_check(installation))
    if as_json:
        click.echo(msgspec.json.encode(findings))
    else:
        for finding in findings:
            output.stdout.print(_line(finding), soft_wrap=True)
    ctx.exit(next((finding.code for finding in findings if finding.state == "wrong"), ExitCode.DONE))


def _check(installation: Installation) -> Iterator[Finding]:
    for check in (*OTHER_CHECKS, *OTHER_LOG_CHECKS):
        yield check(installation)
    of_database = chain(DATABASE_CHECKS, placement_checks.of(installation), DATABASE_LOG_CHECKS)
    for check in of_database:  # each of these checks runs only if no earlier check found a fault
        finding = check(installation)
        yield finding
        if finding.state == "wrong":
            return


def _line(finding: Finding) -> str:
    mark = {"ok": "[green]ok   [/]", "note": "[yellow]note [/]", "wrong": "[red]wrong[/]"}[finding.state]
    cure = f"\n      [bold]cure:[/] {output.escaped(finding.cure)}" if finding.cure else ""
    return f"{mark} {output.escaped(finding.check)}: {output.escaped(finding.said)}{cure}"
