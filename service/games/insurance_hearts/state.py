"""What is remembered of a table of Insurance Hearts, and what follows from it: where cards go, and who is due."""

# Of hands that is only where the cards came from: no face is remembered that did not lie open.

from collections.abc import Mapping
from enum import Enum
from typing import Final, Literal, NamedTuple, TypeAlias

from service.cards import PACK, Face
from service.games.game import HOST, seat_actor
from service.games.insurance_hearts.options import Options
from service.games.table_state import TableState, clockwise

Direction: TypeAlias = Literal["left", "right", "across", "none"]

TRICKS: Final = 13
ON_TABLE: Final = range(len(PACK) - 4, len(PACK))
"""The positions of the four cards of the auction (H-DEAL.1)."""
DIRECTIONS: Final[tuple[Direction, ...]] = ("left", "right", "across", "none")
"""Where cards go in the first four hands, and again (H-PASS.1)."""


_STEPS: Final[Mapping[Direction, int]] = {"left": 0, "across": 1, "right": 2, "none": 3}
"""How many seats lie between giver and receiver."""


class Phase(Enum):
    """Where a table of Insurance Hearts stands."""

    SEATING = "seating"
    BETWEEN_HANDS = "between_hands"
    SLIPS = "slips"
    PASSING = "passing"
    BIDDING = "bidding"
    CHOOSING = "choosing"
    PLAYING = "playing"
    OVER = "over"


class CommandResult(NamedTuple):
    """That *seat* played *card*."""

    seat: int
    card: Face


class State(TableState, frozen=True, kw_only=True):
    """A table of Insurance Hearts. What is said of a hand is said until the next one begins."""

    options: Options = Options()
    phase: Phase = Phase.SEATING
    dealer: int = 0
    """Who deals this hand, or the next one; 0: nobody was drawn yet."""
    feet_used: frozenset[int] = frozenset()
    """Seats that have called their one foot."""
    dealt: Mapping[int, tuple[int, ...]] = {}
    """The positions of the cards that were dealt to each seat, while the hand is played."""
    on_table: tuple[int, ...] = ()
    """The positions of the four cards of the auction, once they lie open, while the hand is played."""
    slips_in: tuple[int, ...] = ()
    passes_in: tuple[int, ...] = ()
    has_passed: bool = False
    """The cards went to those whom they were passed to."""
    auction: tuple[Face, ...] = ()
    bids_in: tuple[int, ...] = ()
    bids: Mapping[int, int] = {}
    """What seats bought a card for."""
    gained: Mapping[int, Face] = {}
    """Which of the four a seat got."""
    left: tuple[Face, ...] = ()
    """Those of the four that nobody has yet."""
    choosing: tuple[int, ...] = ()
    """Seats that get what is left, in their order."""
    turn: int = 0
    """Who plays the next card; 0: nobody."""
    trick: tuple[CommandResult, ...] = ()
    last_trick: tuple[CommandResult, ...] = ()
    tricks: Mapping[int, int] = {}
    taken: Mapping[int, tuple[Face, ...]] = {}
    """The cards that are worth points, by who took them."""
    played: Mapping[int, tuple[Face, ...]] = {}
    """The cards that each seat has played."""
    hearts_are_broken: bool = False


def direction(hand: int) -> Direction:
    """Return where cards go in a hand, by its number; those that were called off count (H-PASS.1, IH.3)."""
    return DIRECTIONS[(hand - 1) % len(DIRECTIONS)]


def receiver(state: State, giver: int) -> int:
    """Return who gets the cards that *giver* passes in this hand (H-PASS.1)."""
    return clockwise(tuple(state.players), giver)[_STEPS[direction(state.hand)]]


def giver(state: State, to: int) -> int:
    """Return who passes cards to the seat *to* in this hand."""
    return clockwise(tuple(state.players), to)[::-1][_STEPS[direction(state.hand)] + 1]


def awaited(state: State) -> tuple[int, ...]:
    """List the seats whose decision is awaited, from the dealer's left (G.5)."""
    match state.phase:
        case Phase.BETWEEN_HANDS:
            return (state.dealer,) if state.dealer and not state.hand_is_running else ()
        case Phase.SLIPS:
            return _without(state, state.slips_in)
        case Phase.PASSING:
            return _without(state, state.passes_in)
        case Phase.BIDDING:
            return _without(state, state.bids_in)
        case Phase.CHOOSING:
            return state.choosing[:1]
        case Phase.PLAYING:
            return (state.turn,) if state.turn else ()
        case Phase.SEATING | Phase.OVER:
            return ()


def due(state: State) -> tuple[str, ...]:
    """Name whose decisions are awaited; several may come in any order."""
    if state.status == "open":
        return (HOST,)
    return tuple(map(seat_actor, awaited(state)))


def _without(state: State, done: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(seat for seat in clockwise(tuple(state.players), state.dealer) if seat not in done)
