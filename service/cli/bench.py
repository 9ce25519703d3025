"""`chiptrail bench`: figures of this machine."""

from pathlib import Path

import click

from service.bench import figures, groups
from service.cli.support import output
from service.cli.support.exit_codes import CommandFailed, ExitCode


@click.command()
@click.option(
    "--json", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write JSON, too."
)
@click.option(
    "--only", "names", multiple=True, metavar="GROUP", help=f"Of {', '.join(groups.GROUPS)}; may be repeated."
)
@click.option("--seconds", type=click.IntRange(1, 600), default=10, show_default=True, help="For each load over HTTP.")
@click.option("--postgresql", "server", default="", metavar="URL", help="A server to use; one is started otherwise.")
def bench(file: Path | None, names: tuple[str, ...], seconds: int, server: str) -> None:
    """Measure this machine: commands over HTTP, folding, judging, storage.

    Databases are made for it and removed afterwards; all that makes them durable stays on.
    """
    try:
        asked = groups.select_groups(names)
    except LookupError as error:
        raise click.UsageError(f"There is no group {error}; there are {', '.join(groups.GROUPS)}.") from error
    report = groups.measure_groups(
        asked, seconds, server, lambda group: output.stderr.print(f"[dim]measuring {group} …[/]")
    )
    figures.show(report, output.stdout)
    if file is not None:
        file.write_bytes(figures.to_json(report))
    if report.missing:
        raise CommandFailed(ExitCode.FAILED, f"Not all could be measured: {', '.join(report.missing)}.")
