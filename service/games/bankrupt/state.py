"""What is remembered of a table of Bankrupt, and what follows from it: who is in, who is next."""

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from service.cards import Face
from service.games.bankrupt.options import Options
from service.games.table_state import TableState, balance_of, clockwise
from service.ledger import ante, stack

ANTE = 9


class Phase(Enum):
    """Where a table of Bankrupt stands."""

    SEATING = "seating"
    BETWEEN_ROUNDS = "between_rounds"
    DECIDING = "deciding"
    UPPING = "upping"
    OVER = "over"


class Offer(Struct, frozen=True):
    """An offer to up the ante that is being answered: who answered, and who of them accepted."""

    seat: int
    chips: int
    answered: tuple[int, ...] = ()
    accepted: tuple[int, ...] = ()


class State(TableState, frozen=True, kw_only=True):
    """A table of Bankrupt."""

    options: Options = Options()
    phase: Phase = Phase.SEATING
    out: frozenset[int] = frozenset()
    """Seats whose players are bankrupt or resigned."""
    dealer: int = 0
    """Who deals this round, or the next one between rounds; 0: not drawn yet."""
    deck: tuple[int, ...] = ()
    """Positions in the deck from the top as they lie now."""
    upturned: int = -1
    """The position of the card that lies face up in the deck; -1: none does."""
    upturned_in_view: bool = False
    """Nothing has left the deck since the upturned card was shown to all (B7.4)."""
    cards: Mapping[int, tuple[int, ...]] = {}
    """Deck positions of each seat's cards, in the order dealt, until the next deal; -1: being replaced."""
    discards: Mapping[int, int] = {}
    decided: tuple[int, ...] = ()
    thrown_in: tuple[int, ...] = ()
    throw_ins_in_a_row: Mapping[int, int] = {}
    heaps: Mapping[int, tuple[int, ...]] = {}
    """What each ante of a dead streak still holds, by seat, the newest last."""
    antes_placed: Mapping[int, int] = {}
    """This round's ante of each seat as it was placed."""
    dead_rounds: int = 0
    """Dead rounds in a row before this round."""
    last_legs: tuple[int, ...] = ()
    had_the_right: int = 0
    """Who last had the right to offer in this round; 0: nobody yet."""
    upping_is_over: bool = False
    offer: Offer | None = None
    involved: frozenset[int] = frozenset()
    """Who made an offer or an acceptance in this round (B12.7)."""
    shown: Mapping[int, Face] = {}
    """Faces that everybody may see, by position: of this round, or of the last one between rounds."""
    exposed: int = -1
    """The upturned card once it has been exposed, until the deck is shuffled; -1: not."""


def alive(state: State) -> tuple[int, ...]:
    """List the seats still in the game."""
    if not state.out:
        return tuple(state.players)
    return tuple([seat for seat in state.players if seat not in state.out])


def order(state: State) -> tuple[int, ...]:
    """List the seats still in the game from the dealer's left, the dealer last (G.5)."""
    return clockwise(alive(state), state.dealer)


def in_round(state: State) -> tuple[int, ...]:
    """List the seats that have not thrown in, from the dealer's left."""
    if not state.thrown_in:
        return order(state)
    return tuple([seat for seat in order(state) if seat not in state.thrown_in])


def has_stack(state: State, seat: int) -> bool:
    """Tell whether *seat* holds anything outside the zones of the table."""
    return state.balances.get(stack(seat), 0) > 0


def pieces(state: State, seat: int) -> int:
    """Return what *seat* has in stack and antes together."""
    return balance_of(state, stack(seat)) + balance_of(state, ante(seat))


def to_decide(state: State) -> int:
    """Return who decides next on their cards (B11.1); 0: nobody."""
    for seat in order(state):
        if seat not in state.decided:
            return seat
    return 0


def to_offer(state: State) -> int:
    """Return who has the right to offer now (B12.1, B12.2, B12.6); 0: nobody, the upping is over."""
    if state.upping_is_over:
        return 0
    walk = in_round(state)
    left = walk[walk.index(state.had_the_right) + 1 :] if state.had_the_right else walk
    able = [seat for seat in left if has_stack(state, seat)]
    return able[0] if len(able) > 1 else 0


def to_answer(state: State) -> int:
    """Return who answers the offer next (B12.1, B12.6); 0: nobody."""
    offer = state.offer
    if offer is None:
        return 0
    walk = in_round(state)
    after = walk[walk.index(offer.seat) + 1 :]
    for seat in after:
        if seat not in offer.answered and has_stack(state, seat):
            return seat
    return 0


def due_seat(state: State) -> int:
    """Return whose decision is awaited; 0: no player's."""
    match state.phase:
        case Phase.BETWEEN_ROUNDS:
            return state.dealer
        case Phase.DECIDING:
            return to_decide(state)
        case Phase.UPPING:
            return to_answer(state) or to_offer(state)
        case Phase.SEATING | Phase.OVER:
            return 0


def due(state: State) -> tuple[str, ...]:
    """Name whose decision is awaited: a player's, the host's, or nobody's."""
    if state.status == "open":
        return ("host",)
    seat = due_seat(state)
    return (f"seat:{seat}",) if seat else ()


def offer_cap(state: State) -> int:
    """Return the most that may be offered: six, and every stack in the round that is not empty (B12.5)."""
    stacks = [balance_of(state, stack(seat)) for seat in in_round(state)]
    return min([6, *(chips for chips in stacks if chips)])
