"""A table of Insurance for tests."""

from typing import Final, Self

from service.cards import PACK
from service.games.common_commands import OptionValue
from service.games.common_events import GameStarted
from service.games.insurance import INSURANCE
from service.games.insurance.events import HandSettled, Result
from service.games.insurance.state import Phase, State, able, banker_to_be, to_bet
from service.games.insurance.view import InsuranceView
from tests.games.insurance.actors import Actor, host, seat, stranger
from tests.games.stacked import epoch_of
from tests.games.table import AnyTable, opened, seated

FIRST, SECOND, THIRD = map(epoch_of, range(1, 4))
"""Epochs of the decks in the order in which they come into play."""

NON_GAMBLING: Final = "non_gambling"


class Table(AnyTable[State]):
    """A table of Insurance in a test."""

    def __init__(self) -> None:
        super().__init__(INSURANCE)

    @property
    def banker(self) -> Actor:
        """The banker of the hand or, between hands, of the next hand."""
        return seat(banker_to_be(self.state))

    # Given.

    def bets_lie(self, *amounts: int) -> Self:
        """Have bets of *amounts* placed from the banker's left."""
        bets = zip(to_bet(self.state), amounts, strict=True)
        return self.given(*(seat(number).bets(amount) for number, amount in bets))

    def next_cards(self, faces: str) -> Self:
        """Put *faces* on top of the deck of the hand, in the order in which the next cards of the hand are dealt."""
        state = self.state
        if state.phase is Phase.BETTING and len(state.deck) < len(state.playing or able(state)):
            self.decks.put(state.reserve, range(len(PACK)), faces)
        else:
            self.decks.put(state.epoch, state.deck, faces)
        return self

    def dealt(self, faces: str) -> Self:
        """Have the banker deal *faces*: the banker's card, then the others' from the banker's left."""
        return self.when_dealt(faces)._forget()

    def offers_lie(self, *amounts: int) -> Self:
        """Have offers of *amounts* made from the banker's left."""
        offers = zip(self.state.to_offer, amounts, strict=True)
        return self.given(*(seat(number).offers(amount) for number, amount in offers))

    # When.

    def when_dealt(self, faces: str) -> Self:
        """Have the banker deal *faces*, and keep the events."""
        return self.next_cards(faces).when(self.banker.deals())

    def when_answered(self, *insured: int) -> Self:
        """Have the banker accept the offers of the *insured* seats and refuse all other offers; keep the events."""
        answers = [
            self.banker.insures(number) if number in insured else self.banker.refuses(number)
            for number in self.state.to_answer
        ]
        return self.when(*answers)

    # Then.

    def has(
        self,
        *,
        stacks: tuple[int, ...] | None = None,
        bets: tuple[int, ...] | None = None,
        offers: tuple[int, ...] | None = None,
        insurances: tuple[int, ...] | None = None,
    ) -> Self:
        """Expect these chips of the seats, from seat 1."""
        return self._has("stack", stacks)._has("bet", bets)._has("offer", offers)._has("insurance", insurances)

    def settled(self) -> HandSettled:
        """Return the settlement among the emitted events."""
        (event,) = (event for event in self.emitted if isinstance(event, HandSettled))
        return event

    def result(self, number: int) -> Result:
        """Return the result of seat *number* in the settlement."""
        (result,) = (result for result in self.settled().results if result.seat == number)
        return result

    def moved(self) -> list[tuple[str, str, int]]:
        """List the transfers of the settlement."""
        return [(transfer.source, transfer.target, transfer.amount) for transfer in self.settled().transfers]

    def bounds(self, actor: Actor) -> dict[str, tuple[int, int]]:
        """Return the bounds of the actions of *actor*, by the name of the command."""
        return {
            type(action.command).__name__: (bound.least, bound.most)
            for action in self.listed(actor)
            for bound in action.bounds
        }

    def seen_by(self, number: int, *, is_present: bool = True) -> InsuranceView:
        """Return the view of seat *number* (0: everybody)."""
        view = self._view(number, is_present=is_present)
        assert isinstance(view, InsuranceView)
        return view


def a_table(*stacks: int, banker: int = 1, **options: OptionValue) -> Table:
    """Set up a table before its first hand: *stacks* by seat (0: nobody has the seat); *banker* is the first banker."""
    return Table().happened(
        *opened(INSURANCE, len(stacks), {"first_banker": banker, **options}),
        *(seated(number, chips) for number, chips in enumerate(stacks, start=1) if chips),
        GameStarted(),
    )


def a_game(*stacks: int, bets: tuple[int, ...] = (), banker: int = 1) -> Table:
    """Set up a table of the non-gambling variation, with *bets* as its standard bets."""
    return a_table(*stacks, banker=banker, form=NON_GAMBLING, standard_bets=bets)


def an_open_table(*, players: int = 0, seats: int = 4, **options: OptionValue) -> Table:
    """Set up a table whose game has not started, with *players* in the first seats."""
    return Table().given(
        host.opens(seats=seats, **options),
        *(stranger.sits_down(number, pieces=100) for number in range(1, players + 1)),
    )
