"""`/v1/audit/players`: figures over many hands, which point to cheating players (DECISIONS 106)."""

from typing import Annotated, Final

from flask import Response
from msgspec import Meta, Struct

from service.audit.player_audit import HandFilter, LeftOut, PlayerAuditor
from service.database.engines import reading
from service.database.spread.node_readers import read_reachable
from service.http.openapi.blueprint import Resource
from service.http.openapi.operation import READS, operation
from service.http.operations import expensive, request_cost
from service.http.problems.problem import Problem
from service.http.request import visible_tables
from service.http.request.authentication import caller_with_scope
from service.http.request.context import Caller
from service.http.request.schemas import MOMENT
from service.http.request.services import services
from service.http.responses.answers import IsWhole, json_response, linked
from service.player_statistics.player_figures import PairFigures, PlayerFigures
from service.projections import lists
from service.projections.lists import TableFilter
from service.projections.swap_guard import retry_after_swap
from service.tables.fold import table_id

MOST_EVENTS: Final = 5_000
"""A page reads at most this many events of each table, and ends when it has read this many events in all."""
_CURSOR: Final = f"{MOMENT}[.][0-9]{{3}}Z/tbl_[0-9a-f]{{32}}"
_TIME: Final = f"^({MOMENT}([.][0-9]{{3}})?Z)?$"

audited_players = Resource("audited_players", "For auditors: figures of players and of pairs of players.")


class AuditQuery(Struct, frozen=True, kw_only=True):
    """Selects hands, by pages of tables."""

    after: Annotated[str, Meta(pattern=f"^({_CURSOR})?$", description="The `next` of the previous page.")] = ""
    limit: Annotated[int, Meta(ge=1, le=100, description="The maximum number of tables on a page.")] = 10
    game: Annotated[
        str, Meta(max_length=40, pattern="^[a-z0-9_]*$", description="Only tables of this game; empty: any game.")
    ] = ""
    table: Annotated[str, Meta(pattern="^(tbl_[0-9a-f]{32})?$", description="Only this table; empty: any table.")] = ""
    since: Annotated[
        str, Meta(pattern=_TIME, description="Only hands that ended at this time or later; empty: no limit.")
    ] = ""
    until: Annotated[
        str, Meta(pattern=_TIME, description="Only hands that ended before this time; empty: no limit.")
    ] = ""


class PlayerAuditPage(Struct, frozen=True, kw_only=True):
    """The figures of the players and pairs at some tables, the newest tables first.

    The figures are about the tables of this page alone. `chiptrail audit players` computes figures for all tables. A
    hand counts only if it has ended, its decks are retired, and the sealed values that the figures need are public. A
    flag is a reason to look at the hands; it proves nothing.
    """

    tables: Annotated[tuple[str, ...], Meta(description="The ids of the tables that the page is about.")]
    hands: Annotated[int, Meta(ge=0, le=2**53 - 1, description="How many hands were counted.")]
    players: Annotated[
        tuple[PlayerFigures, ...], Meta(description="The players: flagged players first, then by ascending chance.")
    ]
    pairs: Annotated[
        tuple[PairFigures, ...], Meta(description="The pairs: flagged pairs first, then by ascending chance.")
    ]
    left_out: Annotated[tuple[LeftOut, ...], Meta(description="Tables at which not all hands could be counted.")]
    has_more: bool
    next: Annotated[str, Meta(description="The `after` of the next page.")]
    is_whole: IsWhole


@audited_players.get("/v1/audit/players")
@audited_players.query(AuditQuery)
@operation(
    audited_players,
    "audit_players",
    PlayerAuditPage,
    codes=(*READS, "key_must_be_given", "scope_must_be_granted", "table_must_be_intact", "table_must_exist"),
    headers=("Link",),
)
@retry_after_swap
def audit_players(query: AuditQuery) -> Response:
    """Get figures of players and of pairs of players, by game (scope `audit`).

    Of each player: the number of hands, the chips or points won per hand, how often a choice was best in hindsight, and
    how likely that is for a player who knows no hidden card. Of each pair: what the two players gave each other, and
    how likely that is between honest players. Of each table the service reads at most the first 5,000 events. A page
    ends early, after a whole table, once the service has read 5,000 events for the page.
    """
    caller = caller_with_scope("audit")
    with expensive.turn():
        found = _one(query, caller) if query.table else _page(query, caller)
    return linked(json_response(found, caller), found, query.limit)


def _one(query: AuditQuery, caller: Caller) -> PlayerAuditPage:
    """Return the figures at one table.

    Raises:
        Problem: there is no such table, the caller may not see it, or it is of another game.
        StreamCorrupted: the log is damaged from its first event on.
    """
    auditor = _auditor(query)
    with reading(services().engine) as connection:
        table_at = visible_tables.intact_table(connection, visible_tables.stream_of(query.table), caller)
        if query.game not in {"", table_at.game.name}:
            raise Problem("table_must_exist", "This table is of another game.")
        auditor.add_table(connection, services().log, table_at.stream_id, MOST_EVENTS)
    return _answer(auditor, (query.table,), has_more=False, following="", is_whole=True)


def _page(query: AuditQuery, caller: Caller) -> PlayerAuditPage:
    at, _, table = query.after.partition("/")
    before = (at, bytes.fromhex(table.removeprefix("tbl_"))) if query.after else None
    audited = visible_tables.audited_streams(caller)
    table_filter = TableFilter(caller=caller.owner, all_tables=caller.reads_all, audited=audited, game=query.game)
    listed, is_whole = read_reachable(
        services().engine, lambda reach: lists.newest_reachable(reach, table_filter, before, query.limit + 1)
    )
    auditor, read, following = _auditor(query), list[str](), query.after
    with reading(services().engine) as connection:
        for one in listed[: query.limit]:
            if read and auditor.events >= MOST_EVENTS:
                break
            auditor.add_table(connection, services().log, one.stream_id, MOST_EVENTS)
            read.append(table_id(one.stream_id))
            following = f"{one.opened_at}/{read[-1]}"
    return _answer(auditor, tuple(read), has_more=len(listed) > len(read), following=following, is_whole=is_whole)


def _auditor(query: AuditQuery) -> PlayerAuditor:
    since, until = (
        f"{time[:19]}.{time[20:23] if '.' in time else '000'}Z" if time else "" for time in (query.since, query.until)
    )
    return PlayerAuditor(HandFilter(since=since, until=until))


def _answer(
    auditor: PlayerAuditor, tables: tuple[str, ...], *, has_more: bool, following: str, is_whole: bool
) -> PlayerAuditPage:
    request_cost.add(auditor.events // request_cost.MEASURED_EVENTS_PER_UNIT)
    found = auditor.result()
    return PlayerAuditPage(
        tables=tables,
        hands=found.hands,
        players=found.players,
        pairs=found.pairs,
        left_out=found.left_out,
        has_more=has_more,
        next=following,
        is_whole=is_whole,
    )
