"""`chiptrail balances`: sums the postings at all tables by kind of account."""

import click
import msgspec
from rich.table import Table
from sqlalchemy import Engine

from service.cli.support import flags, open_database, output
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database.engines import reading
from service.disputes.adjustment_totals import adjustment_totals
from service.disputes.dispute_state import ADJUSTMENT
from service.event_store.quarantine import StreamCorrupted
from service.projections.swap_guard import retry_after_swap
from service.projections.totals import Total, totals
from service.settings import Settings


@click.command()
@flags.with_settings
@flags.as_json
def balances(settings: Settings, *, as_json: bool) -> None:
    """Sum the postings at all tables by kind of account.

    Chips and points only move between accounts, so the balances of all kinds sum to zero. The kinds `adjustment:chips`
    and `adjustment:points` have the corrections of disputes; the accounts of each of these two kinds sum to zero.
    """
    with open_database.check_and_open(settings) as engine:
        sums = _totals(engine)
        try:
            with reading(engine) as connection:
                of_disputes = adjustment_totals(connection)
        except StreamCorrupted as error:
            raise CommandFailed(ExitCode.FAILED, f"{error}. `chiptrail verify` reports the fault.") from error
    sums += tuple(Total(f"{ADJUSTMENT}:{one.unit}", one.accounts, one.postings, one.balance) for one in of_disputes)
    if as_json:
        click.echo(msgspec.json.encode(sums))
        return
    grid = Table("accounts", "number", "postings", "balance", box=None, pad_edge=False)
    for column in grid.columns[1:]:
        column.justify = "right"
    for total in sums:
        grid.add_row(total.kind, f"{total.accounts:,}", f"{total.postings:,}", f"{total.balance:,}")
    output.stdout.print(grid)
    output.stdout.print(
        f"{sum(total.postings for total in sums):,} postings; sum {sum(total.balance for total in sums):,}"
    )


@retry_after_swap
def _totals(engine: Engine) -> tuple[Total, ...]:
    with reading(engine) as connection:
        return totals(connection)
