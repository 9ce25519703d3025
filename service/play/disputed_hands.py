"""Reads the facts of a table, and of the disputed hand, that the rules of disputes need."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

from service.disputes.dispute_events import Evidence, MachineVerdict, Party
from service.disputes.dispute_facts import DisputedHand, TableFacts
from service.disputes.dispute_rulings import DISPUTE_RULINGS
from service.event_store.store import Log
from service.games.common_rulings import COMMON_RULINGS
from service.games.definition import Game
from service.ledger import unit_of
from service.projections import hand_history
from service.projections.hand_history import HandItem
from service.tables.cache import TableCache
from service.tables.fold import TableAt

Judge = Callable[[Connection, TableAt, int], MachineVerdict]
"""Decides the hand with this number again, and returns the verdict."""


class DisputedHands:
    """Reads the facts of a table and of one of its hands; *judge* decides a hand again."""

    def __init__(self, log: Log, tables: TableCache, judge: Judge) -> None:
        self._log = log
        self._tables = tables
        self.judge: Final = judge

    def facts(self, connection: Connection, table_at: TableAt, hand: int) -> TableFacts:
        """Return the facts of the table *table_at* and of its hand number *hand*, if there is such a hand.

        The member `now` is "".
        """
        return facts_of(table_at, self._disputed(connection, table_at, hand))

    def parties(self, connection: Connection, table_at: TableAt, hand: int) -> tuple[Party, ...]:
        """Return the players who had a seat during the hand number *hand*; empty: there is no such hand."""
        item = hand_history.find(connection, table_at, hand)
        return self._parties(connection, table_at, item) if item else ()

    def _disputed(self, connection: Connection, table_at: TableAt, hand: int) -> DisputedHand | None:
        item = hand_history.find(connection, table_at, hand)
        if item is None:
            return None
        verdict = self.judge(connection, table_at, hand)
        return DisputedHand(
            hand=hand,
            parties=self._parties(connection, table_at, item),
            ended_at=self._ended_at(connection, table_at, item),
            evidence=Evidence(
                first=item.first,
                last=item.last if item.is_settled else 0,
                position=table_at.position,
                leaf_hash=table_at.head.hash.hex(),
                verdict=verdict,
            ),
            is_revealed=item.is_settled and verdict != "pending",
        )

    def _parties(self, connection: Connection, table_at: TableAt, item: HandItem) -> tuple[Party, ...]:
        """Return the players who had a seat when the hand began; nobody takes a seat or leaves during a hand."""
        past = table_at
        if item.is_settled:
            past = self._tables.at_position(connection, table_at, item.first) or table_at
        return tuple(Party(seat=seat, player=player) for seat, player in past.state.players.items())

    def _ended_at(self, connection: Connection, table_at: TableAt, item: HandItem) -> str:
        if not item.is_settled:
            return ""
        last = self._log.reader.read(connection, table_at.stream_id, item.last - 1, 1, head=table_at.head)
        return last[0].at


def facts_of(table_at: TableAt, hand: DisputedHand | None) -> TableFacts:
    """Return the facts of the table *table_at* and of the disputed *hand* (None: there is no such hand).

    The member `now` is "". An audit calls this function with the table at an earlier position.
    """
    state = table_at.state
    return TableFacts(
        table=state.table,
        position=table_at.position,
        is_over=state.status in {"finished", "closed"},
        is_imported=bool(table_at.imported_at),
        host=state.host,
        players=frozenset(state.players.values()),
        dispute_days=state.dispute_days,
        citations=citations(table_at.game),
        units=frozenset(map(unit_of, state.balances)),
        now="",
        hand=hand,
    )


def citations(game: Game) -> frozenset[str]:
    """Return the rules and rulings that a decision about a hand of *game* may cite."""
    return frozenset({*game.sheet.rules, *game.rulings, *COMMON_RULINGS, *DISPUTE_RULINGS})
