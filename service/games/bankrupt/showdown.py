"""The best hand, the debt of a loser, and who shows a second card (Rules 3, 9, 10, 15 and 16, option 1)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from service import cards
from service.cards import Face

_TEN_POINTS = 10
_ACE = 14
_ACE_POINTS = 11


class Hand(Struct, frozen=True):
    """A hand of two cards, the higher rank first."""

    high: Face
    low: Face


class Debt(Struct, frozen=True):
    """The *pieces* that one loser owes for one round, and the two cards that were compared."""

    winning: Face
    losing: Face
    pieces: int
    rule: str
    ruling: str


def high_first(first: Face, second: Face) -> Hand:
    """Return a hand with the higher rank first; of two cards of the same rank, the card dealt first stays first."""
    return Hand(first, second) if cards.rank(first) >= cards.rank(second) else Hand(second, first)


def value(face: Face) -> int:
    """Return the value of a card: its number, ten for jack to king, eleven for the ace (Rule 3)."""
    rank = cards.rank(face)
    if rank == _ACE:
        return _ACE_POINTS
    return min(rank, _TEN_POINTS)


def is_pair(hand: Hand) -> bool:
    """Return whether both cards have the same rank."""
    return cards.rank(hand.high) == cards.rank(hand.low)


def strength(hand: Hand) -> tuple[bool, int, int]:
    """Return the sort key of a hand: a pair first, then the higher rank, then the lower (Rules 9 and 10, B9.1)."""
    high, low = cards.rank(hand.high), cards.rank(hand.low)
    return high == low, high, low


def debt(winner: Hand, loser: Hand) -> Debt:
    """Return the debt of *loser* to *winner* for one round, before the multiplier: 1 to 9 pieces.

    *winner* beats *loser*. Rule 15 applies, or Rule 16 if a pair beats a higher card.
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


def must_show_second(hands: Mapping[int, Hand], leaders: Sequence[int], seat: int) -> bool:
    """Return whether *seat* shows its second card too at a table with the option show_one_card (BO1.1).

    *leaders* are the seats with the best of *hands*; if there is more than one leader, the round is dead.
    """
    if len(leaders) > 1:
        return seat in leaders
    winner = leaders[0]
    best = cards.rank(hands[winner].high)
    tied = {other for other, hand in hands.items() if other != winner and cards.rank(hand.high) == best}
    if seat == winner:
        return is_pair(hands[winner]) or bool(tied)
    return seat in tied
