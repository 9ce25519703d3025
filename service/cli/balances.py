"""`chiptrail balances`: what the accounts of all tables hold together."""

import click
import msgspec
from rich.table import Table
from sqlalchemy import Engine

from service.cli.support import flags, open_database, output
from service.database.engines import reading
from service.projections.swap_guard import retry_after_swap
from service.projections.totals import Total, totals
from service.settings import Settings


@click.command()
@flags.with_settings
@flags.as_json
def balances(settings: Settings, *, as_json: bool) -> None:
    """Sum up every posting there is, by kind of account: chips and points only move, so all kinds sum to zero."""
    with open_database.check_and_open(settings) as engine:
        found = _totals(engine)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    shown = Table("accounts", "number", "postings", "balance", box=None, pad_edge=False)
    for column in shown.columns[1:]:
        column.justify = "right"
    for one in found:
        shown.add_row(one.kind, f"{one.accounts:,}", f"{one.postings:,}", f"{one.balance:,}")
    output.stdout.print(shown)
    output.stdout.print(f"{sum(one.postings for one in found):,} postings; sum {sum(one.balance for one in found):,}")


@retry_after_swap
def _totals(engine: Engine) -> tuple[Total, ...]:
    with reading(engine) as connection:
        return totals(connection)
