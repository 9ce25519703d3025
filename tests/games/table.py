"""A table of any game for tests: given what lies on it, when commands are made, then exactly these events.

Decks are stacked: a test names the cards that matter, each is put where it will be dealt
from, and the rest of the pack lies as it came. A card that has been dealt is never moved.
"""

from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

import pytest

from service.cards import PACK
from service.games import seating
from service.games.common_commands import OptionValue
from service.games.common_events import DeckFixed, DeckOpened, SeatTaken, TableOpened
from service.games.game import Action, Command, Event, Game, Refusal, Viewpoint, type_name
from service.games.table_state import TableState, balance_of
from service.ledger import HOUSE, Balances, chips, stack
from tests.games.actors import OWNER_OF_THE_TABLE, AnyActor, owner
from tests.games.envelopes import Eyes, EyesOnThePast
from tests.games.expected import Expected, meets
from tests.games.stacked import TABLE, StackedDecks, epoch_of

S = TypeVar("S", bound=TableState)


class AnyTable(Generic[S]):
    """A table of a game in a test."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.state: S = game.new(TABLE)
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

    # When.

    def when(self, *commands: Command) -> Self:
        """Have *commands* made and keep all that they tell."""
        self._forget()
        for command in commands:
            self._make(command)
        return self

    def when_decided_again(self, command: Command, author: str) -> Self:
        """Have *command* made; expect *author* on record for it, and that it can be decided again from the record."""
        before = self.state
        events = self.when(command).told
        assert seating.author(command, events[0]) == author
        again = self._game.command_of(events[0], author, nothing_sealed)
        assert again == command
        assert self._game.decide(before, again, self.decks) == events
        return self

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
            self._game.decide(self.state, command, self.decks)
        assert (caught.value.code, caught.value.rule, caught.value.ruling) == (code, rule, ruling)
        assert caught.value.detail
        return self

    def awaits(self, *actors: AnyActor) -> Self:
        """Expect that the decision of these *actors* is due."""
        assert self._game.due(self.state) == tuple(actor.by for actor in actors)
        return self

    def may(self, actor: AnyActor, *commands: Command) -> Self:
        """Expect exactly *commands* to be offered to *actor*, apart from their bounds."""
        assert tuple(action.command for action in self.listed(actor)) == commands
        return self

    def listed(self, actor: AnyActor) -> tuple[Action, ...]:
        """Return all that *actor* is told they may do."""
        return self._game.actions(self.state, actor.by, self._seen(actor.number))

    def why_moved(self) -> list[tuple[str, str]]:
        """List what was told that moved chips, each with the rulings that its payouts name."""
        return [
            (type_name(type(event)), " ".join(sorted({payout.ruling for payout in self._game.explain(event)})))
            for event in self.told
            if event.transfers
        ]

    def _has(self, zone: str, expected: tuple[int, ...] | None) -> Self:
        """Expect these chips in the *zone* of each seat from 1; None: whatever lies there."""
        if expected is not None:
            lies = tuple(balance_of(self.state, f"{zone}:{number}") for number in range(1, len(expected) + 1))
            assert lies == expected, f"{zone}: {lies}, expected {expected}"
        return self

    def _view(self, number: int, *, is_present: bool = True) -> Any:  # noqa: ANN401 -- each game has its own view
        """Return what *number* (0: everybody) sees of this table."""
        return self._game.view(self.state, self._seen(number, is_present=is_present))

    def _seen(self, number: int, *, is_present: bool = True) -> Viewpoint:
        """Return what *number* sees of a table at which nothing is sealed."""
        order = self.decks.deck(self.state.epoch).order if self.state.epoch else ()
        eyes = Eyes if is_present else EyesOnThePast
        return eyes(self._game, self.state, order, {}, number)

    def _follow(self, event: Event) -> None:
        self.decks.follow(event)
        self.state = self._game.evolve(self.state, event)

    def _make(self, command: Command) -> None:
        events = self._game.decide(self.state, command, self.decks)
        self.happened(*events)
        self.told += events

    def _forget(self) -> Self:
        self.told = ()
        return self


def nothing_sealed(_field: str) -> None:
    """Return what a decision sealed in a game in which all choices are made openly."""


def balances(table: AnyTable[S]) -> Balances:
    """Return what every account of *table* holds, the empty ones left out."""
    return {account: held_ for account, held_ in table.state.balances.items() if held_}


def opened(game: Game, seats: int, options: Mapping[str, OptionValue]) -> tuple[Event, ...]:
    """Tell that a table of *game* was opened, with its first deck in reserve."""
    told = TableOpened(
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options=dict(options),
        seats=seats,
        host=OWNER_OF_THE_TABLE,
        visibility="public",
    )
    return told, reserved(epoch_of(1))


def seated(number: int, pieces: int) -> Event:
    """Tell that the player of seat *number* sat down with *pieces*."""
    bought = (chips(HOUSE, stack(number), pieces, rule="G.7"),) if pieces else ()
    return SeatTaken(seat=number, player=owner(number), chips=pieces, transfers=bought)


def reserved(epoch: str) -> Event:
    """Tell that the deck of *epoch* was opened."""
    return DeckOpened(epoch=epoch, server_commit=StackedDecks().server_commit(epoch), input_id="0" * 64, n=len(PACK))


def fixed(epoch: str) -> Event:
    """Tell that the order of the deck of *epoch* was fixed."""
    deck = StackedDecks().deck(epoch)
    return DeckFixed(epoch=epoch, transcript=deck.transcript, deck_root=deck.root, level="operator")
