"""`chiptrail audit`: computes statistics over many hands; they may point to players who cheat (DECISIONS 106)."""

import re
from collections.abc import Iterator
from typing import Final

import click
import msgspec
from sqlalchemy import Engine

from service.audit.player_audit import HandFilter, PlayerAudit, PlayerAuditor
from service.cli.reports import player_report
from service.cli.support import flags, open_database, output
from service.cli.support.exit_codes import CommandFailed, ExitCode
from service.database.engines import reading
from service.entropy import Entropy
from service.games import CURRENT
from service.projections import lists
from service.projections.lists import ListedTable, TableFilter
from service.projections.swap_guard import retry_after_swap
from service.settings import Settings
from service.tables.fold import table_id

_PAGE: Final = 1_000
_TABLE: Final = re.compile("tbl_[0-9a-f]{32}", re.ASCII)


@click.group()
def audit() -> None:
    """Compute statistics over many hands; they may point to players who cheat."""


@audit.command()
@flags.with_settings
@click.option("--game", type=click.Choice(tuple(CURRENT)), help="Only tables of this game.")
@click.option(
    "--from", "since", type=flags.Moment(), metavar="TIME", help="Only hands that ended at this time or later."
)
@click.option("--to", "until", type=flags.Moment(), metavar="TIME", help="Only hands that ended before this time.")
@click.option("--table", metavar="tbl_…", help="Only this table.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def players(  # noqa: PLR0913 -- each option is a parameter
    settings: Settings, *, game: str | None, since: str | None, until: str | None, table: str | None, form: str
) -> None:
    """Print the figures of players and of pairs of players, by game.

    Of each player: hands, chips or points won per hand, how often a choice was best in hindsight, and a score, with the
    chance that a player who knows no hidden card reaches this score. Of each pair: what they gave each other, and a
    score, with the chance that the score of honest players is at least as far from 0. A flag is a reason to look at the
    hands, and no proof. A hand counts only if it has ended, its decks are retired, and no value is missing.
    """
    if table and not _TABLE.fullmatch(table):
        raise click.BadParameter("a table's id is tbl_ and 32 digits of 0-9 and a-f", param_hint="--table")
    found = _audit(settings, game or "", table or "", HandFilter(since=since or "", until=until or ""))
    if form == "json":
        click.echo(msgspec.json.encode(found))
    else:
        player_report.show(found)


def _audit(settings: Settings, game: str, table: str, selected: HandFilter) -> PlayerAudit:
    """Return the figures of the *selected* hands of *game* ("": every game) at *table* ("": every table).

    Raises:
        CommandFailed: there is no such table, or it has another game.
    """
    auditor = PlayerAuditor(selected)
    with open_database.check_and_open(settings) as engine, output.progress_bar("tables") as bar:
        log, _ = open_database.open_log(engine, settings, Entropy())
        for listed in _tables(engine, TableFilter(caller="", all_tables=True, game=game)):
            if table and table_id(listed.stream_id) != table:
                continue
            with reading(engine, without_idle_limit=True) as connection:
                auditor.add_table(connection, log, listed.stream_id)
            bar(auditor.tables, auditor.tables)
    if table and not auditor.tables:
        named = f"{table} of the game {game}" if game else table
        raise CommandFailed(ExitCode.FAILED, f"There is no table {named}.", "take its id from the list of tables")
    return auditor.result()


def _tables(engine: Engine, table_filter: TableFilter) -> Iterator[ListedTable]:
    """Yield all tables that *table_filter* selects, the newest first."""
    before: tuple[str, bytes] | None = None
    while page := _page(engine, table_filter, before):
        yield from page
        before = page[-1].opened_at, page[-1].stream_id


@retry_after_swap
def _page(engine: Engine, table_filter: TableFilter, before: tuple[str, bytes] | None) -> tuple[ListedTable, ...]:
    with reading(engine) as connection:
        return lists.newest_tables(connection, table_filter, before, _PAGE)
