"""`python -m tests.bench.usual` compares our service with the usual way, a Flask app with `eventsourcing`."""

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from statistics import median
from typing import Final

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from service.bench import databases, http_load, machine
from service.bench.databases import POSTGRESQL, TemporaryDatabases
from service.bench.games import bankrupt
from service.bench.groups import UNMEASURED
from service.entropy import Entropy
from tests.bench.usual import serving, sides
from tests.bench.usual.sides import Compared, Plan, Try

OUT: Final = Console()
ASIDE: Final = Console(stderr=True)

_ALL_WAYS: Final = (*serving.WAYS, serving.HELLO)
_PACKAGES: Final = ("eventsourcing", "psycopg-pool", "flask", "marshmallow", "granian")


@click.command()
@click.option("--seconds", type=click.IntRange(1, 60), default=5, show_default=True, help="The seconds of each try.")
@click.option("--tries", type=click.IntRange(1, 20), default=5, show_default=True, help="The tries of each way.")
@click.option("--load", "names", multiple=True, type=click.Choice(bankrupt.LOADS.names), help="Measure only this load.")
@click.option("--way", "ways", multiple=True, type=click.Choice(_ALL_WAYS), help="Measure only this way.")
@click.option("--postgresql", "server", default="", metavar="URL", help="The server to use. Default: a new server.")
def main(seconds: int, tries: int, names: tuple[str, ...], ways: tuple[str, ...], server: str) -> None:
    """Measure commands over HTTP on PostgreSQL, in our service and in the usual way."""
    plan = Plan(seconds=seconds, tries=tries, loads=names or bankrupt.LOADS.names, ways=ways or _ALL_WAYS)
    clock = Entropy()
    with databases.folder() as home, TemporaryDatabases(home, server, clock) as temporary:
        about = dict(machine.describe(home, clock))
        try:
            found = list(sides.compare(temporary, plan, clock, lambda word: ASIDE.print(f"[dim]{word}[/]")))
        except UNMEASURED as error:
            raise click.ClickException(f"not measured: {error}") from error
        about["postgresql"] = temporary.settings[POSTGRESQL]
        about["processor"] += f", {os.getloadavg()[0]:.2f} after the last"
    about["http"] = (
        f"{http_load.CONNECTIONS} connections, a table each, {tries} tries of {seconds} s each way in turn, "
        f"{serving.PROCESSES} processes of {serving.THREADS} threads each"
    )
    about["the usual way"] = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    for way in plan.ways:
        about[way] = ", ".join(f"{name}={value}" for name, value in serving.WAYS.get(way, {}).items()) or "no setting"
    show(about, found)


def show(about: Mapping[str, str], found: Sequence[Compared]) -> None:
    """Print the machine and the settings; the medians, each rate with its least and greatest value; and the ratios."""
    settings = Table("", "", show_header=False, box=None)
    for name, value in about.items():
        settings.add_row(f"[dim]{name}[/]", value)
    OUT.print(settings)
    table = Table("load", "way", "commands/s", "p50 ms", "p99 ms", "server ms", "database ms", box=SIMPLE_HEAD)
    for one in found:
        for name, tries in one.tries.items():
            table.add_row(one.load, name, *_row(tries))
    OUT.print(table)
    for one in found:
        for way in one.tries:
            if way != sides.OURS:
                rounds = ", ".join(f"{ratio:.2f}" for ratio in one.ratios(way))
                OUT.print(f"{one.load}: {sides.OURS} / {way} = {one.ratio(way):.2f} (round by round: {rounds})")


def _row(tries: Sequence[Try]) -> tuple[str, ...]:
    rates = sorted(one.per_second for one in tries)
    others = ([one.p50_ms for one in tries], [one.p99_ms for one in tries])
    used = ([one.server_ms for one in tries], [one.database_ms for one in tries])
    return (
        f"{median(rates):,.0f} ({rates[0]:,.0f} to {rates[-1]:,.0f})",
        *(f"{median(values):.1f}" for values in others),
        *(f"{median(values):.2f}" for values in used),
    )


if __name__ == "__main__":
    main()
