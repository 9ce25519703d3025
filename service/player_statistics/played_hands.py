"""The ended hands of one table, each with what its players won, chose and gave to one another."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from msgspec import Struct, field

from service.games.common_events import CardsDealt
from service.games.game import Event, Viewpoint
from service.ledger import HOUSE, account_seat
from service.player_statistics.hindsight import Choice
from service.player_statistics.measures import MEASURES, Measure


class Undisclosed(Exception):
    """A card or a sealed value of the hand is not public, or was erased."""


class PlayedHand(Struct, kw_only=True):
    """An ended hand: what each player (the owner in a seat) won (below zero: lost), chose, and gave to other players.

    *seats* are the seats that were dealt cards or moved chips. Points that a player won count against the player.
    """

    hand: int
    players: Mapping[int, str]
    seats: set[int] = field(default_factory=set)
    won: Counter[str] = field(default_factory=Counter)
    choices: dict[str, list[Choice]] = field(default_factory=dict)
    given: dict[tuple[str, str], float] = field(default_factory=dict)
    decks: set[str] = field(default_factory=set)
    """The epochs of the decks that were in play during the hand."""
    is_disclosed: bool = True
    """Whether all that the measurement asked for was disclosed."""

    @property
    def taking_part(self) -> tuple[str, ...]:
        """The players whose seats took part, in the order of `players`."""
        return tuple(owner for seat, owner in self.players.items() if seat in self.seats)


class HandFollower:
    """Follows the events of one table, and returns each hand when it ends."""

    def __init__(self, game: str, table: str) -> None:
        """Follow the table with the id *table*, from its first event on."""
        self._measure: Final[Measure | None] = MEASURES[game]() if game in MEASURES else None
        self._table = table
        self._hand: PlayedHand | None = None
        self._dice = Random(table)

    def add(self, before: Any, event: Event, after: Any, seen: tuple[Viewpoint, Viewpoint]) -> PlayedHand | None:  # noqa: ANN401 -- each game has its own state
        """Add the next event; return the hand that ended with it, if any.

        *seen* are the viewpoints of the states *before* and *after* the event; both raise Undisclosed for what is not
        public. A choice is also valued under other orders of the hidden cards. These orders are drawn from the table's
        id and the hand's number, and so are the same in each run.
        """
        if after.hand_is_running and (self._hand is None or after.hand != self._hand.hand):
            self._hand = PlayedHand(hand=after.hand, players=after.players)
            self._dice = Random(f"{self._table}/{after.hand}")
        if self._hand is not None and after.epoch:
            self._hand.decks.add(after.epoch)
        self._count(before, event)
        self._measure_event(before, event, after, seen)
        if self._hand is None or after.hand_is_running or not before.hand_is_running:
            return None
        ended, self._hand = self._hand, None
        return ended

    def _count(self, before: Any, event: Event) -> None:  # noqa: ANN401 -- each game has its own state
        flows = tuple(self._measure.flows(before, event)) if self._measure else ()
        hand = self._hand
        if hand is None:
            return
        for transfer in event.transfers:
            if HOUSE in {transfer.source, transfer.target}:
                continue  # A player who buys or sells chips wins nothing.
            for account, amount in ((transfer.source, -transfer.amount), (transfer.target, transfer.amount)):
                if owner := hand.players.get(seat := account_seat(account)):
                    hand.seats.add(seat)
                    hand.won[owner] += amount
        if isinstance(event, CardsDealt):
            hand.seats.update(to for _, to in event.cards if isinstance(to, int))
        for source, target, given in flows:
            if source in hand.players and target in hand.players:
                pair = hand.players[source], hand.players[target]
                hand.given[pair] = hand.given.get(pair, 0.0) + given

    def _measure_event(self, before: Any, event: Event, after: Any, seen: tuple[Viewpoint, Viewpoint]) -> None:  # noqa: ANN401 -- each game has its own state
        if self._measure is None:
            return
        try:
            if self._hand is not None and self._hand.is_disclosed:
                for one in self._measure.choices(before, event, seen[0], self._dice):
                    self._hand.choices.setdefault(self._hand.players[one.seat], []).append(one)
            self._measure.follow(after, event, seen[1])
        except Undisclosed:
            if self._hand is not None:
                self._hand.is_disclosed = False
