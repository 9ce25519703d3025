"""`chiptrail bench`: measures the speed of the service on this machine."""

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
    help=f"Measure only GROUP: one of {', '.join(groups.GROUPS)}. May be repeated.",
)
@click.option(
    "--seconds", type=click.IntRange(1, 600), default=10, show_default=True, help="The length of each load over HTTP."
)
@click.option(
    "--postgresql", "server", default="", metavar="URL", help="A PostgreSQL server to use. Default: start one."
)
def bench(file: Path | None, names: tuple[str, ...], seconds: int, server: str) -> None:
    """Measure the speed of the service on this machine.

    The figures show the speed of commands over HTTP, of folding, of judging and of storage. The command makes databases
    with all durability settings on, and removes these databases afterwards.
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
