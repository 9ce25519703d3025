"""The view of a table of Insurance Hearts: the cards and sealed choices that the caller may see, and public facts."""

from collections.abc import Iterable, Mapping
from typing import Annotated, TypeVar

from msgspec import Meta, Struct, convert

from service.cards import UNKNOWN, Face
from service.games.game import CARD, Seat, Viewpoint, describe, describe_enum
from service.games.insurance_hearts.bids import Bid, sealed_bid
from service.games.insurance_hearts.commands import MOST_INSURANCE
from service.games.insurance_hearts.scoring import with_points
from service.games.insurance_hearts.seat_cards import hand_of, in_order
from service.games.insurance_hearts.state import TRICKS, Direction, Phase, PlayedCard, State, direction
from service.games.table_state import balance_of
from service.ledger import score

T = TypeVar("T")

Hand = Annotated[tuple[Face, ...], Meta(description="Cards of a seat, by suit and rank; `??` for each hidden card.")]


class PlayedView(Struct, frozen=True, kw_only=True):
    """A card of a trick, and the seat that played it."""

    seat: Seat
    card: Annotated[Face, describe("The card that was played.", form=CARD)]


class HeartsView(Struct, frozen=True, kw_only=True):
    """A table of Insurance Hearts as one caller may see it."""

    phase: Annotated[str, describe_enum(Phase, "The phase of the table.")]
    dealer: Annotated[int, Meta(ge=0, le=52, description="The dealer of this hand or the next; 0: not drawn yet.")]
    direction: Annotated[Direction, describe("Where passed cards go in this hand; none: no cards are passed.")]
    hands: Annotated[
        dict[int, Hand], Meta(description="Hands by seat; `??` for each card that the caller may not see.")
    ]
    slips_in: Annotated[tuple[Seat, ...], Meta(description="Seats that have written their slip.")]
    passes_in: Annotated[tuple[Seat, ...], Meta(description="Seats that have chosen the cards to pass.")]
    bids_in: Annotated[tuple[Seat, ...], Meta(description="Seats that have made a bid or no bid.")]
    insurance: Annotated[
        dict[int, Annotated[int, Meta(ge=0, le=MOST_INSURANCE)]],
        Meta(description="Insurance numbers that the caller may read, by seat."),
    ]
    foot: Annotated[
        dict[int, bool],
        Meta(description="By seat, whether the seat called a foot, if the caller may read this."),
    ]
    passed: Annotated[
        dict[int, tuple[Face, ...]],
        Meta(description="Passed cards that the caller may see, by the seat that passed them."),
    ]
    bids: Annotated[dict[int, Bid], Meta(description="Bids that the caller may read, by seat.")]
    feet_used: Annotated[tuple[Seat, ...], Meta(description="Seats that have called their one foot.")]
    auction: Annotated[tuple[Face, ...], Meta(description="The four cards of the auction; empty: not turned up.")]
    left: Annotated[tuple[Face, ...], Meta(description="The cards of the auction that no seat has yet.")]
    gained: Annotated[dict[int, Face], Meta(description="The card of the auction that each seat got.")]
    choosing: Annotated[tuple[Seat, ...], Meta(description="Seats that get a leftover, in the order of choice.")]
    trick: Annotated[tuple[PlayedView, ...], Meta(description="The trick that is being played.")]
    last_trick: Annotated[tuple[PlayedView, ...], Meta(description="The last trick that was taken in this hand.")]
    tricks: Annotated[
        dict[int, Annotated[int, Meta(ge=0, le=TRICKS)]],
        Meta(description="Tricks that each seat has taken in this hand."),
    ]
    taken: Annotated[
        dict[int, tuple[Face, ...]],
        Meta(description="Hearts and the queen of spades that each seat has taken in this hand."),
    ]
    hearts_are_broken: Annotated[
        bool, Meta(description="Whether hearts are broken, so that any player may lead a heart.")
    ]
    scores: Annotated[
        dict[int, Annotated[int, Meta(ge=0, le=2**53 - 1)]], Meta(description="The total score of each seat.")
    ]


def visible(state: State, seat: int, is_present: bool) -> frozenset[int]:  # noqa: ARG001, FBT001  # `Game.visible` prescribes the parameters.
    """Return the positions of the deck in play whose faces *seat* (0: everybody) may see.

    These are the cards dealt to the seat in this hand, and the four cards of the auction once they are turned up. Faces
    of cards that a seat got later come from the sealed passes and from public events.
    """
    return frozenset((*state.dealt.get(seat, ()), *state.on_table))


def view(state: State, viewpoint: Viewpoint) -> HeartsView:
    """Return the view of the table from *viewpoint*."""
    bids = {seat: bid for seat in sorted(state.bids_in) if (bid := sealed_bid(seat, viewpoint))}
    return HeartsView(
        phase=state.phase.value,
        dealer=state.dealer,
        direction=direction(state.hand) if state.hand else "none",
        hands={seat: _hand(state, seat, viewpoint, bids) for seat in state.players},
        slips_in=tuple(sorted(state.slips_in)),
        passes_in=tuple(sorted(state.passes_in)),
        bids_in=tuple(sorted(state.bids_in)),
        insurance=_read(state.slips_in if state.options.insurance else (), "insurance", int, viewpoint),
        foot=_read(state.slips_in if state.options.foot else (), "foot", bool, viewpoint),
        passed=_read(state.passes_in, "cards", tuple[Face, ...], viewpoint),
        bids=bids,
        feet_used=tuple(sorted(state.feet_used)),
        auction=state.auction,
        left=state.left,
        gained=dict(sorted(state.gained.items())),
        choosing=state.choosing,
        trick=_trick(state.trick),
        last_trick=_trick(state.last_trick),
        tricks=dict(state.tricks),
        taken={seat: in_order(cards) for seat, taken in state.taken.items() if (cards := with_points(taken))},
        hearts_are_broken=state.hearts_are_broken,
        scores={seat: balance_of(state, score(seat)) for seat in state.players},
    )


def _hand(state: State, seat: int, viewpoint: Viewpoint, bids: Mapping[int, Bid]) -> tuple[Face, ...]:
    """Return the hand of *seat* as *viewpoint* sees it; the card shown with a readable bid is visible too."""
    hand = hand_of(state, seat, viewpoint)
    shown = bids[seat].shown if seat in bids else ""
    if shown and shown not in (*hand, *state.played.get(seat, ())) and UNKNOWN in hand:
        return in_order((shown, *hand[: hand.index(UNKNOWN)], *hand[hand.index(UNKNOWN) + 1 :]))
    return hand


def _read(seats: Iterable[int], field: str, kind: type[T], viewpoint: Viewpoint) -> dict[int, T]:
    """Return, by seat, the values that *seats* sealed under *field* in this hand and that *viewpoint* may read."""
    values = ((seat, viewpoint.sealed(seat, field)) for seat in sorted(seats))
    return {seat: convert(value, kind) for seat, value in values if value is not None}


def _trick(trick: Iterable[PlayedCard]) -> tuple[PlayedView, ...]:
    return tuple(PlayedView(seat=played.seat, card=played.card) for played in trick)
