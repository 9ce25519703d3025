"""What is remembered of a table of Insurance, and what follows from it: who banks, who bets, who is next."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from service.cards import Face
from service.games.game import MOST_CHIPS
from service.games.insurance.options import LEAST_BET, SEATS, Options
from service.games.table_state import TableState, balance_of, clockwise
from service.ledger import HOUSE, bet, stack

ABLE_LEAST = 2


class Phase(Enum):
    """Where a table of Insurance stands."""

    SEATING = "seating"
    BETTING = "betting"
    OFFERING = "offering"
    ACCEPTING = "accepting"
    OVER = "over"


class Bounds(NamedTuple):
    """The least and the most that may be laid down."""

    least: int
    most: int


class State(TableState, frozen=True, kw_only=True):
    """A table of Insurance."""

    options: Options = Options()
    phase: Phase = Phase.SEATING
    out: frozenset[int] = frozenset()
    """Seats that were knocked out."""
    banker: int = 0
    """Who banks in the hand that is played; 0: none is."""
    last_banker: int = 0
    """Who was the banker of the last hand; 0: there was none."""
    playing: tuple[int, ...] = ()
    """Seats in the hand that is played, the banker's among them, ascending."""
    sitting_out: frozenset[int] = frozenset()
    """Seats that said so, for this hand or the next one."""
    deck: tuple[int, ...] = ()
    """Positions that were not dealt yet, from the top."""
    cards: Mapping[int, int] = {}
    """The deck position of each seat's card, until the next hand begins."""
    shown: Mapping[int, Face] = {}
    """Faces that lie on the table, by position."""
    to_offer: tuple[int, ...] = ()
    """Seats that must offer in this hand and have not yet, from the banker's left."""
    to_answer: tuple[int, ...] = ()
    """Seats whose offer lies in its zone, in the order of the offers."""

    @property
    def is_gambling(self) -> bool:
        """Whether players buy chips and leave between hands."""
        return self.options.form == "gambling"


def able(state: State) -> tuple[int, ...]:
    """List the seats that could play the next hand (I-BET.2, I-BET.3)."""
    if not state.is_gambling:
        return tuple(seat for seat in state.players if seat not in state.out)
    return tuple(
        seat for seat in state.players if seat not in state.sitting_out and balance_of(state, stack(seat)) >= LEAST_BET
    )


def banker_to_be(state: State) -> int:
    """Return who banks in this hand, or, until its first bet, would in the next; 0: nobody could (I-END.2)."""
    if state.banker:
        return state.banker
    candidates = able(state)
    if not candidates:
        return 0
    if state.last_banker:
        return clockwise(candidates, state.last_banker)[0]
    first = state.options.first_banker
    return first if first in candidates else clockwise(candidates, first)[0]


def bettors(state: State) -> tuple[int, ...]:
    """List who bets in this hand, or could in the next, from the banker's left (G.5)."""
    seats = state.playing if state.hand_is_running else able(state)
    banker = banker_to_be(state)
    return tuple(seat for seat in clockwise(seats, banker) if seat != banker)


def to_bet(state: State) -> tuple[int, ...]:
    """List whose bet is awaited, from the banker's left; nobody's where fewer than two could play (I-BET.2)."""
    if state.phase is not Phase.BETTING:
        return ()
    if not state.hand_is_running and len(able(state)) < ABLE_LEAST:
        return ()
    return tuple(seat for seat in bettors(state) if not balance_of(state, bet(seat)))


def may_be_called(state: State) -> bool:
    """Tell whether there is a decision for which time may be called (G.3, G.4)."""
    return state.hand_is_running or (not state.is_gambling and bool(to_bet(state)))


def may_sit_down(state: State) -> bool:
    """Tell whether somebody may sit down at a game under way: between the hands of the gambling game (I-BET.2)."""
    return state.is_gambling and not state.hand_is_running


def standard_bet(state: State) -> int:
    """Return what everyone bets now; 0: what they like (I-BET.3)."""
    bets = state.options.standard_bets
    return bets[min(len(state.out), len(bets) - 1)] if bets else 0


def bet_bounds(state: State, seat: int) -> Bounds:
    """Return what *seat* may bet (I-BET.1, I-BET.3)."""
    held = balance_of(state, stack(seat))
    standard = standard_bet(state)
    least = min(standard or LEAST_BET, held) if not state.is_gambling else LEAST_BET
    return Bounds(least, least if standard else held)


def most_to_sell(state: State, seat: int = 0) -> int:
    """Return how many chips *seat* (0: somebody new) may buy now; 0: none.

    All that a table holds may come to lie in one stack, or one bet; and nobody buys up what others could buy.
    """
    share = MOST_CHIPS // SEATS.most - (balance_of(state, stack(seat)) if seat else 0)
    return max(0, min(share, MOST_CHIPS + balance_of(state, HOUSE)))


def due(state: State) -> tuple[str, ...]:
    """Name whose decisions are awaited; several may come in any order."""
    if state.status == "open":
        return ("host",)
    match state.phase:
        case Phase.BETTING:
            seats = to_bet(state) or ((state.banker,) if state.banker else ())
        case Phase.OFFERING:
            seats = state.to_offer
        case Phase.ACCEPTING:
            seats = (state.banker,)
        case Phase.SEATING | Phase.OVER:
            seats = ()
    return tuple(f"seat:{seat}" for seat in seats)
