"""Whose hand is best, and what a loser owes (Rules 3, 9, 10, 15 and 16)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from service import cards
from service.cards import Face

_TEN_POINTS = 10
_ACE = 14
_ACE_POINTS = 11


class Cards(Struct, frozen=True):
    """Two cards, the higher rank first."""

    high: Face
    low: Face


class Debt(Struct, frozen=True):
    """What one loser owes for one round, and by the comparison of which cards."""

    winning: Face
    losing: Face
    pieces: int
    rule: str
    ruling: str


def high_first(first: Face, second: Face) -> Cards:
    """Put two cards in the order of their ranks; of two equal ones the first dealt stays first."""
    return Cards(first, second) if cards.rank(first) >= cards.rank(second) else Cards(second, first)


def value(face: Face) -> int:
    """Return what a card is worth: its number, ten for jack to king, eleven for the ace (Rule 3)."""
    rank = cards.rank(face)
    if rank == _ACE:
        return _ACE_POINTS
    return min(rank, _TEN_POINTS)


def is_pair(hand: Cards) -> bool:
    """Tell whether both cards have one rank."""
    return cards.rank(hand.high) == cards.rank(hand.low)


def strength(hand: Cards) -> tuple[bool, int, int]:
    """Return what hands compare by: a pair, then the higher rank, then the lower (Rules 9 and 10, B9.1)."""
    high, low = cards.rank(hand.high), cards.rank(hand.low)
    return high == low, high, low


def debt(winner: Cards, loser: Cards) -> Debt:
    """Return what *loser* owes *winner* for one round, before the multiplier: 1 to 9 pieces.

    *winner* beats *loser*. By Rule 15, or by Rule 16 where a pair wins against a higher card.
    """
    if cards.rank(winner.high) == cards.rank(loser.high):
        winning, losing = winner.low, loser.low  # B15.1, B16.1: the second cards decide.
    else:
        winning, losing = winner.high, loser.high
    pieces = max(1, abs(value(winning) - value(losing)))
    if not is_pair(winner):
        return Debt(winning, losing, pieces, rule="15", ruling="B15.1")
    below = cards.rank(winner.high) < cards.rank(loser.high)
    return Debt(winning, losing, pieces, rule="16" if below else "15", ruling="B16.1")


def must_show_second(hands: Mapping[int, Cards], leaders: Sequence[int], seat: int) -> bool:
    """Tell whether *seat* shows both cards where one is shown as long as it is enough (BO1.1).

    *leaders* hold the best of *hands*; more than one of them: the round is dead.
    """
    if len(leaders) > 1:
        return seat in leaders
    winner = leaders[0]
    best = cards.rank(hands[winner].high)
    tied = {other for other, hand in hands.items() if other != winner and cards.rank(hand.high) == best}
    if seat == winner:
        return is_pair(hands[winner]) or bool(tied)
    return seat in tied
