"""A bid in the auction, as it is sealed and shown (IH.7)."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from service.cards import Face
from service.games.game import CARD, CARD_OR_NONE, Viewpoint, describe
from service.games.insurance_hearts.commands import MOST_BID, BidOrNone, MakeNoBid


class Bid(Struct, frozen=True, kw_only=True):
    """A bid: the card bid for, the points, and the card that the bidder showed.

    If the bidder made no bid, *card* is empty.
    """

    card: Annotated[Face, describe("The card bid for: rank and suit; empty: no bid.", form=CARD_OR_NONE)]
    points: Annotated[int, Meta(ge=0, le=MOST_BID, description="The bid, in points; 0 if there is no bid.")]
    shown: Annotated[Face, describe("The card that the bidder showed.", form=CARD)]


def bid_of(command: BidOrNone) -> Bid:
    """Return the bid that *command* makes."""
    if isinstance(command, MakeNoBid):
        return Bid(card="", points=0, shown=command.shown)
    return Bid(card=command.card, points=command.points, shown=command.shown)


def from_json(value: object) -> Bid:
    """Return the bid in *value*, a sealed value as JSON."""
    return msgspec.convert(value, Bid)


def sealed_bid(seat: int, viewpoint: Viewpoint) -> Bid | None:
    """Return the last bid of *seat*, or None if *viewpoint* may not read the bid."""
    value = viewpoint.sealed(seat, "bid")
    return None if value is None else from_json(value)
