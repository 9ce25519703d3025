"""`chiptrail bench`: measures how fast the service is on this machine, and how much memory and storage it needs."""

from pathlib import Path

import click

from service.bench import figures, groups
from service.cli.support import output
from service.cli.support.exit_codes import CommandFailed, ExitCode


@click.command()
@click.option(
    "--json",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the figures to FILE as JSON.",
)
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="GROUP",
    help="Measure only groups whose name is GROUP, or begins with GROUP and a dot. May be repeated. "
    f"The groups are {', '.join(groups.GROUPS)}.",
)
@click.option(
    "--seconds", type=click.IntRange(1, 600), default=10, show_default=True, help="How long each load over HTTP lasts."
)
@click.option(
    "--postgresql",
    "server",
    default="",
    metavar="URL",
    help="The PostgreSQL server to use. If URL is the URL of a spread database, the bench creates each of its own "
    "databases on every node of that database. Default: a new server.",
)
def bench(file: Path | None, names: tuple[str, ...], seconds: int, server: str) -> None:
    """Measure the service on this machine.

    The figures show how fast the service carries out commands, folds events, audits hands and rebuilds projections.
    Other figures show how many bytes the service needs in memory and in storage. The command makes databases with all
    durability settings on, and removes these databases afterwards.
    """
    try:
        chosen = groups.select_groups(names)
    except LookupError as error:
        raise click.UsageError(f"There is no group {error}. The groups are {', '.join(groups.GROUPS)}.") from error
    report = groups.measure_groups(
        chosen, seconds, server, lambda group: output.stderr.print(f"[dim]measuring {group} …[/]")
    )
    figures.show(report, output.stdout)
    if file is not None:
        file.write_bytes(figures.to_json(report))
    if report.missing:
        raise CommandFailed(ExitCode.FAILED, f"These could not be measured: {', '.join(report.missing)}.")
