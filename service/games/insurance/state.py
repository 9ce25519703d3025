"""The state of a table of Insurance, and queries on the state: the banker, the bettors, and whose turn it is."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from service.cards import Face
from service.games.game import MOST_CHIPS
from service.games.insurance.accounts import bet
from service.games.insurance.options import LEAST_BET, SEATS, Options
from service.games.table_state import TableState, balance_of, clockwise
from service.ledger import HOUSE, stack

ABLE_LEAST = 2


class Phase(Enum):
    """The phase of a table of Insurance."""

    SEATING = "seating"
    BETTING = "betting"
    OFFERING = "offering"
    ACCEPTING = "accepting"
    OVER = "over"


class Bounds(NamedTuple):
    """The minimum and the maximum number of chips of a bet."""

    least: int
    most: int


class State(TableState, frozen=True, kw_only=True):
    """The state of a table of Insurance."""

    options: Options = Options()
    phase: Phase = Phase.SEATING
    out: frozenset[int] = frozenset()
    """Seats that were knocked out."""
    banker: int = 0
    """The banker of the running hand; 0: no hand is running."""
    last_banker: int = 0
    """The banker of the last hand; 0: no hand was played yet."""
    playing: tuple[int, ...] = ()
    """Seats in the running hand, the banker included, ascending."""
    sitting_out: frozenset[int] = frozenset()
    """Seats that sit out this hand or, between hands, the next hand."""
    deck: tuple[int, ...] = ()
    """The positions of the undealt cards, from the top."""
    cards: Mapping[int, int] = {}
    """The deck position of each seat's card, until the next hand begins."""
    shown: Mapping[int, Face] = {}
    """Faces of the cards on the table, by position."""
    to_offer: tuple[int, ...] = ()
    """Seats that have yet to offer in this hand, from the banker's left."""
    to_answer: tuple[int, ...] = ()
    """Seats whose offer the banker has yet to answer, in the order of the offers."""

    @property
    def is_gambling(self) -> bool:
        """Whether the table plays the gambling game, in which players may buy chips and leave between hands."""
        return self.options.form == "gambling"

    @property
    def seats_in_game(self) -> tuple[int, ...]:
        """See `TableState`: also the seats that sit out or have too few chips, because they may play the next hand."""
        return tuple(seat for seat in self.players if seat not in self.out)

    @property
    def turns_after(self) -> int:
        """See `TableState`: the banker's seat."""
        return self.banker

    @property
    def awaits_shuffle(self) -> bool:
        """See `TableState`: every bet is placed, and the deck has fewer cards than the hand has players (I-END.1)."""
        is_time_to_deal = self.phase is Phase.BETTING and self.hand_is_running and not to_bet(self)
        return is_time_to_deal and len(self.deck) < len(self.playing)


def able(state: State) -> tuple[int, ...]:
    """List the seats that are able to play the next hand (I-BET.2, I-BET.3)."""
    if not state.is_gambling:
        return tuple(seat for seat in state.players if seat not in state.out)
    return tuple(
        seat for seat in state.players if seat not in state.sitting_out and balance_of(state, stack(seat)) >= LEAST_BET
    )


def banker_to_be(state: State) -> int:
    """Return the banker of the hand or, between hands, the next banker, or 0 if no seat can play (I-END.2)."""
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
    """List the seats that bet in this hand or, between hands, in the next hand, from the banker's left (G.5)."""
    seats = state.playing if state.hand_is_running else able(state)
    banker = banker_to_be(state)
    return tuple(seat for seat in clockwise(seats, banker) if seat != banker)


def to_bet(state: State) -> tuple[int, ...]:
    """List the seats whose bets are due, from the banker's left.

    No bet is due outside the betting phase. Between hands no bet is due if fewer than two seats are able to play
    (I-BET.2).
    """
    if state.phase is not Phase.BETTING:
        return ()
    if not state.hand_is_running and len(able(state)) < ABLE_LEAST:
        return ()
    return tuple(seat for seat in bettors(state) if not balance_of(state, bet(seat)))


def may_be_called(state: State) -> bool:
    """Return whether time may be called now (G.3, I-BET.4)."""
    return state.hand_is_running or (not state.is_gambling and bool(to_bet(state)))


def may_sit_down(state: State) -> bool:
    """Return whether players may take seats after the start: between hands of the gambling game (I-BET.2)."""
    return state.is_gambling and not state.hand_is_running


def standard_bet(state: State) -> int:
    """Return the present standard bet, or 0 if players choose their bets (I-BET.3)."""
    bets = state.options.standard_bets
    return bets[min(len(state.out), len(bets) - 1)] if bets else 0


def bet_bounds(state: State, seat: int) -> Bounds:
    """Return the bounds of the bet of *seat* (I-BET.1, I-BET.3)."""
    available = balance_of(state, stack(seat))
    standard = standard_bet(state)
    least = min(standard or LEAST_BET, available) if not state.is_gambling else LEAST_BET
    return Bounds(least, least if standard else available)


def most_to_sell(state: State, seat: int = 0) -> int:
    """Return the maximum number of chips that *seat* (0: a new player) may buy now.

    A stack or a bet has at most MOST_CHIPS chips, and all chips of a table may end up in one stack or one bet; so a
    table may have at most MOST_CHIPS chips. A purchase may raise a stack to at most MOST_CHIPS / 52 chips: a table has
    at most 52 seats, so there are enough chips for one such purchase at every seat.
    """
    share = MOST_CHIPS // SEATS.most - (balance_of(state, stack(seat)) if seat else 0)
    return max(0, min(share, MOST_CHIPS + balance_of(state, HOUSE)))


def due_seats(state: State) -> tuple[int, ...]:
    """List the seats whose decisions are due; the banker deals once every bet is placed (I-DEAL1.2)."""
    match state.phase:
        case Phase.BETTING:
            return to_bet(state) or ((state.banker,) if state.banker else ())
        case Phase.OFFERING:
            return state.to_offer
        case Phase.ACCEPTING:
            return (state.banker,)
        case Phase.SEATING | Phase.OVER:
            return ()
