"""The state of a table of Insurance Hearts, and queries on the state: who gets passed cards, and whose turn it is."""

# The state has the deck positions of dealt cards; the only faces in the state are public.

from collections.abc import Mapping
from enum import Enum
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from service.cards import PACK, Face
from service.games.insurance_hearts.options import Options
from service.games.table_state import TableState, clockwise

Direction: TypeAlias = Literal["left", "right", "across", "none"]

TRICKS: Final = 13
ON_TABLE: Final = range(len(PACK) - 4, len(PACK))
"""The positions of the four cards of the auction (H-DEAL.1)."""
DIRECTIONS: Final[tuple[Direction, ...]] = ("left", "right", "across", "none")
"""The direction of the pass in each of the first four hands; later hands repeat these four directions (H-PASS.1)."""

_STEPS: Final[Mapping[Direction, int]] = {"left": 0, "across": 1, "right": 2, "none": 3}
"""The number of seats between the giver and the receiver, clockwise; without a pass, the giver is the receiver."""


class Phase(Enum):
    """The phase of a table of Insurance Hearts."""

    SEATING = "seating"
    BETWEEN_HANDS = "between_hands"
    SLIPS = "slips"
    PASSING = "passing"
    BIDDING = "bidding"
    CHOOSING = "choosing"
    PLAYING = "playing"
    OVER = "over"


class PlayedCard(NamedTuple):
    """A *card* of a trick, and the *seat* that played it."""

    seat: int
    card: Face


class State(TableState, frozen=True, kw_only=True):
    """The state of a table of Insurance Hearts.

    Members that describe a hand keep their values until the next hand, except *dealt* and *on_table*.
    """

    DECKS_OF_BATCH: ClassVar[int] = 4
    DECKS_OF_START: ClassVar[int] = 2
    """The draw for the dealer needs a deck, and a second deck after many ties."""

    options: Options = Options()
    phase: Phase = Phase.SEATING
    dealer: int = 0
    """The dealer of this hand or, between hands, of the next hand; 0: the dealer is not drawn yet."""
    feet_used: frozenset[int] = frozenset()
    """Seats that have called their one foot."""
    dealt: Mapping[int, tuple[int, ...]] = {}
    """The positions of the cards dealt to each seat, until the deck is retired."""
    on_table: tuple[int, ...] = ()
    """The positions of the four cards of the auction, once they are turned up, until the deck is retired."""
    slips_in: tuple[int, ...] = ()
    passes_in: tuple[int, ...] = ()
    has_passed: bool = False
    """Whether the chosen cards have been passed."""
    auction: tuple[Face, ...] = ()
    bids_in: tuple[int, ...] = ()
    bids: Mapping[int, int] = {}
    """The points for which each seat bought a card; seats that bought no card are missing."""
    gained: Mapping[int, Face] = {}
    """The card of the auction that each seat has got."""
    left: tuple[Face, ...] = ()
    """The cards of the auction that no seat has yet."""
    choosing: tuple[int, ...] = ()
    """Seats that get a leftover, in the order of choice."""
    to_play: tuple[int, ...] = ()
    """Seats that have yet to play a card in this trick, in the order of play."""
    trick: tuple[PlayedCard, ...] = ()
    last_trick: tuple[PlayedCard, ...] = ()
    tricks: Mapping[int, int] = {}
    taken: Mapping[int, tuple[Face, ...]] = {}
    """The cards of the tricks that each seat has taken."""
    played: Mapping[int, tuple[Face, ...]] = {}
    """The cards that each seat has played."""
    hearts_are_broken: bool = False

    @property
    def turns_after(self) -> int:
        """See `TableState`: the dealer's seat."""
        return self.dealer

    @property
    def awaits_shuffle(self) -> bool:
        """See `TableState`: each hand, and the draw for the dealer, needs a deck of its own (H-DEAL.1)."""
        return self.phase is Phase.BETWEEN_HANDS and not self.hand_is_running


def direction(hand: int) -> Direction:
    """Return the direction of the pass in hand number *hand*; cancelled hands count as hands (H-PASS.1, IH.3)."""
    return DIRECTIONS[(hand - 1) % len(DIRECTIONS)]


def receiver(state: State, giver: int) -> int:
    """Return the seat that gets the cards that the seat *giver* passes in this hand (H-PASS.1)."""
    return clockwise(tuple(state.players), giver)[_STEPS[direction(state.hand)]]


def giver(state: State, to: int) -> int:
    """Return the seat that passes cards to the seat *to* in this hand."""
    return clockwise(tuple(state.players), to)[::-1][_STEPS[direction(state.hand)] + 1]


def awaited(state: State) -> tuple[int, ...]:
    """List the seats whose decisions are due, from the dealer's left (G.5)."""
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
            return state.to_play[:1]
        case Phase.SEATING | Phase.OVER:
            return ()


def _without(state: State, done: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(seat for seat in clockwise(tuple(state.players), state.dealer) if seat not in done)
