"""`chiptrail hand`: one hand explained to the last chip, from the database."""

from functools import partial

import click
import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from service import deck
from service.audit.checks.sealed_rows import stored_fields
from service.audit.judging.adjudicate import HandJudgement
from service.audit.judging.stored_hand import adjudicate_stored_hand
from service.audit.verdicts import Verdict
from service.bots.api import Adjudication, Credit, GameSeen, HandSeen
from service.cli import demo_report, flags, opening, screen
from service.cli.credits import byline
from service.cli.endings import Code, Ended, same_place
from service.cli.verify import stream_of
from service.database.engines import reading
from service.entropy import Entropy
from service.event_store.quarantine import StreamCorrupted
from service.event_store.store import Log
from service.games.game import Game
from service.games.rulings import RULINGS
from service.settings import Settings
from service.tables.cache import TableCache
from service.tables.fold import TableAt
from service.tables.sealed_store import Opened, SealedStore


class Shown(Struct, frozen=True):
    """A hand as everybody may see it, and what came of deciding it again, both as the API has them; and its game."""

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
    """Explain hand NUMBER of a table: its cards as everybody may see them, decisions, payouts and balances.

    It is decided again as well; where that fails, the command ends with 3.
    """
    shown = _look(ctx, settings, table, number)
    if as_json:
        click.echo(msgspec.json.encode({"hand": shown.hand, "adjudication": shown.adjudication}))
    else:
        _print(shown)
    failed = shown.verdict is Verdict.FAILED
    ctx.exit(Code.VERIFICATION_FAILED if failed else Code.DONE)


def _look(ctx: click.Context, settings: Settings, table: str, number: int) -> Shown:
    """Read a hand from the database.

    Raises:
        Ended: there is no such table or hand, or its log does not hold there.
    """
    stream_id = stream_of(table)
    with opening.opened(settings) as engine:
        log, _ = opening.log(engine, settings, Entropy())
        tables = TableCache(log)
        try:
            with reading(engine) as connection:
                table_at = tables.now(connection, stream_id)
                if table_at is None:
                    raise Ended(Code.FAILED, f"There is no table {table}.")
                return _shown(connection, log, tables, table_at, number)
        except StreamCorrupted as error:
            why = f"The log of {table} does not hold at position {error.position}: {error.why}."
            raise Ended(Code.FAILED, why, f"{same_place(ctx, 'verify')} --table {table}") from error


def _shown(connection: Connection, log: Log, tables: TableCache, table_at: TableAt, number: int) -> Shown:
    from service.http.resources import adjudication, hands  # noqa: PLC0415 -- no other command but serve needs the web

    item = hands.find(connection, table_at, number)
    if item is None:
        if table_at.broken_at:
            log.quarantine.require_sound(table_at.stream_id)
        raise Ended(Code.FAILED, f"Table {table_at.state.table} has no hand {number}.")
    hidden = Opened(SealedStore(log, deck.shuffle), connection, table_at)
    view = hands.history(connection, log, table_at, item, 0, hidden)
    fields = partial(stored_fields, connection, log, table_at.stream_id)
    judged: HandJudgement = adjudicate_stored_hand(connection, log, tables, table_at, number, fields)
    return Shown(view, adjudication.view_of(table_at.state.table, judged), judged.verdict, table_at.game)


def _print(shown: Shown) -> None:
    """Print a hand as the demo prints one."""
    sheet = shown.game.sheet
    credit = Credit(sheet.title, sheet.author, sheet.year)
    game = GameSeen(credit, {**shown.game.rulings, **RULINGS})
    seen = msgspec.json.decode(msgspec.json.encode(shown.hand), type=HandSeen)
    judged = msgspec.json.decode(msgspec.json.encode(shown.adjudication), type=Adjudication)
    screen.out.print(screen.plain(byline(credit)), soft_wrap=True)
    demo_report.heading(f"Hand {seen.hand} of {seen.table}")
    demo_report.explain(seen, judged, game)
