"""`chiptrail doctor`: finds faults of an installation, and names a cure for each fault."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

import click
import msgspec

from service.cli.checks import placement_checks
from service.cli.checks.installation_checks import DATABASE_CHECKS, OTHER_CHECKS, Finding, Installation
from service.cli.checks.log_checks import DATABASE_LOG_CHECKS, OTHER_LOG_CHECKS
from service.cli.support import exit_codes, flags, open_database, output
from service.cli.support.configuration import server_flags, settings_checks
from service.cli.support.configuration.settings_checks import SETTINGS_CHECKS
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.settings import Settings


@click.command()
@flags.with_settings
@server_flags.of_server
@click.option("--settings", "lists_settings", is_flag=True, help="Only list each setting, its value and its source.")
@flags.as_json
@click.pass_context
def doctor(ctx: click.Context, settings: Settings, *, lists_settings: bool, as_json: bool) -> None:
    """Check the installation, and name a cure for each fault. Give the flags that you give to `serve`."""
    given, config = flags.given(ctx), flags.config_file(ctx.params["config"])
    if lists_settings:
        _list(settings_checks.sources(settings, given), as_json=as_json)
        return
    if settings.data_folder.exists() and not os.access(settings.data_folder, os.R_OK | os.X_OK):
        cure = "run the command as the user of the server, for example with sudo -E -u chiptrail"
        raise CommandFailed(ExitCode.FAILED, f"You may not read the folder {settings.data_folder}.", cure)
    with open_database.open_as_is(settings) as engine:
        installation = Installation(settings, given, config, engine, partial(exit_codes.command_line, ctx))
        findings = list(_check(installation))
    if as_json:
        click.echo(msgspec.json.encode(findings))
    else:
        for finding in findings:
            output.stdout.print(_line(finding), soft_wrap=True)
    ctx.exit(next((finding.code for finding in findings if finding.state == "wrong"), ExitCode.DONE))


def _list(settings: Sequence[settings_checks.Source], *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(settings))
        return
    width = max(len(one.setting) for one in settings)
    for one in settings:
        click.echo(f"{one.setting:{width}}  {one.value or '(none)'}  [{one.source}]")


def _check(installation: Installation) -> Iterator[Finding]:
    for check in (*SETTINGS_CHECKS, *OTHER_CHECKS, *OTHER_LOG_CHECKS):
        yield check(installation)
    of_database = chain(DATABASE_CHECKS, placement_checks.of(installation), DATABASE_LOG_CHECKS)
    for check in of_database:  # after a fault, the later checks of this loop are left out
        finding = check(installation)
        yield finding
        if finding.state == "wrong":
            return


def _line(finding: Finding) -> str:
    mark = {"ok": "[green]ok   [/]", "note": "[yellow]note [/]", "wrong": "[red]wrong[/]"}[finding.state]
    cure = f"\n      [bold]cure:[/] {output.escaped(finding.cure)}" if finding.cure else ""
    return f"{mark} {output.escaped(finding.check)}: {output.escaped(finding.said)}{cure}"
