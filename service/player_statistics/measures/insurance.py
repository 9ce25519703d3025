"""What a choice in Insurance was worth in hindsight: against the next cards of the deck."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, ClassVar, Final

from service.cards import RANKS, rank
from service.games.game import Event, Viewpoint
from service.games.insurance import events
from service.games.insurance.accounts import bet, offer
from service.games.insurance.state import State, bet_bounds, bettors
from service.games.table_state import balance_of
from service.ledger import account_seat, stack
from service.player_statistics.flow import Flow
from service.player_statistics.hindsight import Choice, World, choice

_TWO, _ACE = 2, len(RANKS) + 1
_STEPS_OF_BETS: Final = (0.05, 0.1, 0.2, 0.5)
"""A bet has five steps as its alternatives; the second to fifth step begin at these shares of the stack."""
_OF_PRICE: Final = 4
"""The situations of an answer differ by the price of the insurance less the fair price, in quarters of the bet."""

Outcomes = tuple[int, int, int]
"""The numbers of unseen cards, or of pairs of unseen cards, with which the player would win, tie and lose."""


class Measure:
    """Measures the choices of the players of one table; all cards are dealt face up, so no event need be followed."""

    ALLOWANCE: ClassVar[float] = 0.0
    PAIR_ALLOWANCE: ClassVar[float] = 0.02

    def follow(self, _after: State, _event: Event, _viewpoint: Viewpoint) -> None:
        """Remember nothing: the state has the cards that nobody has seen."""

    def choices(self, before: State, event: Any, viewpoint: Viewpoint, _dice: Random) -> Iterator[Choice]:  # noqa: ANN401 -- each event has its own class
        """Yield the choice that *event* records, if it is a player's own bet, offer or answer.

        If the deck has too few cards for the hand, yield nothing: the hand is dealt from another deck.
        """
        if getattr(event, "called", "") or len(before.deck) < len(bettors(before)) + 1 - len(before.cards):
            return
        match event:
            case events.BetPlaced():
                found = _bet(before, event, viewpoint)
            case events.InsuranceOffered():
                found = _offer(before, event, viewpoint)
            case events.InsuranceAccepted() | events.InsuranceRefused():
                found = _answer(before, event, viewpoint)
            case _:
                return
        if found:
            yield found

    def flows(self, _before: State, event: Event) -> Iterator[Flow]:
        """Yield what the banker collected and paid (PAYOUT)."""
        if isinstance(event, events.HandSettled):
            for transfer in event.transfers:
                source, target = account_seat(transfer.source), account_seat(transfer.target)
                if source != target:
                    yield source, target, transfer.amount


def _bet(state: State, event: events.BetPlaced, viewpoint: Viewpoint) -> Choice | None:
    """Compare the steps of the bet (`_STEPS_OF_BETS`) by the outcome of an uninsured bet."""
    seats, bounds = bettors(state), bet_bounds(state, event.seat)
    if len(state.deck) <= len(seats) or event.seat not in seats or bounds.least == bounds.most:
        return None
    unseen = Counter(map(rank, viewpoint.faces(state.deck)))
    banker, own = map(rank, viewpoint.faces((state.deck[0], state.deck[1 + seats.index(event.seat)])))
    share = event.chips / balance_of(state, stack(event.seat))
    chosen = sum(share >= least for least in _STEPS_OF_BETS)
    steps = range(1, len(_STEPS_OF_BETS) + 2)
    worlds: list[World] = [
        (weight, [outcome * step / len(steps) for step in steps])
        for weight, outcome in zip(_outcomes_of_bet(unseen), (1, 0, -1), strict=True)
    ]
    true = [_outcome_of_bet(banker, own) * step / len(steps) for step in steps]
    return choice(event.seat, chosen, true, worlds, situation="bet")


def _offer(state: State, event: events.InsuranceOffered, viewpoint: Viewpoint) -> Choice | None:
    """Compare an offer below the fair price with an offer at the fair price or above it.

    At the fair price, neither side gains on average. A banker who sees no hidden card accepts the fair price or a
    higher price.
    """
    own = _card_to_come(state, event.seat, viewpoint)
    won, tied, lost = _outcomes(state, viewpoint)
    if not won or not lost:
        return None
    fair = lost / (won + lost)
    price = round(fair * balance_of(state, bet(event.seat)))
    if price > balance_of(state, stack(event.seat)):
        return None
    chosen = int(event.chips >= price)
    values = {1: (1.0, 1.0 - fair), 0: (0.0, 0.0), -1: (-1.0, -fair)}
    worlds: list[World] = [(won, values[1]), (tied, values[0]), (lost, values[-1])]
    return choice(event.seat, chosen, values[own], worlds, situation="offer")


def _answer(
    state: State, event: events.InsuranceAccepted | events.InsuranceRefused, viewpoint: Viewpoint
) -> Choice | None:
    """Compare refusing and accepting an offer by what the banker then gains or loses, as a share of the bet."""
    price = balance_of(state, offer(event.seat)) / balance_of(state, bet(event.seat))
    own = _card_to_come(state, event.seat, viewpoint)
    won, tied, lost = _outcomes(state, viewpoint)
    values = {1: (-1.0, price - 1.0), 0: (0.0, 0.0), -1: (1.0, price)}
    worlds: list[World] = [(won, values[1]), (tied, values[0]), (lost, values[-1])]
    fair = lost / (won + lost) if won + lost else 0.0
    situation = f"answer {max(-_OF_PRICE, min(_OF_PRICE, round(_OF_PRICE * (price - fair))))}"
    chosen = int(isinstance(event, events.InsuranceAccepted))
    return choice(state.banker, chosen, values[own], worlds, situation=situation)


def _card_to_come(state: State, seat: int, viewpoint: Viewpoint) -> int:
    """Return 1 if the card that *seat* will get beats the banker's card, 0 if it ties, -1 if it loses."""
    banker = rank(viewpoint.face(state.cards[state.banker]))
    own = rank(viewpoint.face(state.deck[bettors(state).index(seat)]))
    return (own > banker) - (own < banker)


def _outcomes(state: State, viewpoint: Viewpoint) -> Outcomes:
    banker = rank(viewpoint.face(state.cards[state.banker]))
    unseen = [rank(face) for face in viewpoint.faces(state.deck)]
    return sum(one > banker for one in unseen), unseen.count(banker), sum(one < banker for one in unseen)


def _outcome_of_bet(banker: int, own: int) -> int:
    """Return 1 if the bet is won, 0 if it is tied, -1 if it is lost; a 2 or an ace of the banker decides alone."""
    if banker in {_TWO, _ACE}:
        return 1 if banker == _TWO else -1
    return (own > banker) - (own < banker)


def _outcomes_of_bet(unseen: Counter[int]) -> Outcomes:
    """Return the numbers of ordered pairs of unseen cards with which a bet is won, tied and lost."""
    total = sum(unseen.values())
    won, tied, lost, below = unseen[_TWO] * (total - 1), 0, unseen[_ACE] * (total - 1), unseen[_TWO]
    for banker in range(_TWO + 1, _ACE):
        count = unseen[banker]
        lost += count * below
        tied += count * (count - 1)
        won += count * (total - below - count)
        below += count
    return won, tied, lost
