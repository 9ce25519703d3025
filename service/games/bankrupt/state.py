"""The state of a table of Bankrupt, and queries on the state: who is in the game, and whose turn it is."""

from collections.abc import Mapping
from enum import Enum
from typing import ClassVar

from msgspec import Struct

from service.cards import Face
from service.games.bankrupt.accounts import ante
from service.games.bankrupt.options import Options
from service.games.table_state import TableState, balance_of, clockwise
from service.ledger import stack

ANTE = 9


class Phase(Enum):
    """The phase of a table of Bankrupt."""

    SEATING = "seating"
    BETWEEN_ROUNDS = "between_rounds"
    DECIDING = "deciding"
    UPPING = "upping"
    OVER = "over"


class Offer(Struct, frozen=True):
    """An open offer to up the ante; *answered* lists the seats that answered, *accepted* the seats that accepted."""

    seat: int
    chips: int
    answered: tuple[int, ...] = ()
    accepted: tuple[int, ...] = ()


class State(TableState, frozen=True, kw_only=True):
    """The state of a table of Bankrupt."""

    DECKS_OF_BATCH: ClassVar[int] = 2
    DECKS_OF_START: ClassVar[int] = 2
    """The draw for the dealer needs a deck, and a second deck after many ties."""

    options: Options = Options()
    phase: Phase = Phase.SEATING
    out: frozenset[int] = frozenset()
    """Seats whose players are bankrupt or have resigned."""
    dealer: int = 0
    """The dealer of this round or, between rounds, of the next round; 0: not drawn yet, or there is no next round."""
    deck: tuple[int, ...] = ()
    """The cards that are in the deck now, from the top: for each card, its position in the shuffled deck."""
    upturned: int = -1
    """The position of the card that is face up in the deck; -1: no card is face up."""
    upturned_in_view: bool = False
    """Whether the upturned card is in view: from the ritual until a card leaves the deck (B7.4)."""
    cards: Mapping[int, tuple[int, ...]] = {}
    """Deck positions of each seat's cards, in the order dealt; -1: the card is being replaced.

    A seat's cards and discards stay until the next deal, or until the deck is retired.
    """
    discards: Mapping[int, int] = {}
    decided: tuple[int, ...] = ()
    thrown_in: Mapping[int, int] = {}
    """For each seat that threw in this round: the number of rounds in a row in which the seat has thrown in (B11.3)."""
    throw_ins_in_a_row: Mapping[int, int] = {}
    """`thrown_in` of the previous round."""
    heaps: Mapping[int, tuple[int, ...]] = {}
    """The pieces in each ante heap, by seat, the newest heap last; each round of a dead streak adds a heap."""
    antes_placed: Mapping[int, int] = {}
    """The pieces that each seat placed as this round's ante."""
    dead_rounds: int = 0
    """The number of dead rounds in a row until now."""
    last_legs: tuple[int, ...] = ()
    had_the_right: int = 0
    """The seat that last had the right to offer in this round; 0: no seat yet."""
    upping_is_over: bool = False
    offer: Offer | None = None
    involved: frozenset[int] = frozenset()
    """Seats that made or accepted an offer in this round (B12.7)."""
    shown: Mapping[int, Face] = {}
    """Faces that everybody may see, by position: the faces of this round or, between rounds, of the last round.

    These faces are removed when the deck is retired.
    """
    exposed: int = -1
    """The position of the exposed upturned card (B7.3), until the deck is retired; -1: the card is not exposed."""

    @property
    def seats_in_game(self) -> tuple[int, ...]:
        """See `TableState`."""
        return alive(self)

    @property
    def turns_after(self) -> int:
        """See `TableState`: the dealer's seat."""
        return self.dealer

    @property
    def awaits_shuffle(self) -> bool:
        """See `TableState`: the draw for the dealer, or the ritual, is still to come (B5.1, B7.0)."""
        return not self.hand_is_running and not (self.dealer and self.deck)


def alive(state: State) -> tuple[int, ...]:
    """List the seats still in the game."""
    if not state.out:
        return tuple(state.players)
    return tuple([seat for seat in state.players if seat not in state.out])


def order(state: State) -> tuple[int, ...]:
    """List the seats still in the game from the dealer's left, the dealer last (G.5)."""
    return clockwise(alive(state), state.dealer)


def in_round(state: State) -> tuple[int, ...]:
    """List the seats still in the game whose players have not thrown in, from the dealer's left."""
    if not state.thrown_in:
        return order(state)
    return tuple([seat for seat in order(state) if seat not in state.thrown_in])


def has_stack(state: State, seat: int) -> bool:
    """Return whether *seat* has any pieces in its stack."""
    return state.balances.get(stack(seat), 0) > 0


def pieces(state: State, seat: int) -> int:
    """Return the pieces of *seat* in its stack and its ante together."""
    return balance_of(state, stack(seat)) + balance_of(state, ante(seat))


def from_heaps(state: State, seat: int, amount: int) -> tuple[int, ...]:
    """List how many pieces of *amount* each ante heap of *seat* pays, the newest heap first (B11.2, B17.1).

    The result ends with the last heap that pays, and is empty if *amount* is 0.
    """
    paid: list[int] = []
    for heap in reversed(state.heaps[seat]):
        if sum(paid) == amount:
            break
        paid.append(min(heap, amount - sum(paid)))
    return tuple(paid)


def all_will_have_decided(state: State) -> bool:
    """Return whether every player in the game will have decided after the next decision on cards (B11.1)."""
    return len(state.decided) + 1 == len(alive(state))


def to_decide(state: State) -> int:
    """Return the seat that decides next on its cards, or 0 if no seat does (B11.1)."""
    for seat in order(state):
        if seat not in state.decided:
            return seat
    return 0


def to_offer(state: State) -> int:
    """Return the seat that has the right to offer now, or 0 if no seat has the right (B12.1, B12.2, B12.6)."""
    if state.upping_is_over:
        return 0
    seats = in_round(state)
    if state.had_the_right and state.had_the_right not in seats:
        return 0  # The showdown has made this player bankrupt; the event that ends the round follows.
    candidates = seats[seats.index(state.had_the_right) + 1 :] if state.had_the_right else seats
    able = [seat for seat in candidates if has_stack(state, seat)]
    return able[0] if len(able) > 1 else 0


def to_answer(state: State) -> int:
    """Return the seat that answers the offer next, or 0 if no seat does (B12.1, B12.6)."""
    offer = state.offer
    if offer is None:
        return 0
    seats = in_round(state)
    for seat in seats[seats.index(offer.seat) + 1 :]:
        if seat not in offer.answered and has_stack(state, seat):
            return seat
    return 0


def due_seat(state: State) -> int:
    """Return the seat whose decision is due, or 0 if no seat's decision is due."""
    match state.phase:
        case Phase.BETWEEN_ROUNDS:
            return state.dealer
        case Phase.DECIDING:
            return to_decide(state)
        case Phase.UPPING:
            return to_answer(state) or to_offer(state)
        case Phase.SEATING | Phase.OVER:
            return 0


def due_seats(state: State) -> tuple[int, ...]:
    """Return the seat whose decision is due; the result is empty if no seat's decision is due."""
    seat = due_seat(state)
    return (seat,) if seat else ()


def offer_cap(state: State) -> int:
    """Return the maximum offer in pieces: six or, if smaller, the smallest non-empty stack in the round (B12.5)."""
    stacks = [balance_of(state, stack(seat)) for seat in in_round(state)]
    return min([6, *(chips for chips in stacks if chips)])
