"""`chiptrail disputes`: lists disputes, shows a dispute with its steps, or takes a dispute from its auditor."""

import click
import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from service.cli.reports import dispute_report
from service.cli.reports.dispute_report import ShownDispute
from service.cli.support import flags, open_database
from service.cli.support.exit_codes import CommandFailed, ExitCode, command_line
from service.cli.verify import stream_of
from service.database.engines import reading
from service.disputes import disputes_table, stored_disputes
from service.disputes.dispute_commands import ReturnDispute
from service.disputes.dispute_rules import REASON
from service.disputes.disputes_table import DisputeRow, Place
from service.entropy import Entropy
from service.event_store.entries import place_name
from service.event_store.quarantine import StreamCorrupted
from service.games.game import SERVICE
from service.play.dispute_desk import DisputeDesk, DisputeOrder, DisputeRefused
from service.play.orders import NoSuchTable
from service.settings import Settings
from service.tables.fold import table_id

_PAGE = 500
_NUMBER = click.IntRange(1, 2**31 - 1)


class ListedDispute(Struct, frozen=True, kw_only=True):
    """A dispute in the list, as JSON."""

    table: str
    dispute: int
    hand: int
    ground: str
    status: str
    outcome: str
    verdict: str
    opened_at: str
    auditor: str


@click.group()
def disputes() -> None:
    """List and show disputes about hands, or take a dispute from its auditor."""


@disputes.command(name="list")
@flags.with_settings
@flags.as_json
@click.option("--closed", "is_closed", is_flag=True, help="List the closed disputes instead.")
def list_disputes(settings: Settings, *, is_closed: bool, as_json: bool) -> None:
    """List the disputes that wait for a step, the oldest first.

    The disputes of imported tables are left out, because these disputes get no further steps.
    """
    with open_database.check_and_open(settings) as engine, reading(engine) as connection:
        rows = list(_rows(connection, is_closed=is_closed))
    listed = [_listed(row) for row in rows]
    if as_json:
        click.echo(msgspec.json.encode(listed))
    else:
        dispute_report.show_list(rows)


@disputes.command()
@flags.with_settings
@flags.as_json
@click.argument("table", metavar="tbl_…")
@click.argument("number", type=_NUMBER)
@click.option("--texts", "with_texts", is_flag=True, help="Show the sealed statements, answers and questions too.")
@click.pass_context
def show(  # noqa: PLR0913 -- each flag is a parameter
    ctx: click.Context, settings: Settings, *, table: str, number: int, with_texts: bool, as_json: bool
) -> None:
    """Show dispute NUMBER of a table: its steps, its outcome, and the verdict of deciding its hand again now.

    The reason of the auditor's decision is shown even without --texts. If the verdict is `failed`, the exit code is 3.
    """
    stream_id = stream_of(table)
    with open_database.check_and_open(settings) as engine:
        desk, _ = open_database.open_desk(engine, settings, Entropy())
        try:
            with reading(engine) as connection:
                shown = _shown(connection, desk, stream_id, number, with_texts=with_texts)
        except StreamCorrupted as error:
            why = f"The log of {place_name(error.stream_id)} is damaged at position {error.position}: {error.why}."
            raise CommandFailed(ExitCode.FAILED, why, f"{command_line(ctx, 'verify')} --table {table}") from error
    if as_json:
        click.echo(msgspec.json.encode(shown))
    else:
        dispute_report.show(shown)
    ctx.exit(ExitCode.VERIFICATION_FAILED if shown.verdict_now == "failed" else ExitCode.DONE)


@disputes.command(name="return")
@flags.with_settings
@click.argument("table", metavar="tbl_…")
@click.argument("number", type=_NUMBER)
def return_dispute(settings: Settings, *, table: str, number: int) -> None:
    """Take dispute NUMBER of a table from its auditor, for example because the auditor is gone.

    Another auditor may then take on the dispute (D.4).
    """
    entropy = Entropy()
    with open_database.check_and_open(settings) as engine:
        desk, _ = open_database.open_desk(engine, settings, entropy)
        order = DisputeOrder(
            table_stream=stream_of(table),
            owner="",
            role=SERVICE,
            key=entropy.new_id("try"),
            command=ReturnDispute(),
            number=number,
        )
        try:
            desk.do(order)
        except NoSuchTable as error:
            raise CommandFailed(ExitCode.FAILED, f"There is no table {table}.") from error
        except DisputeRefused as error:
            raise CommandFailed(ExitCode.FAILED, f"{error.refusal.detail} ({error.refusal.ruling})") from error
    click.echo(f"returned     dispute {number} of {table}")


def _rows(connection: Connection, *, is_closed: bool) -> list[DisputeRow]:
    rows: list[DisputeRow] = []
    after = None
    while page := disputes_table.oldest(connection, after, _PAGE, is_closed=is_closed):
        rows += page
        after = Place(page[-1].opened_at, page[-1].stream_id, page[-1].dispute)
    return rows


def _listed(row: DisputeRow) -> ListedDispute:
    return ListedDispute(
        table=table_id(row.stream_id),
        dispute=row.dispute,
        hand=row.hand,
        ground=row.ground,
        status=row.status,
        outcome=row.outcome,
        verdict=row.verdict,
        opened_at=row.opened_at,
        auditor=row.auditor,
    )


def _shown(
    connection: Connection, desk: DisputeDesk, table_stream: bytes, number: int, *, with_texts: bool
) -> ShownDispute:
    stored = stored_disputes.read_disputes(connection, desk.log, table_stream)
    dispute = stored.state.disputes.get(number)
    if dispute is None:
        raise CommandFailed(ExitCode.FAILED, f"Table {table_id(table_stream)} has no dispute {number}.")
    recorded = stored.of(number)
    openings = stored_disputes.openings_of(connection, desk.log, stored.stream_id, recorded)
    texts = {(one.position, one.field): str(one.value) for one in openings if with_texts or one.field == REASON}
    verdict_now = desk.machine_verdict(connection, table_stream, dispute.hand)
    return dispute_report.shown(table_id(table_stream), dispute, recorded, texts, verdict_now)
