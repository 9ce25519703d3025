"""A table of Bankrupt for tests."""

from typing import Self

from service.cards import Face
from service.games.bankrupt import BANKRUPT
from service.games.bankrupt.accounts import CENTRE
from service.games.bankrupt.events import CardUpturned
from service.games.bankrupt.showdown import Hand, high_first
from service.games.bankrupt.state import Phase, State, alive, due_seat, order
from service.games.bankrupt.view import BankruptView
from service.games.common_events import DealerDrawn, DeckRevealed, GameStarted
from service.games.table_state import balance_of
from service.ledger import HOUSE, chips
from tests.games.bankrupt.actors import host, seat, stranger
from tests.games.bankrupt.stacked import AFTER_THE_RITUAL, DRAW, FIRST, SECOND, UPTURNED
from tests.games.stacked import StackedDecks
from tests.games.table import AnyTable, fixed, opened, reserved, seated

DEAD_ROUNDS = (
    ("9s 7d", "9h 7c", "2c 3d", "3c 2d"),
    ("9d 7s", "9c 7h", "2h 3s", "3h 2s"),
    ("6s 5d", "6h 5c", "5h 4c", "5s 4d"),
)
"""Hands that make a round dead between the first two seats; no hand has an eight, or a card above the nine."""


def hand(faces: str) -> Hand:
    """Return the hand of two cards in *faces*, such as "As Qd"."""
    return high_first(*faces.split())


class Table(AnyTable[State]):
    """A table of Bankrupt in a test."""

    def __init__(self) -> None:
        super().__init__(BANKRUPT)

    # Given.

    def the_ritual_turns_up(self, face: Face, epoch: str = FIRST) -> Self:
        self.decks.put(epoch, [UPTURNED], face)
        return self

    def next_cards(self, faces: str) -> Self:
        """Put *faces* on top of the deck in play."""
        self.decks.put(self.state.epoch, self._top(), faces)
        return self

    def hands(self, *hands: str) -> Self:
        """Stack the deck so that the next deal gives *hands*, in the order of the seats still in the game."""
        by_seat = dict(zip(alive(self.state), (faces.split() for faces in hands), strict=True))
        dealt = [by_seat[number][card] for card in (0, 1) for number in order(self.state)]
        return self.next_cards(" ".join(dealt))

    def dealt(self, *hands: str) -> Self:
        """Let the dealer deal *hands*."""
        return self.hands(*hands).given(seat(self.state.dealer).deals())

    def all_hold(self) -> Self:
        """Let the players hold until no decision on cards is due."""
        return self._without_a_stake(Phase.DECIDING)._forget()

    def all_pass(self) -> Self:
        """Let the players pass or decline until the upping is over."""
        return self._without_a_stake(Phase.UPPING)._forget()

    def held_up_to(self, number: int) -> Self:
        """Let the players hold until the decision of seat *number* is due."""
        while due_seat(self.state) != number:
            self.given(seat(due_seat(self.state)).holds())
        return self

    def dead_round(self) -> Self:
        """Play a dead round of two to four players without offers; one deck has cards for three such rounds."""
        hands = DEAD_ROUNDS[self.state.dead_rounds][: len(alive(self.state))]
        return self.dealt(*hands).when_played_out()._forget()

    # When.

    def when_played_out(self) -> Self:
        """Let the players hold, pass or decline until the round is over; keep the events for the expectations."""
        return self._without_a_stake(Phase.DECIDING, Phase.UPPING)

    # Then.

    def has(
        self,
        *,
        stacks: tuple[int, ...] | None = None,
        antes: tuple[int, ...] | None = None,
        offers: tuple[int, ...] | None = None,
        centre: int | None = None,
    ) -> Self:
        """Expect these pieces, by seat from 1, and these pieces in the centre."""
        self._has("stack", stacks)._has("ante", antes)._has("offer", offers)
        if centre is not None:
            assert balance_of(self.state, CENTRE) == centre
        return self

    def seen_by(self, number: int, *, is_present: bool = True) -> BankruptView:
        """Return the view of seat *number* (0: everybody)."""
        view = self._view(number, is_present=is_present)
        assert isinstance(view, BankruptView)
        return view

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


def a_table(*stacks: int, dealer: int = 0, centre: int = 0, **options: bool | int) -> Table:
    """Set up a table between rounds: *stacks* by seat, pieces in the *centre*, a fresh deck.

    *dealer* is the seat that deals next; 0: the last seat.
    """
    return Table().happened(
        *opened(BANKRUPT, len(stacks), options),
        *(seated(number, pieces) for number, pieces in enumerate(stacks, start=1)),
        GameStarted(transfers=(chips(HOUSE, CENTRE, centre, rule="a test"),) if centre else ()),
        fixed(DRAW),
        reserved(FIRST),
        DealerDrawn(dealer=dealer or len(stacks)),
        DeckRevealed(epoch=DRAW, server_seed=StackedDecks().server_seed(DRAW)),
        fixed(FIRST),
        reserved(SECOND),
        CardUpturned(epoch=FIRST, pos=UPTURNED, order=AFTER_THE_RITUAL),
    )


def four_players(**options: bool | int) -> Table:
    """Set up the sheet's own table: four players with fifty pieces each; seat 4 deals."""
    return a_table(50, 50, 50, 50, **options)


def an_open_table(*, players: int = 0, seats: int = 4, **options: bool | int) -> Table:
    """Set up a table whose game has not started, with *players* in the first seats."""
    buy_in = int(options.get("buy_in", 50))
    return Table().given(
        host.opens(seats=seats, **options),
        *(stranger.sits_down(number, pieces=buy_in) for number in range(1, players + 1)),
    )
