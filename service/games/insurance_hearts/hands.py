"""Who holds which cards: as the rules know it, and as somebody sees it who does not know all."""

from collections.abc import Iterable, Mapping
from typing import Any

from service.cards import PACK, SUITS, UNKNOWN, Face, rank, suit
from service.deck import Deck
from service.games.game import Known, Seen
from service.games.insurance_hearts.commands import PASSED
from service.games.insurance_hearts.state import State, giver

_PLACE: Mapping[Face, int] = {face: place for place, face in enumerate((*PACK, UNKNOWN))}


class Facts:
    """All there is to know of a table, with what the command that is decided now seals itself."""

    def __init__(self, state: State, known: Known, now: Mapping[tuple[int, str], Any] | None = None) -> None:
        self._epoch = state.epoch
        self._known = known
        self._now = now or {}
        self._deck: Deck | None = None

    @property
    def deck(self) -> Deck:
        """The deck in play."""
        # No cached_property: on Python 3.11 all tables would wait for one of them to read its deck.
        if self._deck is None:
            self._deck = self._known.deck(self._epoch)
        return self._deck

    def face(self, position: int) -> Face:
        """Return the face at a *position* of the deck in play."""
        return self.deck.order[position]

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return what *seat* sealed last under *field*, in this command even."""
        return self._now[seat, field] if (seat, field) in self._now else self._known.sealed(seat, field)


def hand_of(state: State, seat: int, seen: Seen) -> tuple[Face, ...]:
    """Return the cards that *seat* holds now, by suit and rank; `??` for each that *seen* does not tell.

    What was dealt, less what was passed on, with what came for it, with the card of the auction, less what was played.
    """
    if seat not in state.dealt:
        return ()
    cards = [seen.face(position) for position in state.dealt[seat]]
    if state.has_passed:
        _take(cards, passed_by(seat, seen))
        cards += passed_by(giver(state, seat), seen)
    if seat in state.gained:
        cards.append(state.gained[seat])
    _take(cards, state.played.get(seat, ()))
    return in_order(cards)


def passed_by(seat: int, seen: Seen) -> tuple[Face, ...]:
    """Return the cards that *seat* chose to pass; `??` for each where *seen* does not tell."""
    chosen = seen.sealed(seat, "cards")
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
