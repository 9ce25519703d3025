"""The bots' strategy for tricks of Hearts: avoid tricks, discard the queen of spades, let nobody take all points."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from service.cards import Face, rank, suit

QUEEN: Final[Face] = "Qs"
ABOVE_QUEEN: Final = frozenset({"Ks", "As"})
_WORTH_OF_QUEEN: Final = 13
_THREAT: Final = 6  # a seat with at least this many points may be about to take all points, if no other seat has any
_PRICE_OF_STOPPING: Final = 4  # the maximum number of points to take to stop another player from taking all points
_LAST: Final = 3  # the number of cards in a trick before the last player's card


class Outlook(Struct, frozen=True, kw_only=True):
    """The facts for playing a card: the *hand*, its *legal* cards, and cards that everybody may see.

    *trick* has the seats and cards of the current trick, in the order of play. *taken* has the hearts and the queen of
    spades that each seat has taken. *tricks* is the number of tricks that all seats together have taken in this hand.
    """

    you: int
    hand: tuple[Face, ...]
    legal: tuple[Face, ...]
    trick: tuple[tuple[int, Face], ...] = ()
    taken: Mapping[int, tuple[Face, ...]] = {}
    tricks: int = 0

    @property
    def queen_is_out(self) -> bool:
        """Whether another player still has the queen of spades."""
        known = (
            *self.hand,
            *(card for _, card in self.trick),
            *(card for cards in self.taken.values() for card in cards),
        )
        return QUEEN not in known

    @property
    def threat(self) -> int:
        """Another seat that may be about to take all points; 0: none."""
        takers = [seat for seat, cards in self.taken.items() if points(cards)]
        if len(takers) == 1 and takers[0] != self.you and points(self.taken[takers[0]]) >= _THREAT:
            return takers[0]
        return 0


def points(cards: Iterable[Face]) -> int:
    """Return the points of *cards*: one for each heart, 13 for the queen of spades."""
    return sum(_WORTH_OF_QUEEN if card == QUEEN else suit(card) == "h" for card in cards)


def to_play(outlook: Outlook) -> Face:
    """Return the legal card to play."""
    if not outlook.trick:
        return _lead(outlook)
    if suit(outlook.legal[0]) == suit(outlook.trick[0][1]):
        return _follow(outlook)
    return _discard(outlook)


def _lead(outlook: Outlook) -> Face:
    """Return a card to lead that is unlikely to take points.

    This is a low card, a spade below the queen, or, in the first three tricks, a high card of a short suit.
    """
    if outlook.tricks == 0 and len(outlook.legal) == 1:
        return outlook.legal[0]

    def risk(card: Face) -> tuple[float, int]:
        length = sum(suit(one) == suit(card) for one in outlook.hand)
        if suit(card) == "s":
            fears = card == QUEEN or (card in ABOVE_QUEEN and outlook.queen_is_out)
            if fears:
                return 30.0, rank(card)
            if QUEEN in outlook.hand:
                return 20.0, rank(card)
            return (-5.0 if _is_safe_in_spades(outlook) and outlook.queen_is_out else 3.0), rank(card)
        if suit(card) == "h":
            return rank(card) + 2.0, rank(card)
        if outlook.tricks < 3 and length <= 3:  # noqa: PLR2004  # in early tricks most players can follow suit
            return 5.0 - rank(card) / 10, -rank(card)
        return float(rank(card)), length

    return min(outlook.legal, key=risk)


def _is_safe_in_spades(outlook: Outlook) -> bool:
    return not any(card in ABOVE_QUEEN or card == QUEEN for card in outlook.hand)


def _follow(outlook: Outlook) -> Face:
    """Return the card to follow suit with: usually the highest card below the winning card.

    The queen of spades comes first if she is below the winning card. The last player plays above the winning card if
    the trick has no points, if taking at most `_PRICE_OF_STOPPING` points stops another player from taking all points,
    or if the player has no card below the winning card. Any other player without a card below the winning card plays a
    low card, except in the first trick.
    """
    winner, high = max(_of_led_suit(outlook), key=lambda one: rank(one[1]))
    under = [card for card in outlook.legal if rank(card) < rank(high)]
    over = [card for card in outlook.legal if rank(card) > rank(high)]
    at_stake = points(card for _, card in outlook.trick)
    is_last = len(outlook.trick) == _LAST
    if QUEEN in under:
        return QUEEN
    safe_over = [card for card in over if card != QUEEN]
    if is_last and safe_over:
        stops = outlook.threat == winner and 0 < at_stake <= _PRICE_OF_STOPPING
        if at_stake == 0 or stops or not under:
            return _highest(safe_over)
    if under:
        return _highest(_not_above_queen(under, outlook))
    if not safe_over:
        return QUEEN
    if outlook.tricks == 0:  # the first trick hardly ever has points, so a high card is safe
        return _highest(safe_over)
    return min(_not_above_queen(safe_over, outlook), key=rank)


def _not_above_queen(cards: list[Face], outlook: Outlook) -> list[Face]:
    """Return *cards* without the ace and king of spades, if the queen may still follow and there are other cards."""
    if not outlook.queen_is_out or len(outlook.trick) == _LAST:
        return cards
    return [card for card in cards if card not in ABOVE_QUEEN] or cards


def _discard(outlook: Outlook) -> Face:
    """Return the card to discard: the queen of spades, a spade above her, a high heart, or a high card of a short suit.

    If the winning seat may be about to take all points, return a card without points, or with the fewest points.
    """
    winner, _ = max(_of_led_suit(outlook), key=lambda one: rank(one[1]))
    cards = list(outlook.legal)
    if outlook.threat == winner:
        cards = [card for card in cards if not points([card])] or [
            min(cards, key=lambda card: (points([card]), rank(card)))
        ]
    if QUEEN in cards:
        return QUEEN

    def relief(card: Face) -> tuple[float, int]:
        fears = card in ABOVE_QUEEN and outlook.queen_is_out
        if suit(card) == "s":
            return (20.0 if fears else rank(card) / 3), rank(card)
        length = sum(suit(one) == suit(card) for one in outlook.hand)
        return rank(card) + (2.5 if suit(card) == "h" else 0.0) - length / 2, rank(card)

    return max(cards, key=relief)


def _of_led_suit(outlook: Outlook) -> list[tuple[int, Face]]:
    led = suit(outlook.trick[0][1])
    return [(seat, card) for seat, card in outlook.trick if suit(card) == led]


def _highest(cards: Sequence[Face]) -> Face:
    return max(cards, key=rank)
