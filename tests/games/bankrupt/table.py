"""A table of Bankrupt for tests: given what lies on it, when commands are made, then exactly these events.

Decks are stacked: a test names the cards that matter, each is put where it will be dealt
from, and the rest of the pack lies as it came. A card that has been dealt is never moved.
"""

from collections.abc import Mapping
from typing import Self

import pytest

from service.cards import PACK, UNKNOWN, Face
from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.events import CardUpturned, DealerDrawn
from service.games.bankrupt.showdown import Cards, held
from service.games.bankrupt.state import Phase, State, alive, due_seat, order
from service.games.bankrupt.view import BankruptView
from service.games.events import DeckFixed, DeckOpened, DeckRevealed, GameStarted, SeatTaken, TableOpened
from service.games.game import Command, Event, Refusal
from service.games.table import holds
from service.ledger import CENTRE, HOUSE, Balances, chips, stack
from tests.games.bankrupt.actors import OWNER_OF_THE_TABLE, SHEET, Actor, host, owner, seat, stranger
from tests.games.bankrupt.expected import Expected, meets
from tests.games.bankrupt.stacked import AFTER_THE_RITUAL, DRAW, FIRST, SECOND, TABLE, UPTURNED, StackedDecks

DEAD_ROUNDS = (
    ("9s 7d", "9h 7c", "2c 3d", "3c 2d"),
    ("9d 7s", "9c 7h", "2h 3s", "3h 2s"),
    ("6s 5d", "6h 5c", "5h 4c", "5s 4d"),
)
"""Hands that make a round dead between the first two seats; eights, tens and higher are left for what comes after."""


def hand(faces: str) -> Cards:
    """Hold the two cards of "As Qd"."""
    return held(*faces.split())


class Table:
    """A table of Bankrupt in a test."""

    def __init__(self) -> None:
        self.state: State = BANKRUPT.new(TABLE)
        self.decks = StackedDecks()
        self.told: tuple[Event, ...] = ()

    # Given.

    def given(self, *commands: Command) -> Self:
        """Have *commands* made; what they told is no part of what is looked at."""
        return self.when(*commands)._forget()

    def happened(self, *events: Event) -> Self:
        """Remember *events* that nobody decided here."""
        for event in events:
            self._follow(event)
        return self

    def the_deck_begins(self, epoch: str, faces: str) -> Self:
        """Stack a deck that is not in play yet, from its first position."""
        self.decks.put(epoch, range(len(PACK)), faces)
        return self

    def the_ritual_turns_up(self, face: Face, epoch: str = FIRST) -> Self:
        self.decks.put(epoch, [UPTURNED], face)
        return self

    def next_cards(self, faces: str) -> Self:
        """Lay *faces* on top of the deck in play."""
        self.decks.put(self.state.epoch, self._top(), faces)
        return self

    def hands(self, *hands: str) -> Self:
        """Stack the deck so that the next deal gives *hands*, in the order of the seats still in the game."""
        by_seat = dict(zip(alive(self.state), (faces.split() for faces in hands), strict=True))
        walk = order(self.state)
        dealt = [by_seat[number][card] for card in (0, 1) for number in walk]
        return self.next_cards(" ".join(dealt))

    def dealt(self, *hands: str) -> Self:
        """Have the dealer deal *hands*."""
        return self.hands(*hands).given(seat(self.state.dealer).deals())

    def all_hold(self) -> Self:
        """Have everybody who still decides on cards hold."""
        return self._without_a_stake(Phase.DECIDING)._forget()

    def all_pass(self) -> Self:
        """Have everybody who still decides on the upping pass or decline."""
        return self._without_a_stake(Phase.UPPING)._forget()

    def held_up_to(self, number: int) -> Self:
        """Have those who decide on their cards before *number* hold."""
        while due_seat(self.state) != number:
            self.given(seat(due_seat(self.state)).holds())
        return self

    def dead_round(self) -> Self:
        """Play a round that is dead, nobody upping; two to four players, three times at most on one deck."""
        hands = DEAD_ROUNDS[self.state.dead_rounds][: len(alive(self.state))]
        return self.dealt(*hands).when_played_out()._forget()

    # When.

    def when(self, *commands: Command) -> Self:
        """Have *commands* made and keep all that they tell."""
        self._forget()
        for command in commands:
            self._make(command)
        return self

    def when_played_out(self) -> Self:
        """Have everybody who still decides hold, pass or decline, and keep all that this tells."""
        return self._without_a_stake(Phase.DECIDING, Phase.UPPING)

    # Then.

    def then(self, *expected: Expected) -> Self:
        """Expect exactly these events, in this order."""
        if not meets(self.told, expected, self.decks):
            pytest.fail("\n  ".join(["told:", *map(repr, self.told), "expected:", *map(repr, expected)]))
        return self

    def then_of(self, kinds: type[Event] | tuple[type[Event], ...], *expected: Expected) -> Self:
        """Expect exactly these events of some *kinds*."""
        told = tuple(event for event in self.told if isinstance(event, kinds))
        if not meets(told, expected, self.decks):
            pytest.fail("\n  ".join(["told of these kinds:", *map(repr, told), "expected:", *map(repr, expected)]))
        return self

    def never(self, *kinds: type[Event]) -> Self:
        """Expect no event of these *kinds*."""
        return self.then_of(kinds)

    def refuses(self, command: Command, code: str, *, rule: str = "", ruling: str = "") -> Self:
        """Expect *command* to be refused, for this reason."""
        with pytest.raises(Refusal) as caught:
            BANKRUPT.decide(self.state, command, self.decks)
        assert (caught.value.code, caught.value.rule, caught.value.ruling) == (code, rule, ruling)
        assert caught.value.detail
        return self

    def has(
        self,
        *,
        stacks: tuple[int, ...] | None = None,
        antes: tuple[int, ...] | None = None,
        offers: tuple[int, ...] | None = None,
        centre: int | None = None,
    ) -> Self:
        """Expect these pieces, by seat from 1, and in the centre."""
        for zone, expected in (("stack", stacks), ("ante", antes), ("offer", offers)):
            if expected is not None:
                lies = tuple(holds(self.state, f"{zone}:{number}") for number in range(1, len(expected) + 1))
                assert lies == expected, f"{zone}: {lies}, expected {expected}"
        if centre is not None:
            assert holds(self.state, CENTRE) == centre
        return self

    def awaits(self, *actors: Actor) -> Self:
        """Expect that the decision of these *actors* is due."""
        assert BANKRUPT.due(self.state) == tuple(actor.by for actor in actors)
        return self

    def may(self, actor: Actor, *commands: Command) -> Self:
        """Expect exactly *commands* to be offered to *actor*, apart from their bounds."""
        assert tuple(action.command for action in BANKRUPT.actions(self.state, actor.by)) == commands
        return self

    def seen_by(self, number: int, *, is_present: bool = True) -> BankruptView:
        """Return what *number* (0: everybody) sees of this table."""
        allowed = BANKRUPT.visible(self.state, number, is_present)

        def face(position: int) -> Face:
            return self.decks.deck(self.state.epoch).order[position] if position in allowed else UNKNOWN

        view = BANKRUPT.view(self.state, face)
        assert isinstance(view, BankruptView)
        return view

    def _follow(self, event: Event) -> None:
        self.decks.follow(event)
        self.state = BANKRUPT.evolve(self.state, event)

    def _top(self) -> list[int]:
        return [position for position in self.state.deck if position != self.state.upturned]

    def _without_a_stake(self, *phases: Phase) -> Self:
        self._forget()
        while self.state.phase in phases:
            actor = seat(due_seat(self.state))
            if self.state.phase is Phase.DECIDING:
                self._make(actor.holds())
            else:
                self._make(actor.declines() if self.state.offer else actor.passes())
        return self

    def _make(self, command: Command) -> None:
        events = BANKRUPT.decide(self.state, command, self.decks)
        self.happened(*events)
        self.told += events

    def _forget(self) -> Self:
        self.told = ()
        return self


def a_table(*stacks: int, dealer: int = 0, centre: int = 0, **options: bool | int) -> Table:
    """Set up a table between rounds: *stacks* by seat, pieces in the *centre*, a fresh deck.

    *dealer* deals next, the last seat where none is named.
    """
    return Table().happened(
        *_opened(len(stacks), options),
        *(_seated(number, pieces) for number, pieces in enumerate(stacks, start=1)),
        GameStarted(transfers=(chips(HOUSE, CENTRE, centre, rule="a test"),) if centre else ()),
        _fixed(DRAW),
        _reserved(FIRST),
        DealerDrawn(dealer=dealer or len(stacks)),
        DeckRevealed(epoch=DRAW, server_seed=StackedDecks().server_seed(DRAW)),
        _fixed(FIRST),
        _reserved(SECOND),
        CardUpturned(epoch=FIRST, pos=UPTURNED, order=AFTER_THE_RITUAL),
    )


def four_players(**options: bool | int) -> Table:
    """Set up the sheet's own table: four players with fifty pieces; seat 4 deals, seat 1 is on its left."""
    return a_table(50, 50, 50, 50, **options)


def an_open_table(*, players: int = 0, seats: int = 4, **options: bool | int) -> Table:
    """Set up a table whose game has not started, with *players* in the first seats."""
    buy_in = int(options.get("buy_in", 50))
    return Table().given(
        host.opens(seats=seats, **options),
        *(stranger.sits_down(number, pieces=buy_in) for number in range(1, players + 1)),
    )


def balances(table: Table) -> Balances:
    """Return what every account of *table* holds, the empty ones left out."""
    return {account: held_ for account, held_ in table.state.balances.items() if held_}


def _opened(seats: int, options: Mapping[str, bool | int]) -> tuple[Event, ...]:
    opened = TableOpened(
        game="bankrupt",
        edition=1,
        sheet=SHEET,
        options=dict(options),
        seats=seats,
        host=OWNER_OF_THE_TABLE,
        visibility="public",
    )
    return opened, _reserved(DRAW)


def _seated(number: int, pieces: int) -> Event:
    bought = (chips(HOUSE, stack(number), pieces, rule="G.7"),) if pieces else ()
    return SeatTaken(seat=number, player=owner(number), chips=pieces, transfers=bought)


def _reserved(epoch: str) -> Event:
    return DeckOpened(epoch=epoch, server_commit=StackedDecks().server_commit(epoch), input_id="0" * 64, n=len(PACK))


def _fixed(epoch: str) -> Event:
    deck = StackedDecks().deck(epoch)
    return DeckFixed(epoch=epoch, transcript=deck.transcript, deck_root=deck.root, level="operator")
