"""What a choice in Bankrupt was worth in hindsight: against the cards that the others held at that moment."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any, ClassVar, Final

from service.cards import PACK, RANKS, rank
from service.games.bankrupt import events, showdown
from service.games.bankrupt.accounts import CENTRE
from service.games.bankrupt.card_choices import may_throw_in
from service.games.bankrupt.showdown import Hand
from service.games.bankrupt.state import State, in_round, offer_cap
from service.games.common_events import CardsDealt, CardsShown, DeckFixed
from service.games.game import Event, Viewpoint
from service.ledger import account_seat
from service.player_statistics.flow import Flow
from service.player_statistics.hindsight import Choice, World, choice

_WORLDS: Final = 8
"""How many orders of the hidden cards a choice is compared with."""
_MOST_TOLD_APART: Final = 2
"""Situations differ by how many other players have decided or put pieces in; larger numbers count as this number."""
_THROWN_IN: Final = -0.25
"""The value of throwing in, which costs 1 piece; a lost showdown costs about 4 pieces on average, and counts as -1."""
_PAIRS: Final = (6, 10, 13)
"""The ranks at which the second, third and fourth kind of pairs begin."""
_LEAST_HIGH: Final = 9
_TELL_SECOND: Final = 12
"""If a hand's high card has at least this rank, its kind says whether the low card has at least _LEAST_SECOND."""
_LEAST_SECOND: Final = 9
_ON_CARDS: Final = (events.CardsHeld, events.CardExchanged, events.HandThrownIn)
_OFFERS: Final = (events.UppingOffered, events.UppingPassed)
_ANSWERS: Final = (events.UppingAccepted, events.UppingDeclined)

Ranks = tuple[int, int]
"""The ranks of two cards, in any order."""


class Measure:
    """Follows one table, and measures the choices of its players."""

    ALLOWANCE: ClassVar[float] = 0.04
    PAIR_ALLOWANCE: ClassVar[float] = 0.2

    def __init__(self) -> None:
        self._public: set[int] = set()
        self._own: dict[int, set[int]] = {}
        self._in_centre: dict[int, float] = {}

    def follow(self, after: State, event: Event, _viewpoint: Viewpoint) -> None:
        """Remember which cards of the deck in play each seat has seen after *event*."""
        match event:
            case DeckFixed():
                self._public, self._own = set(), {}
            case CardsDealt() if after.hand_is_running:
                for position, to in event.cards:
                    if isinstance(to, int):
                        self._own.setdefault(to, set()).add(position)
            case CardsShown():
                self._public.update(card.pos for card in event.cards)
            case events.CardUpturned() | events.UpturnedExposed():
                self._public.add(event.pos)
            case _:
                pass

    def choices(self, before: State, event: Any, viewpoint: Viewpoint, dice: Random) -> Iterator[Choice]:  # noqa: ANN401 -- each event has its own class
        """Yield the choice that *event* records, if a player (not the service) made a choice about cards or pieces."""
        is_choice = isinstance(event, (*_ON_CARDS, *_OFFERS, *_ANSWERS)) and not getattr(event, "called", "")
        if not is_choice or not before.deck or len(in_round(before)) < 2:  # noqa: PLR2004 -- a player and another
            return
        faces = [rank(face) for face in viewpoint.faces(range(len(PACK)))]
        hidden = _Hidden(before, event.seat, faces, self._public | self._own.get(event.seat, set()))
        found = _on_cards(hidden, event, dice) if isinstance(event, _ON_CARDS) else _on_pieces(hidden, event, dice)
        if found:
            yield found

    def flows(self, _before: State, event: Event) -> Iterator[Flow]:
        """Yield the pieces that one player got from another.

        Pieces from the centre count as given by all who put pieces in, in proportion to what each of them put in.
        """
        for transfer in event.transfers:
            source, target = account_seat(transfer.source), account_seat(transfer.target)
            if transfer.target == CENTRE:
                self._in_centre[source] = self._in_centre.get(source, 0.0) + transfer.amount
            elif transfer.source == CENTRE:
                yield from self._from_centre(target, transfer.amount)
            elif source != target and source and target:
                yield source, target, transfer.amount

    def _from_centre(self, target: int, amount: int) -> Iterator[Flow]:
        total = sum(self._in_centre.values()) or 1.0
        for source, put in tuple(self._in_centre.items()):
            share = amount * put / total
            self._in_centre[source] = put - share
            if share and source != target:
                yield source, target, share


class _Hidden:
    """The others' cards and the top card of the deck; the player in *seat* may have seen some of these cards."""

    def __init__(self, state: State, seat: int, faces: Sequence[int], seen: set[int]) -> None:
        self.state, self.seat, self._faces = state, seat, faces
        self.others = tuple(other for other in in_round(state) if other != seat)
        self._places = [*(position for other in self.others for position in state.cards[other]), state.deck[0]]
        self._unseen = [index for index, position in enumerate(self._places) if position not in seen]
        self._pool = [value for position, value in enumerate(faces) if position not in seen]
        self.own: Ranks = (faces[state.cards[seat][0]], faces[state.cards[seat][1]])

    def true(self) -> list[int]:
        """Return the ranks of the hidden cards: two for each of the others, then the top card of the deck."""
        return [self._faces[position] for position in self._places]

    def worlds(self, dice: Random) -> Iterator[list[int]]:
        """Yield lists of the form that `true` returns.

        In each list, the cards that the player has not seen are drawn at random from all such cards.
        """
        found = self.true()
        for _ in range(_WORLDS):
            for index, value in zip(self._unseen, dice.sample(self._pool, len(self._unseen)), strict=True):
                found[index] = value
            yield found


def _on_cards(hidden: _Hidden, event: Any, dice: Random) -> Choice | None:  # noqa: ANN401 -- one of _ON_CARDS
    """Compare hold, exchange and throw in by whether the hand would then beat the others' hands (Rules 9 to 11)."""
    state, seat = hidden.state, hidden.seat
    low = 0 if hidden.own[0] <= hidden.own[1] else 1
    lowest, highest = hidden.own[low], hidden.own[1 - low]
    chosen = 0
    if isinstance(event, events.HandThrownIn):
        chosen = 3
    elif isinstance(event, events.CardExchanged):
        chosen = 1 if event.card - 1 == low else 2
    thrown_in = [_THROWN_IN] * may_throw_in(state, seat)

    def values(cards: Sequence[int]) -> list[float]:
        *others, top = cards
        hands = (hidden.own, (highest, top), (lowest, top))
        return [*[float(_outcome(hand, others)) for hand in hands], *thrown_in]

    worlds: list[World] = [(1.0, values(world)) for world in hidden.worlds(dice)]
    situation = f"cards {len(thrown_in)} {min(_MOST_TOLD_APART, len(state.decided))} {_kind(hidden.own)}"
    return choice(seat, chosen, values(hidden.true()), worlds, situation=situation)


def _on_pieces(hidden: _Hidden, event: Any, dice: Random) -> Choice | None:  # noqa: ANN401 -- one of _OFFERS or _ANSWERS
    """Compare offers and answers by whether the player wins the showdown; no offer changes that (Rules 12 to 14)."""
    state, seat = hidden.state, hidden.seat
    is_offer = isinstance(event, _OFFERS)
    shares = (0.0, 0.5, 1.0) if is_offer else (0.0, 1.0)
    chosen = 0
    if isinstance(event, events.UppingOffered):
        chosen = 2 if 2 * event.chips > offer_cap(state) else 1
    elif isinstance(event, events.UppingAccepted):
        chosen = 1

    def values(cards: Sequence[int]) -> list[float]:
        outcome = _outcome(hidden.own, cards[:-1])
        return [share * outcome for share in shares]

    worlds: list[World] = [(1.0, values(world)) for world in hidden.worlds(dice)]
    involved = min(_MOST_TOLD_APART, len(state.involved - {seat}))
    situation = f"{'offer' if is_offer else 'answer'} {len(hidden.others)} {involved} {_kind(hidden.own)}"
    return choice(seat, chosen, values(hidden.true()), worlds, situation=situation)


def _kind(own: Ranks) -> str:
    """Return the name of the kind of a hand: a player's choices with hands of the same kind are compared."""
    low, high = sorted(own)
    if low == high:
        return f"pair {sum(high >= least for least in _PAIRS)}"
    if high < _LEAST_HIGH:
        return "low"
    return f"{high} {low >= _LEAST_SECOND}" if high >= _TELL_SECOND else str(high)


def _outcome(own: Ranks, others: Sequence[int]) -> int:
    """Return 1 if *own* beats all other hands, -1 if another hand beats *own*, 0 if the round is dead (Rules 9, 10)."""
    mine = _strength(own)
    best = max(map(_strength, zip(others[::2], others[1::2], strict=True)))
    return (mine > best) - (mine < best)


@lru_cache(maxsize=1024)
def _hand(ranks: Ranks) -> Hand:
    first, second = (f"{RANKS[one - 2]}c" for one in ranks)
    return showdown.high_first(first, second)


@lru_cache(maxsize=1024)
def _strength(ranks: Ranks) -> tuple[bool, int, int]:
    return showdown.strength(_hand(ranks))
