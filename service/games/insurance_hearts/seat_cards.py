"""Who holds which cards: as the rules know it, and as somebody sees it who does not know all."""

from collections.abc import Iterable, Mapping

from service.cards import PACK, SUITS, UNKNOWN, Face, rank, suit
from service.games.game import Viewpoint
from service.games.insurance_hearts.commands import PASSED
from service.games.insurance_hearts.state import State, giver

_PLACE: Mapping[Face, int] = {face: place for place, face in enumerate((*PACK, UNKNOWN))}


def hand_of(state: State, seat: int, viewpoint: Viewpoint) -> tuple[Face, ...]:
    """Return the cards that *seat* holds now, by suit and rank; `??` for each that *viewpoint* does not tell.

    What was dealt, less what was passed on, with what came for it, with the card of the auction, less what was played.
    """
    if seat not in state.dealt:
        return ()
    cards = [viewpoint.face(position) for position in state.dealt[seat]]
    if state.has_passed:
        _take(cards, passed_by(seat, viewpoint))
        cards += passed_by(giver(state, seat), viewpoint)
    if seat in state.gained:
        cards.append(state.gained[seat])
    _take(cards, state.played.get(seat, ()))
    return in_order(cards)


def passed_by(seat: int, viewpoint: Viewpoint) -> tuple[Face, ...]:
    """Return the cards that *seat* chose to pass; `??` for each where *viewpoint* does not tell."""
    chosen = viewpoint.sealed(seat, "cards")
    return (UNKNOWN,) * PASSED if chosen is None else tuple(chosen)


def in_order(cards: Iterable[Face]) -> tuple[Face, ...]:
    """Return *cards* by suit and rank, as a hand is told; those that are hidden come last."""
    return tuple(sorted(cards, key=_PLACE.__getitem__))


def strength(face: Face) -> tuple[int, int]:
    """Return how strong a card is in the auction: by suit, spades highest, and then by rank (IH.8)."""
    return SUITS.index(suit(face)), rank(face)


def height(face: Face) -> tuple[int, int]:
    """Return how high a card is by rank, and of one rank by suit, spades highest (G.3)."""
    return rank(face), SUITS.index(suit(face))


def _take(cards: list[Face], away: Iterable[Face]) -> None:
    """Take cards out of a hand: each as itself, or else as one of those that are hidden."""
    for face in away:
        cards.remove(face if face in cards else UNKNOWN)
