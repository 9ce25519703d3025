"""A table of any game for tests. A test sets up a state, makes commands, and lists exactly the events that must follow.

Decks are stacked: a test names the cards that matter, and the table puts each named card at the position from which it
will be dealt. The table never moves a card that has been dealt.
"""

from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

import pytest

from service.cards import PACK
from service.games import seating
from service.games.common_commands import OptionValue
from service.games.common_events import DeckFixed, DeckOpened, SeatTaken, TableOpened
from service.games.definition import Game
from service.games.game import Action, Command, Event, Refusal, Viewpoint, type_name
from service.games.table_state import TableState, balance_of
from service.ledger import HOUSE, Balances, chips, stack
from tests.games.actors import OWNER_OF_THE_TABLE, AnyActor, owner
from tests.games.envelopes import PastViewpoint, SeatViewpoint
from tests.games.expected import Expected, meets
from tests.games.stacked import TABLE, StackedDecks, epoch_of

S = TypeVar("S", bound=TableState)


class AnyTable(Generic[S]):
    """A table of a game in a test."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.state: S = game.new(TABLE)
        self.decks = StackedDecks()
        self.emitted: tuple[Event, ...] = ()

    # Given.

    def given(self, *commands: Command) -> Self:
        """Carry out *commands*, and drop their events."""
        return self.when(*commands)._forget()

    def happened(self, *events: Event) -> Self:
        """Apply *events* to the state, without a command."""
        for event in events:
            self._follow(event)
        return self

    def the_deck_begins(self, epoch: str, faces: str) -> Self:
        """Put *faces* on top of the deck of *epoch*, which is not in play yet."""
        self.decks.put(epoch, range(len(PACK)), faces)
        return self

    # When.

    def when(self, *commands: Command) -> Self:
        """Carry out *commands*, and keep their events for the expectations."""
        self._forget()
        for command in commands:
            self._make(command)
        return self

    def when_decided_again(self, command: Command, author: str) -> Self:
        """Carry out *command*; expect *author* as its author.

        Also expect that the decision leads back to the same command, and that this command gives the same events.
        """
        before = self.state
        events = self.when(command).emitted
        assert seating.author(command, events[0]) == author
        again = self._game.command_of(events[0], author, nothing_sealed)
        assert again == command
        assert self._game.decide(before, again, self.decks).events == events
        return self

    # Then.

    def then(self, *expected: Expected) -> Self:
        """Expect exactly these events, in this order."""
        if not meets(self.emitted, expected, self.decks):
            pytest.fail("\n  ".join(["emitted:", *map(repr, self.emitted), "expected:", *map(repr, expected)]))
        return self

    def then_of(self, kinds: type[Event] | tuple[type[Event], ...], *expected: Expected) -> Self:
        """Expect the emitted events of *kinds* to be exactly these, in this order."""
        emitted = tuple(event for event in self.emitted if isinstance(event, kinds))
        if not meets(emitted, expected, self.decks):
            pytest.fail(
                "\n  ".join(["emitted of these kinds:", *map(repr, emitted), "expected:", *map(repr, expected)])
            )
        return self

    def never(self, *kinds: type[Event]) -> Self:
        """Expect no event of these *kinds*."""
        return self.then_of(kinds)

    def refuses(self, command: Command, code: str, *, rule: str = "", ruling: str = "") -> Self:
        """Expect *command* to be refused with this code, rule and ruling."""
        with pytest.raises(Refusal) as caught:
            self._game.decide(self.state, command, self.decks)
        assert (caught.value.code, caught.value.rule, caught.value.ruling) == (code, rule, ruling)
        assert caught.value.detail
        return self

    def awaits(self, *actors: AnyActor) -> Self:
        """Expect the decisions of exactly these *actors* to be due."""
        assert self._game.due(self.state) == tuple(actor.by for actor in actors)
        return self

    def may(self, actor: AnyActor, *commands: Command) -> Self:
        """Expect exactly *commands* in the actions of *actor*; bounds and choices are not compared."""
        assert tuple(action.command for action in self.listed(actor)) == commands
        return self

    def listed(self, actor: AnyActor) -> tuple[Action, ...]:
        """Return the actions of *actor*."""
        return self._game.actions(self.state, actor.by, self._seen(actor.number))

    def why_moved(self) -> list[tuple[str, str]]:
        """List the emitted events that moved chips, each with the rulings of the event's payouts."""
        return [
            (type_name(type(event)), " ".join(sorted({payout.ruling for payout in self._game.explain(event)})))
            for event in self.emitted
            if event.transfers
        ]

    def _has(self, zone: str, expected: tuple[int, ...] | None) -> Self:
        """Expect these chips in the *zone* of each seat, from seat 1; None: any chips."""
        if expected is not None:
            balances = tuple(balance_of(self.state, f"{zone}:{number}") for number in range(1, len(expected) + 1))
            assert balances == expected, f"{zone}: {balances}, expected {expected}"
        return self

    def _view(self, number: int, *, is_present: bool = True) -> Any:  # noqa: ANN401 -- each game has its own view
        """Return the view of seat *number* (0: everybody)."""
        return self._game.view(self.state, self._seen(number, is_present=is_present))

    def _seen(self, number: int, *, is_present: bool = True) -> Viewpoint:
        """Return the viewpoint of seat *number* (0: everybody) at a table without sealed fields."""
        order = self.decks.deck(self.state.epoch).order if self.state.epoch else ()
        viewpoint = SeatViewpoint if is_present else PastViewpoint
        return viewpoint(self._game, self.state, order, {}, number)

    def _follow(self, event: Event) -> None:
        self.decks.follow(event)
        self.state = self._game.evolve(self.state, event)

    def _make(self, command: Command) -> None:
        events = self._game.decide(self.state, command, self.decks).events
        self.happened(*events)
        self.emitted += events

    def _forget(self) -> Self:
        self.emitted = ()
        return self


def nothing_sealed(_field: str) -> None:
    """Return None for every field: the game seals no value."""


def balances(table: AnyTable[S]) -> Balances:
    """Return the balances of *table* that are not 0."""
    return {account: balance for account, balance in table.state.balances.items() if balance}


def opened(game: Game, seats: int, options: Mapping[str, OptionValue]) -> tuple[Event, ...]:
    """Return the events that open a table of *game*, with its first deck in reserve."""
    opening = TableOpened(
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options=dict(options),
        seats=seats,
        host=OWNER_OF_THE_TABLE,
        visibility="public",
    )
    return opening, reserved(epoch_of(1))


def seated(number: int, pieces: int) -> Event:
    """Return the event by which a player took seat *number* with *pieces*."""
    bought = (chips(HOUSE, stack(number), pieces, rule="G.7"),) if pieces else ()
    return SeatTaken(seat=number, player=owner(number), chips=pieces, transfers=bought)


def reserved(epoch: str) -> Event:
    """Return the event that opened the deck of *epoch*."""
    return DeckOpened(epoch=epoch, server_commit=StackedDecks().server_commit(epoch), input_id="0" * 64, n=len(PACK))


def fixed(epoch: str) -> Event:
    """Return the event that fixed the order of the deck of *epoch*."""
    deck = StackedDecks().deck(epoch)
    return DeckFixed(epoch=epoch, transcript=deck.transcript, deck_root=deck.root, level="operator")
