"""A table of Insurance Hearts for tests."""

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from itertools import combinations
from typing import Final, Self, TypedDict, Unpack, cast

import pytest
from msgspec.structs import replace

from service.cards import PACK, Face
from service.games import seating
from service.games.common_commands import OptionValue
from service.games.common_events import DealerDrawn, DeckRevealed, GameStarted, HandDealt
from service.games.game import Action, Command, Refusal, Viewpoint
from service.games.insurance_hearts import INSURANCE_HEARTS
from service.games.insurance_hearts.events import HandCancelled, HandFinished, HandScored, SeatScore
from service.games.insurance_hearts.state import State
from service.games.insurance_hearts.view import HeartsView
from service.games.table_state import clockwise
from service.ledger import POOL, points, score
from tests.games.actors import AnyActor
from tests.games.envelopes import PastViewpoint, SeatViewpoint, sealed
from tests.games.insurance_hearts.actors import Actor, host, seat, stranger
from tests.games.insurance_hearts.sealing import SealingDecks
from tests.games.stacked import StackedDecks, epoch_of
from tests.games.table import AnyTable, fixed, opened, reserved, seated

DRAW, FIRST, SECOND, THIRD = map(epoch_of, range(1, 5))
"""Epochs of the decks in the order in which they come into play."""

SEATS: Final = (1, 2, 3, 4)


class Agreed(TypedDict, total=False):
    """The options of a table that differ from the defaults."""

    insurance: bool
    bidding: bool
    foot: bool
    queen_breaks_hearts: bool
    target: int


PLAIN: Final[Agreed] = {"insurance": False, "bidding": False, "foot": False}
"""All three rules off: the game is Hearts."""
AUCTION_ALONE: Final[Agreed] = {"insurance": False, "bidding": True, "foot": False}


class Table(AnyTable[State]):
    """A table of Insurance Hearts in a test."""

    def __init__(self) -> None:
        super().__init__(INSURANCE_HEARTS)
        self.decks: SealingDecks = SealingDecks()

    # Given.

    def hands(self, *hands: str, table: str = "") -> Self:
        """Stack the next deck: *hands* by seat, and the four cards of the *table*; other cards fill the hands in order.

        Without arguments the hands are the pack in order: at a table without bidding, seat 1 gets all clubs, seat 2 all
        diamonds, seat 3 all hearts, and seat 4 all spades.
        """
        size = 12 if self.state.options.bidding else 13
        named = [*(hand.split() for hand in (*hands, "", "", "", "")[:4]), table.split()]
        rest = [face for face in PACK if not any(face in pile for pile in named)]
        for pile in named[:4]:
            while len(pile) < size:
                pile.append(rest.pop(0))
        seats = clockwise(SEATS, self.state.dealer)
        order = [named[number - 1][card] for card in range(size) for number in seats]
        return self.the_deck_begins(self.state.reserve, " ".join([*order, *named[4], *rest]))

    def dealt(self, *hands: str, table: str = "") -> Self:
        """Have the dealer deal *hands*."""
        return self.when_dealt(*hands, table=table)._forget()

    def slips_lie(self, *numbers: int, feet: tuple[int, ...] = ()) -> Self:
        """Have every seat write its number; the seats in *feet* call a foot."""
        return self.when_slips_lie(*numbers, feet=feet)._forget()

    def passed(self, *cards: str) -> Self:
        """Have each seat pass these *cards*, by seat; without *cards*, the first three of its hand."""
        return self.when_passed(*cards)._forget()

    def nobody_bids(self, *shown: str) -> Self:
        """Have every seat make no bid and show a card; *shown* has the cards in the order of the seats."""
        return self.given(*(seat(n).bids_nothing(showing=card) for n, card in zip(SEATS, shown, strict=True)))

    def played(self, faces: str) -> Self:
        """Play *faces* in turn."""
        return self.when_played(faces)._forget()

    def played_out(self) -> Self:
        """Have the service decide until the hand is over."""
        return self.when_played_out()._forget()

    # When.

    def when_dealt(self, *hands: str, table: str = "") -> Self:
        return self.hands(*hands, table=table).when(self.dealer.deals())

    def when_slips_lie(self, *numbers: int, feet: tuple[int, ...] = ()) -> Self:
        slips = dict(zip(SEATS, (*numbers, 0, 0, 0, 0), strict=False))
        return self.when(
            *(seat(n).calls_foot(slips[n]) if n in feet else seat(n).insures(slips[n]) for n in SEATS),
        )

    def when_passed(self, *cards: str) -> Self:
        chosen = cards or tuple(" ".join(self.hand_of(number)[:3]) for number in SEATS)
        return self.when(*(seat(number).passes(faces) for number, faces in zip(SEATS, chosen, strict=True)))

    def when_played(self, faces: str) -> Self:
        self._forget()
        for face in faces.split():
            (by,) = INSURANCE_HEARTS.due(self.state)
            self._make(Actor(by).plays(face))
        return self

    def when_played_out(self) -> Self:
        self._forget()
        while self.state.hand_is_running:
            self._make(host.calls_time())
        return self

    def when_decided_again(self, command: Command, author: str) -> Self:
        """Carry out *command*; expect *author* as its author.

        Also expect that the decision leads back to the same command, and that this command gives the same events and
        seals the same values.
        """
        before, known = self.state, deepcopy(self.decks)
        events = self.when(command).emitted
        assert seating.author(command, events[0]) == author
        again = INSURANCE_HEARTS.command_of(events[0], author, partial(self.decks.of, events[0]))
        assert again == command
        decided = INSURANCE_HEARTS.decide(before, again, known)
        assert decided.events == events
        was_sealed = {one.field: one.secret for one in self.decks.fields if one.decision is events[0]}
        again_sealed = sealed({}, decided.events[0], decided.secrets)
        assert {field: envelope.secret for (_, field), envelope in again_sealed.items()} == was_sealed
        return self

    # Then.

    def may(self, actor: AnyActor, *commands: Command) -> Self:
        """Expect exactly *commands* in the actions of *actor*, and expect that each command is accepted."""
        offered = tuple(action.command for action in self.listed(actor))
        assert offered == commands
        for command in offered:
            assert INSURANCE_HEARTS.decide(self.state, command, self.decks)
        return self

    def may_play(self, faces: str) -> Self:
        """Expect that the player whose turn it is may play exactly these cards."""
        actor = self.next_one
        assert {action.command for action in self.listed(actor)} == {actor.plays(face) for face in faces.split()}
        for face in PACK:
            self._accepts(actor.plays(face), is_legal=face in faces.split())
        return self

    def refusal(self, command: Command) -> Refusal:
        """Return the refusal of *command*."""
        with pytest.raises(Refusal) as caught:
            INSURANCE_HEARTS.decide(self.state, command, self.decks)
        return caught.value

    def scores(self, *totals: int) -> Self:
        """Expect these totals of the seats, from seat 1."""
        return self._has("score", totals)

    def accepts(self, action: Action) -> Self:
        """Expect *action* to be accepted with the least and the most of every bound, and with every choice."""
        bounds: list[dict[str, object]] = [
            {bound.member: number} for bound in action.bounds for number in (bound.least, bound.most)
        ]
        faces: list[dict[str, object]] = [
            {choice.member: face} for choice in action.choices if not choice.count for face in choice.among
        ]
        lists: list[dict[str, object]] = [
            {choice.member: chosen}
            for choice in action.choices
            if choice.count
            for chosen in combinations(choice.among, choice.count)
        ]
        for members in ({}, *bounds, *faces, *lists):
            assert INSURANCE_HEARTS.decide(self.state, replace(action.command, **members), self.decks)
        return self

    def seen_by(self, number: int, *, is_present: bool = True) -> HeartsView:
        """Return the view of seat *number* (0: everybody)."""
        view = self._view(number, is_present=is_present)
        assert isinstance(view, HeartsView)
        return view

    def hand_of(self, number: int) -> tuple[Face, ...]:
        """Return the hand of seat *number*, as this seat sees its own hand."""
        return self.seen_by(number).hands[number]

    def scored(self) -> HandScored:
        """Return the `HandScored` among the emitted events."""
        (event,) = (event for event in self.emitted if isinstance(event, HandScored))
        return event

    def score_of(self, number: int) -> SeatScore:
        """Return the score of seat *number* in the emitted `HandScored`."""
        (seat_score,) = (seat_score for seat_score in self.scored().scores if seat_score.seat == number)
        return seat_score

    @property
    def dealer(self) -> Actor:
        """The dealer of this hand or, between hands, of the next hand."""
        return seat(self.state.dealer)

    @property
    def next_one(self) -> Actor:
        """The first actor whose decision is due."""
        return Actor(INSURANCE_HEARTS.due(self.state)[0])

    def _seen(self, number: int, *, is_present: bool = True) -> Viewpoint:
        order = self.decks.deck(self.state.epoch).order if self.state.epoch else ()
        viewpoint = SeatViewpoint if is_present else PastViewpoint
        return viewpoint(self._game, self.state, order, self.decks.envelopes(), number)

    def _accepts(self, command: Command, *, is_legal: bool) -> None:
        try:
            INSURANCE_HEARTS.decide(self.state, command, self.decks)
        except Refusal:
            assert not is_legal, command
        else:
            assert is_legal, command

    def _make(self, command: Command) -> None:
        decided = self._game.decide(self.state, command, self.decks)
        events = decided.events
        self.decks.seal(events[0], decided.secrets)
        self.happened(*events)
        self.emitted += events


def a_table(
    *,
    dealer: int = 4,
    hand: int = 0,
    totals: tuple[int, ...] = (),
    feet: tuple[int, ...] = (),
    **options: Unpack[Agreed],
) -> Table:
    """Set up a table between hands: *dealer* deals next; *hand* is the number of the last hand, or 0 before the first.

    After a hand, *totals* are the totals by seat, and the seats in *feet* have called their foot.
    """
    table = Table().happened(
        *opened(INSURANCE_HEARTS, 4, cast("Mapping[str, OptionValue]", options)),
        *(seated(number, 0) for number in SEATS),
        GameStarted(),
        fixed(DRAW),
        reserved(FIRST),
        DealerDrawn(dealer=dealer),
        DeckRevealed(epoch=DRAW, server_seed=StackedDecks().server_seed(DRAW)),
    )
    if hand:
        table.happened(HandDealt(hand=hand, dealer=(dealer - 2) % 4 + 1))
        if feet:
            table.happened(HandCancelled(callers=feet))
        if totals:
            table.happened(_scored(totals))
        table.happened(HandFinished(dealer=dealer))
    return table


def _scored(totals: tuple[int, ...]) -> HandScored:
    return HandScored(
        queen=1,
        scores=tuple(SeatScore(seat=number, score=total) for number, total in zip(SEATS, totals, strict=True)),
        transfers=tuple(
            points(POOL, score(number), total, rule="a test")
            for number, total in zip(SEATS, totals, strict=True)
            if total
        ),
    )


def hearts(*, hand: int = 3, **options: Unpack[Agreed]) -> Table:
    """Set up a table with the three rules off, after hand number *hand*; after hand 3 comes a hand without passing."""
    agreed: Agreed = {**PLAIN, **options}
    return a_table(hand=hand, **agreed)


def an_open_table(*, players: int = 0, **options: Unpack[Agreed]) -> Table:
    """Set up a table whose game has not started, with *players* in the first seats."""
    return Table().given(
        host.opens(seats=4, **options),
        *(stranger.sits_down(number, pieces=0) for number in range(1, players + 1)),
    )


def at_slips(*, dealer: int = 4, **options: Unpack[Agreed]) -> Table:
    """Deal the pack in order (without bidding, one suit to each seat); slips are due."""
    return a_table(dealer=dealer, **options).dealt()


def at_auction(*hands: str, table: str = "", **options: Unpack[Agreed]) -> Table:
    """Deal *hands*, and four cards to the *table*, in a hand without slips or passing; bids are due."""
    agreed: Agreed = {**AUCTION_ALONE, **options}
    return a_table(hand=3, **agreed).dealt(*hands, table=table)
