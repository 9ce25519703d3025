"""What a lead in Insurance Hearts was worth in hindsight: against the hands of the players who followed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Final

from service.cards import PACK, Face
from service.games.common_events import HandDealt
from service.games.game import Event, Viewpoint
from service.games.insurance_hearts import events
from service.games.insurance_hearts.scoring import QUEEN, worth
from service.games.insurance_hearts.seat_cards import hand_of, passed_by
from service.games.insurance_hearts.state import State, receiver
from service.games.insurance_hearts.tricks import legal
from service.player_statistics.flow import Flow
from service.player_statistics.hindsight import Choice, World, choice

_WORLDS: Final = 8
"""How many deals of the hidden cards a choice is compared with."""
_NUMBER: Final[Mapping[Face, int]] = {face: number for number, face in enumerate(PACK)}
_FIRST_TRICK: Final = 2
"""Leads to the first two tricks do not count: the first is always the two of clubs, and the hands are still alike."""
_LIKE: Final = 2
"""Leads are of one kind if they agree in the suit, the pair of tricks (1 and 2, 3 and 4, …) and the pair of ranks."""
_RANKS: Final = 13
_HEARTS: Final = 2
_QUEEN: Final = _NUMBER[QUEEN]
_WORTH: Final = tuple(worth(face) for face in PACK)

Cards = set[int]
"""Cards by their numbers in the pack: clubs, diamonds, hearts, spades, each from 2 to ace."""


class Measure:
    """Follows one table, and measures the leads of its players."""

    ALLOWANCE: ClassVar[float] = 0.04
    PAIR_ALLOWANCE: ClassVar[float] = 0.1

    def __init__(self) -> None:
        self._hands: dict[int, Cards] = {}
        self._shown: dict[int, Cards] = {}
        self._voids: set[tuple[int, int]] = set()
        self._passed: dict[int, Cards] = {}

    def _forget(self) -> None:
        self._hands, self._shown, self._voids, self._passed = {}, {}, set(), {}

    def follow(self, after: State, event: Event, viewpoint: Viewpoint) -> None:
        """Remember the hands, and what everybody has seen of them, after *event*."""
        match event:
            case HandDealt() | events.HandFinished():
                self._forget()
            case events.BidsOpened():
                self._shown = {bid.seat: {_NUMBER[bid.shown]} for bid in event.bids}
            case events.PlayBegun():
                self._begin(after, viewpoint)
            case events.CardPlayed() if self._hands:
                led, card = _NUMBER[after.trick[0].card] // _RANKS, _NUMBER[event.card]
                self._hands[event.seat].discard(card)
                if card // _RANKS != led:
                    self._voids.add((event.seat, led))
            case _:
                pass

    def _begin(self, state: State, viewpoint: Viewpoint) -> None:
        self._hands = {seat: {_NUMBER[card] for card in hand_of(state, seat, viewpoint)} for seat in state.players}
        for seat, card in state.gained.items():
            self._shown.setdefault(seat, set()).add(_NUMBER[card])
        if state.has_passed:
            self._passed = {seat: {_NUMBER[card] for card in passed_by(seat, viewpoint)} for seat in state.players}

    def choices(self, before: State, event: Any, _viewpoint: Viewpoint, dice: Random) -> Iterator[Choice]:  # noqa: ANN401 -- each event has its own class
        """Yield the choice that *event* records, if it is a lead that a player chose after the first two tricks."""
        is_lead = isinstance(event, events.CardPlayed) and not event.called and not before.trick
        if not is_lead or not self._hands or sum(before.tricks.values()) < _FIRST_TRICK:
            return
        mine = [PACK[card] for card in sorted(self._hands[event.seat])]
        cards = [_NUMBER[card] for card in legal(before, mine)]
        followers = before.to_play[1:]
        true = [_value(card, [self._hands[seat] for seat in followers]) for card in cards]
        worlds: list[World] = [
            (1.0, [_value(card, hands) for card in cards]) for hands in self._deals(before, event.seat, dice)
        ]
        when = sum(before.tricks.values()) // _LIKE
        kinds = tuple(f"{when} {card // _RANKS} {card % _RANKS // _LIKE}" for card in cards)
        found = choice(event.seat, cards.index(_NUMBER[event.card]), true, worlds, kinds=kinds)
        if found:
            yield found

    def flows(self, before: State, event: Event) -> Iterator[Flow]:
        """Yield the points of each card in a trick, from the player of the card to the taker of the trick."""
        if isinstance(event, events.TrickTaken):
            for played in before.trick:
                if played.seat != event.seat and (points := worth(played.card)):
                    yield played.seat, event.seat, points

    def _deals(self, state: State, seat: int, dice: Random) -> Iterator[list[Cards]]:
        """Yield possible hands of the others, in the order of play; they agree with what the leader in *seat* saw."""
        known = {other: self._hands[other] & self._shown.get(other, set()) for other in state.to_play[1:]}
        if self._passed:
            to = receiver(state, seat)
            known[to] |= self._hands[to] & self._passed[seat]
        hidden = {other: sorted(self._hands[other] - cards) for other, cards in known.items()}
        voids = {void for void in self._voids if void[0] != seat}
        for deal in _redealt(hidden, voids, dice):
            yield [cards.union(deal[other]) for other, cards in known.items()]


def _redealt(
    hidden: Mapping[int, Sequence[int]], voids: set[tuple[int, int]], dice: Random
) -> Iterator[Mapping[int, Sequence[int]]]:
    """Yield deals of the *hidden* cards: each seat has as many cards as in *hidden*, and none of a suit that it lacks.

    The deals and the true deal are exchangeable: random exchanges lead from the true deal to a middle deal, and from
    the middle deal to each yielded deal, and an exchange is as likely as its reverse (Besag and Clifford). If no seat
    lacks a suit, a shuffle is enough.
    """
    owners = [seat for seat, cards in hidden.items() for _ in cards]
    cards = [card for held in hidden.values() for card in held]
    if voids:
        _exchange(cards, owners, voids, dice)
    for _ in range(_WORLDS):
        dealt = cards.copy()
        if voids:
            _exchange(dealt, owners, voids, dice)
        else:
            dice.shuffle(dealt)
        hands: dict[int, list[int]] = {seat: [] for seat in hidden}
        for owner, card in zip(owners, dealt, strict=True):
            hands[owner].append(card)
        yield hands


def _exchange(cards: list[int], owners: Sequence[int], voids: set[tuple[int, int]], dice: Random) -> None:
    count = len(cards)
    for _ in range(2 * count):
        one, other = int(dice.random() * count), int(dice.random() * count)
        first, second = cards[one], cards[other]
        if (owners[other], first // _RANKS) not in voids and (owners[one], second // _RANKS) not in voids:
            cards[one], cards[other] = second, first


def _value(card: int, hands: Iterable[Cards]) -> float:
    """Return -1 if the player who leads *card* takes points when all others play to harm this player most; else 0.

    A follower who has cards of the suit below *card* plays one of them, if possible the queen of spades; a follower who
    has only higher cards of the suit takes the trick. A follower without the suit discards a card with points, if there
    is one.
    """
    suit, has_points = card // _RANKS, bool(_WORTH[card])
    for hand in hands:
        of_suit = [one for one in hand if one // _RANKS == suit]
        if of_suit:
            below = [one for one in of_suit if one < card]
            if not below:
                return 0.0
            has_points = has_points or suit == _HEARTS or _QUEEN in below
        else:
            has_points = has_points or any(_WORTH[one] for one in hand)
    return -float(has_points)
