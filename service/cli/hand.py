"""`chiptrail hand`: explains every payout of one hand, from the database (DECISIONS 87)."""

from functools import partial

import click
import msgspec
from msgspec import Struct, structs
from sqlalchemy import Connection

from service import deck
from service.audit.checks.sealed_rows import stored_fields
from service.audit.hand_verdict import adjudication_of
from service.audit.judging.adjudicate import HandJudgement
from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.audit.verdicts import Verdict
from service.cli.reports import hand_report
from service.cli.support import flags, open_database, output
from service.cli.support.bylines import byline
from service.cli.support.exit_codes import CommandFailed, ExitCode, command_line
from service.cli.verify import stream_of
from service.client.hand_answers import Adjudication, HandHistory
from service.client.table_answers import ActionInfo, Credit, GameInfo, MemberInfo
from service.database.engines import reading
from service.disputes.hand_disputes import hand_disputes
from service.entropy import Entropy
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.games.common_commands import ACTIONS
from service.games.common_rulings import COMMON_RULINGS
from service.games.definition import Game
from service.projections import hand_history
from service.settings import Settings
from service.tables.cache import TableCache
from service.tables.fold import TableAt
from service.tables.sealed_store import SealedStore, TableUnsealer


class ExplainedHand(Struct, frozen=True):
    """A *hand* as everybody may see it, its *adjudication* (both in the form of the API), its *verdict* and *game*."""

    hand: Struct
    adjudication: Struct
    verdict: Verdict
    game: Game


@click.command()
@flags.with_settings
@flags.as_json
@click.argument("table", metavar="tbl_…")
@click.argument("number", type=click.IntRange(1, 2**31 - 1))
@click.pass_context
def hand(ctx: click.Context, settings: Settings, *, table: str, number: int, as_json: bool) -> None:
    """Explain hand NUMBER of a table.

    The report has the hand's public cards, decisions, payouts and balances. The command also decides each decision of
    the hand again; if the result differs from the log, the exit code is 3.
    """
    explained = _read(ctx, settings, table, number)
    if as_json:
        click.echo(msgspec.json.encode({"hand": explained.hand, "adjudication": explained.adjudication}))
    else:
        _print(explained)
    failed = explained.verdict is Verdict.FAILED
    ctx.exit(ExitCode.VERIFICATION_FAILED if failed else ExitCode.DONE)


def _read(ctx: click.Context, settings: Settings, table: str, number: int) -> ExplainedHand:
    """Read a hand from the database.

    Raises:
        UsageError: *table* does not have the form of a table's id.
        CommandFailed: there is no such table or hand, or the hand can't be read because the table's stream is damaged.
    """
    stream_id = stream_of(table)
    with open_database.check_and_open(settings) as engine:
        log, _ = open_database.open_log(engine, settings, Entropy())
        tables = TableCache(log)
        try:
            with reading(engine) as connection:
                table_at = tables.current(connection, stream_id)
                if table_at is None:
                    raise CommandFailed(ExitCode.FAILED, f"There is no table {table}.")
                return _explain(connection, log, tables, table_at, number)
        except StreamCorrupted as error:
            why = f"The log of {table} is damaged at position {error.position}: {error.why}."
            raise CommandFailed(ExitCode.FAILED, why, f"{command_line(ctx, 'verify')} --table {table}") from error


def _explain(connection: Connection, log: Log, tables: TableCache, table_at: TableAt, number: int) -> ExplainedHand:
    item = hand_history.find(connection, table_at, number)
    if item is None:
        if table_at.broken_at:
            log.quarantine.require_sound(table_at.stream_id)
        raise CommandFailed(ExitCode.FAILED, f"Table {table_at.state.table} has no hand {number}.")
    hidden = TableUnsealer(SealedStore(log, deck.shuffle), lambda: connection, table_at)
    opening = tables.balances_at(connection, table_at, item.first - 1)
    view = hand_history.read(connection, log, table_at, item, opening, 0, hidden)
    fields = partial(stored_fields, connection, log, table_at.stream_id)
    judged: HandJudgement = adjudicate_stored_hand(connection, log, tables, table_at, number, fields)
    disputes = hand_disputes(connection, table_at.stream_id, number, lambda: judged.verdict.value)
    view = structs.replace(view, disputes=disputes)
    adjudication = adjudication_of(table_at.state.table, judged, disputes)
    return ExplainedHand(view, adjudication, judged.verdict, table_at.game)


def _print(explained: ExplainedHand) -> None:
    """Print the report of a hand in the form that the demo uses."""
    sheet = explained.game.sheet
    credit = Credit(sheet.title, sheet.author, sheet.year, sheet.sha256)
    actions = tuple(
        ActionInfo(tuple(MemberInfo(name) for name in command.__struct_fields__ if name not in command.FROM_CALLER))
        for command in (*ACTIONS, *explained.game.commands)
    )
    game = GameInfo(
        credit=credit,
        edition=explained.game.edition,
        rules=sheet.rules,
        rulings={**explained.game.rulings, **COMMON_RULINGS},
        actions=actions,
    )
    history = msgspec.json.decode(msgspec.json.encode(explained.hand), type=HandHistory)
    judged = msgspec.json.decode(msgspec.json.encode(explained.adjudication), type=Adjudication)
    output.stdout.print(output.escaped(byline(credit)), soft_wrap=True)
    hand_report.heading(f"Hand {history.hand} of {history.table}")
    hand_report.explain(history, judged, game)
