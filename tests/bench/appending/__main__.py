"""`python -m tests.bench.appending` compares appending to a long log with appending to a short log, on PostgreSQL."""

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from service.bench import databases, machine
from service.bench.databases import POSTGRESQL, TemporaryDatabases
from service.entropy import Entropy
from tests.bench.appending import sides
from tests.bench.appending.sides import Compared, Plan

OUT = Console()
ASIDE = Console(stderr=True)


@click.command()
@click.option("--few", type=click.IntRange(1), default=1_000_000, show_default=True, help="Events in the short log.")
@click.option("--many", type=click.IntRange(1), default=10_000_000, show_default=True, help="Events in the long log.")
@click.option("--commands", type=click.IntRange(1), default=2_000, show_default=True, help="Commands in each try.")
@click.option("--tries", type=click.IntRange(1, 50), default=7, show_default=True, help="The tries of each log.")
@click.option("--postgresql", "server", default="", metavar="URL", help="The server to use. Default: a new server.")
def main(few: int, many: int, commands: int, tries: int, server: str) -> None:
    """Fill two databases with played games, and record commands in both in turn."""
    clock = Entropy()
    with databases.folder() as home, TemporaryDatabases(home, server, clock) as temporary:
        about = machine.describe(home, clock)
        plan = Plan(few=few, many=many, commands=commands, tries=tries)
        found = sides.compare(temporary, plan, clock, lambda word: ASIDE.print(f"[dim]{word}[/]"))
        settings = temporary.settings[POSTGRESQL]
    for line in (about["processor"], settings):
        OUT.print(f"[dim]{line}[/]")
    show(plan, found)


def show(plan: Plan, found: Compared) -> None:
    """Print the medians, each with the least and the greatest value, and the ratios of the medians."""
    table = Table("log", "ms a command", "the database's processor, ms a command", "bytes an event", box=SIMPLE_HEAD)
    for name, side in (("short", found.few), ("long", found.many)):
        wall, cpu = side.milliseconds, side.database_milliseconds
        table.add_row(f"{name}: {side.events:,} events", _spread(wall), _spread(cpu), f"{side.bytes_per_event:,.0f}")
    OUT.print(table)
    OUT.print(
        f"long to short, medians of {plan.tries} tries of {plan.commands} commands: "
        f"{found.slower:.2f} on the wall, {found.dearer:.2f} of the database's processor"
    )


def _spread(values: tuple[float, ...]) -> str:
    least, *_, most = sorted((*values, *values))
    return f"{sides.middle(values):.2f} ({least:.2f} to {most:.2f})"


if __name__ == "__main__":
    main(prog_name="python -m tests.bench.appending")
