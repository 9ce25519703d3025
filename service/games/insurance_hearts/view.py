"""What a table of Insurance Hearts looks like: one's own cards and slips, and what lies open."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from service.cards import UNKNOWN, Face
from service.games.annotations import describe, describe_enum
from service.games.game import CARD, CARD_OR_NONE, Seat, Viewpoint
from service.games.insurance_hearts.commands import MOST_BID, MOST_INSURANCE
from service.games.insurance_hearts.seat_cards import hand_of, in_order
from service.games.insurance_hearts.state import TRICKS, CommandResult, Direction, Phase, State, direction
from service.games.table_state import balance_of
from service.ledger import score

Hand = Annotated[tuple[Face, ...], Meta(description="Cards of a seat, by suit and rank; `??` for each that is hidden.")]


class BidView(Struct, frozen=True, kw_only=True):
    """A bid that the caller may read: for a *card*, or, where it is empty, none, and the card *shown*."""

    card: Annotated[Face, describe("The card bid for: rank and suit; empty: no bid.", form=CARD_OR_NONE)]
    points: Annotated[int, Meta(ge=0, le=MOST_BID, description="What was bid, in points; 0 where no card is named.")]
    shown: Annotated[Face, describe("The card shown, of the bidder's own hand.", form=CARD)]


class PlayedView(Struct, frozen=True, kw_only=True):
    """A card of a trick, and who played it."""

    seat: Seat
    card: Annotated[Face, describe("The card that was played.", form=CARD)]


class HeartsView(Struct, frozen=True, kw_only=True):
    """The table of Insurance Hearts, as one caller sees it."""

    phase: Annotated[str, describe_enum(Phase, "Where the hand stands.")]
    dealer: Annotated[int, Meta(ge=0, le=52, description="Who deals this hand, or the next one; 0: not drawn yet.")]
    direction: Annotated[Direction, describe("Where cards go in this hand; none: they are kept.")]
    hands: Annotated[
        dict[int, Hand], Meta(description="Cards by seat: how many each holds, and which, if it is known.")
    ]
    slips_in: Annotated[tuple[Seat, ...], Meta(description="Seats whose slip is in.")]
    passes_in: Annotated[tuple[Seat, ...], Meta(description="Seats that have chosen the cards to pass.")]
    bids_in: Annotated[tuple[Seat, ...], Meta(description="Seats that have bid.")]
    insurance: Annotated[
        dict[int, Annotated[int, Meta(ge=0, le=MOST_INSURANCE)]],
        Meta(description="Numbers on slips that the caller may read, by seat."),
    ]
    foot: Annotated[dict[int, bool], Meta(description="Whether seats called a foot, as far as the caller may read it.")]
    passed: Annotated[
        dict[int, tuple[Face, ...]], Meta(description="Cards that seats passed on, as far as the caller may see them.")
    ]
    bids: Annotated[dict[int, BidView], Meta(description="Bids that the caller may read, by seat.")]
    feet_used: Annotated[tuple[Seat, ...], Meta(description="Seats that have called their one foot.")]
    auction: Annotated[tuple[Face, ...], Meta(description="The four cards of the auction; empty: none lie open.")]
    left: Annotated[tuple[Face, ...], Meta(description="Those of the four that nobody has yet.")]
    gained: Annotated[dict[int, Face], Meta(description="Which of the four a seat got.")]
    choosing: Annotated[tuple[Seat, ...], Meta(description="Seats that get what is left, in their order.")]
    trick: Annotated[tuple[PlayedView, ...], Meta(description="The trick that is being played.")]
    last_trick: Annotated[tuple[PlayedView, ...], Meta(description="The trick before it in this hand.")]
    tricks: Annotated[
        dict[int, Annotated[int, Meta(ge=0, le=TRICKS)]],
        Meta(description="How many tricks each seat has taken in this hand."),
    ]
    taken: Annotated[
        dict[int, tuple[Face, ...]], Meta(description="Hearts and the queen of spades that seats took in this hand.")
    ]
    hearts_are_broken: Annotated[bool, Meta(description="Whether hearts are broken, so that any hand may lead one.")]
    scores: Annotated[
        dict[int, Annotated[int, Meta(ge=0, le=2**53 - 1)]], Meta(description="Points of each seat in the game.")
    ]


def visible(state: State, seat: int, is_present: bool) -> frozenset[int]:  # noqa: ARG001, FBT001  # Game.visible's shape.
    """List the positions of the deck in play whose faces *seat* (0: everybody) may see.

    Those that were dealt to it in this hand, and the four of the auction once they lie open; cards that came in another
    way are read from what was passed, and from what was told.
    """
    return frozenset((*state.dealt.get(seat, ()), *state.on_table))


def view(state: State, viewpoint: Viewpoint) -> HeartsView:
    """Draw the table as whoever *viewpoint* belongs to sees it."""
    bids = {seat: bid for seat in sorted(state.bids_in) if (bid := viewpoint.sealed(seat, "bid")) is not None}
    return HeartsView(
        phase=state.phase.value,
        dealer=state.dealer,
        direction=direction(state.hand) if state.hand else "none",
        hands={seat: _hand(state, seat, viewpoint, bids) for seat in state.players},
        slips_in=tuple(sorted(state.slips_in)),
        passes_in=tuple(sorted(state.passes_in)),
        bids_in=tuple(sorted(state.bids_in)),
        insurance=_read(state.slips_in if state.options.insurance else (), "insurance", viewpoint),
        foot=_read(state.slips_in if state.options.foot else (), "foot", viewpoint),
        passed={seat: tuple(cards) for seat, cards in _read(state.passes_in, "cards", viewpoint).items()},
        bids={seat: BidView(card=bid["card"], points=bid["points"], shown=bid["shown"]) for seat, bid in bids.items()},
        feet_used=tuple(sorted(state.feet_used)),
        auction=state.auction,
        left=state.left,
        gained=dict(sorted(state.gained.items())),
        choosing=state.choosing,
        trick=_trick(state.trick),
        last_trick=_trick(state.last_trick),
        tricks=dict(state.tricks),
        taken={seat: in_order(cards) for seat, cards in state.taken.items() if cards},
        hearts_are_broken=state.hearts_are_broken,
        scores={seat: balance_of(state, score(seat)) for seat in state.players},
    )


def _hand(state: State, seat: int, viewpoint: Viewpoint, bids: Mapping[int, Any]) -> tuple[Face, ...]:
    """Return a hand as far as it is known: one's own, and of others what was passed to them, bought, or shown."""
    hand = hand_of(state, seat, viewpoint)
    shown = bids[seat]["shown"] if seat in bids else ""
    if shown and shown not in (*hand, *state.played.get(seat, ())) and UNKNOWN in hand:
        return in_order((shown, *hand[: hand.index(UNKNOWN)], *hand[hand.index(UNKNOWN) + 1 :]))
    return hand


def _read(seats: Iterable[int], field: str, viewpoint: Viewpoint) -> dict[int, Any]:
    """Return what *seats* have sealed under *field* in this hand, as far as it may be read."""
    found = ((seat, viewpoint.sealed(seat, field)) for seat in sorted(seats))
    return {seat: value for seat, value in found if value is not None}


def _trick(trick: Iterable[CommandResult]) -> tuple[PlayedView, ...]:
    return tuple(PlayedView(seat=one.seat, card=one.card) for one in trick)
