"""How to play the tricks of Hearts sensibly: duck, be rid of the queen of spades, and let nobody take all points."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from service.cards import Face, rank, suit

QUEEN: Final[Face] = "Qs"
ABOVE_QUEEN: Final = frozenset({"Ks", "As"})
_WORTH_OF_QUEEN: Final = 13
_THREAT: Final = 6  # points that one seat has taken alone, from which on it may be after all of them
_PRICE_OF_STOPPING: Final = 4  # points that are taken so that nobody takes all
_LAST: Final = 3  # cards in a trick that one card ends


class Outlook(Struct, frozen=True, kw_only=True):
    """What a player weighs who plays a card: the *hand*, those cards of it that are *legal*, and what lies open.

    *trick*: seat and card, as they were played; *taken*: hearts and the queen of spades by who took them;
    *tricks*: how many were taken by all.
    """

    you: int
    hand: tuple[Face, ...]
    legal: tuple[Face, ...]
    trick: tuple[tuple[int, Face], ...] = ()
    taken: Mapping[int, tuple[Face, ...]] = {}
    tricks: int = 0

    @property
    def queen_is_out(self) -> bool:
        """Whether somebody else holds the queen of spades still."""
        seen = (
            *self.hand,
            *(card for _, card in self.trick),
            *(card for cards in self.taken.values() for card in cards),
        )
        return QUEEN not in seen

    @property
    def threat(self) -> int:
        """The other seat that may be about to take all points; 0: there is none."""
        takers = [seat for seat, cards in self.taken.items() if points(cards)]
        if len(takers) == 1 and takers[0] != self.you and points(self.taken[takers[0]]) >= _THREAT:
            return takers[0]
        return 0


def points(cards: Iterable[Face]) -> int:
    """Return what *cards* count in a trick."""
    return sum(_WORTH_OF_QUEEN if card == QUEEN else suit(card) == "h" for card in cards)


def to_play(seen: Outlook) -> Face:
    """Return the card to play of those that are legal."""
    if not seen.trick:
        return _led(seen)
    if suit(seen.legal[0]) == suit(seen.trick[0][1]):
        return _followed(seen)
    return _discarded(seen)


def _led(seen: Outlook) -> Face:
    """Lead what takes no points: low cards, spades below a queen that is out, early also high ones of short suits."""
    if seen.tricks == 0 and len(seen.legal) == 1:
        return seen.legal[0]

    def risk(card: Face) -> tuple[float, int]:
        length = sum(suit(one) == suit(card) for one in seen.hand)
        if suit(card) == "s":
            fears = card == QUEEN or (card in ABOVE_QUEEN and seen.queen_is_out)
            holds_her = QUEEN in seen.hand
            if fears:
                return 30.0, rank(card)
            return (20.0 if holds_her else -5.0 if _is_safe_in_spades(seen) and seen.queen_is_out else 3.0), rank(card)
        if suit(card) == "h":
            return rank(card) + 2.0, rank(card)
        if seen.tricks < 3 and length <= 3:  # noqa: PLR2004  # Early, most can follow, and points are seldom thrown.
            return 5.0 - rank(card) / 10, -rank(card)
        return float(rank(card)), length

    return min(seen.legal, key=risk)


def _is_safe_in_spades(seen: Outlook) -> bool:
    return not any(card in ABOVE_QUEEN or card == QUEEN for card in seen.hand)


def _followed(seen: Outlook) -> Face:
    """Follow suit: below what lies, as high as possible; or above it, where it costs nothing or must be."""
    winner, high = max(_of_led(seen), key=lambda one: rank(one[1]))
    under = [card for card in seen.legal if rank(card) < rank(high)]
    over = [card for card in seen.legal if rank(card) > rank(high)]
    lies = points(card for _, card in seen.trick)
    is_last = len(seen.trick) == _LAST
    if QUEEN in under:
        return QUEEN
    over_safely = [card for card in over if card != QUEEN]
    if is_last and over_safely:
        stops = seen.threat == winner and 0 < lies <= _PRICE_OF_STOPPING
        if lies == 0 or stops or not under:
            return _highest(over_safely)
    if under:
        return _highest(_not_above_queen(under, seen))
    if not over_safely:
        return QUEEN
    if seen.tricks == 0:  # No points can lie in the first trick, as good as ever.
        return _highest(over_safely)
    return min(_not_above_queen(over_safely, seen), key=rank)


def _not_above_queen(cards: list[Face], seen: Outlook) -> list[Face]:
    """Leave ace and king of spades out while the queen may fall on them, if other cards are there."""
    if not seen.queen_is_out or len(seen.trick) == _LAST:
        return cards
    return [card for card in cards if card not in ABOVE_QUEEN] or cards


def _discarded(seen: Outlook) -> Face:
    """Throw away what is worst to keep: the queen, what she would fall on, high hearts, high cards of short suits.

    Whoever may be about to take all points gets none.
    """
    winner, _ = max(_of_led(seen), key=lambda one: rank(one[1]))
    cards = list(seen.legal)
    if seen.threat == winner:
        cards = [card for card in cards if not points([card])] or [
            min(cards, key=lambda card: (points([card]), rank(card)))
        ]
    if QUEEN in cards:
        return QUEEN

    def relief(card: Face) -> tuple[float, int]:
        fears = card in ABOVE_QUEEN and seen.queen_is_out
        if suit(card) == "s":
            return (20.0 if fears else rank(card) / 3), rank(card)
        length = sum(suit(one) == suit(card) for one in seen.hand)
        return rank(card) + (2.5 if suit(card) == "h" else 0.0) - length / 2, rank(card)

    return max(cards, key=relief)


def _of_led(seen: Outlook) -> list[tuple[int, Face]]:
    led = suit(seen.trick[0][1])
    return [(seat, card) for seat, card in seen.trick if suit(card) == led]


def _highest(cards: Sequence[Face]) -> Face:
    return max(cards, key=rank)
