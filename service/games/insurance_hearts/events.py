"""The events that only Insurance Hearts has."""

# If a card may have been passed, an event names the card's face and not its position: the position would disclose to
# whom the card was dealt, and so who passed the card (deck/v1, step 5).

from typing import Annotated, Literal

from msgspec import Meta, Struct

from service.games.game import CARD, CARD_OR_NONE, Consequence, Seat, TimedDecision, describe
from service.games.insurance_hearts.commands import MOST_BID, MOST_INSURANCE

PassDirection = Annotated[Literal["left", "right", "across"], Meta(description="Where the passed cards go.")]
Card = Annotated[str, Meta(pattern=CARD, description="A card's face.")]
CardOrNone = Annotated[str, Meta(pattern=CARD_OR_NONE, description="A card's face; empty: none.")]
BidPoints = Annotated[int, Meta(ge=0, le=MOST_BID, description="The bid, in points.")]
Insurance = Annotated[int, Meta(ge=0, le=MOST_INSURANCE, description="The number on the seat's slip.")]
Points = Annotated[int, Meta(ge=0, le=26, description="One for each heart taken, thirteen for the queen of spades.")]
Gained = Annotated[int, Meta(ge=0, le=MOST_BID + 26, description="The points that the hand adds to the seat's score.")]
Callers = Annotated[tuple[Seat, ...], Meta(description="Seats that called a foot.")]
ToPlay = Annotated[
    tuple[Seat, ...], Meta(description="Seats in the order in which they play the next trick; empty: no trick is left.")
]
SomeSeat = Annotated[int, Meta(ge=0, le=52, description="A seat; 0: none.")]


class SlipsAwaited(Consequence, frozen=True, kw_only=True):
    """The cards are dealt, and each player writes a slip before the passing (IH.1, IH.2)."""


class SlipWritten(TimedDecision, frozen=True, kw_only=True):
    """*seat* wrote its slip; values are sealed under `insurance` and `foot` if the table plays these rules (IH.2)."""

    seat: Seat


class FootTold(Consequence, frozen=True, kw_only=True):
    """All slips are written, and *callers* called a foot; empty: nobody called a foot (IH.3)."""

    callers: Callers


class HandCancelled(Consequence, frozen=True, kw_only=True):
    """The hand is cancelled because *callers* called a foot; the numbers on all slips are closed for good (IH.3)."""

    callers: Callers


class PassAwaited(Consequence, frozen=True, kw_only=True):
    """Each player chooses three cards to pass in this *direction* (H-PASS.1)."""

    direction: PassDirection


class PassChosen(TimedDecision, frozen=True, kw_only=True):
    """*seat* chose three cards, sealed under `cards` (H-PASS.1)."""

    seat: Seat


class CardsPassed(Consequence, frozen=True, kw_only=True):
    """All players have chosen, and the cards went in this *direction*; each receiver sees its new cards (H-PASS.1)."""

    direction: PassDirection


class BidsAwaited(Consequence, frozen=True, kw_only=True):
    """The four *cards* are up for auction, and each player bids (Bidding, IH.7)."""

    cards: Annotated[tuple[Card, ...], describe("The four cards of the auction.")]


class BidWritten(TimedDecision, frozen=True, kw_only=True):
    """*seat* made a bid or no bid; the card bid for, the points and the card shown are sealed under `bid` (IH.7)."""

    seat: Seat


class OpenedBid(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The bid of *seat*, and the card that the seat showed. If *card* is empty, the seat made no bid."""

    seat: Seat
    shown: Card
    card: CardOrNone = ""
    points: BidPoints = 0


class BidsOpened(Consequence, frozen=True, kw_only=True):
    """The service opened all bids, with the cards shown; the cards shown went back to the players' hands (IH.8)."""

    bids: Annotated[tuple[OpenedBid, ...], Meta(description="The bids, in the order of the seats.")]


class Sold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """*seat* bought *card* for *points*."""

    seat: Seat
    card: Card
    points: BidPoints


class AuctionSettled(Consequence, frozen=True, kw_only=True):
    """The highest bid for each card won that card; *choosing* lists the seats that bought no card (IH.8, IH.9)."""

    sold: Annotated[tuple[Sold, ...], Meta(description="The cards that were bought, in the order of the four cards.")]
    choosing: Annotated[tuple[Seat, ...], Meta(description="Seats that get a leftover, in the order of choice.")]
    left: Annotated[tuple[Card, ...], Meta(description="Cards that nobody bought.")]


class LeftoverChosen(TimedDecision, frozen=True, kw_only=True):
    """*seat* chose *card* from the leftovers (IH.9)."""

    seat: Seat
    card: Card


class LeftoverGiven(Consequence, frozen=True, kw_only=True):
    """*seat* got *card*, the last leftover, without a choice (IH.9)."""

    seat: Seat
    card: Card


class PlayBegun(Consequence, frozen=True, kw_only=True):
    """Every hand has thirteen cards; *leader* has the two of clubs and leads this card (H-LEAD.1).

    *to_play* lists the seats in the order in which they play the first trick (H-FOLLOW.1).
    """

    leader: Seat
    to_play: ToPlay


class CardPlayed(TimedDecision, frozen=True, kw_only=True):
    """*seat* played *card* (H-FOLLOW.1).

    *breaks_hearts*: whether this card breaks hearts, which were not broken before (H-BREAK.1).
    """

    seat: Seat
    card: Card
    breaks_hearts: Annotated[bool, describe("Whether this card breaks hearts, which were not broken before.")] = False


class TrickTaken(Consequence, frozen=True, kw_only=True):
    """*seat* took the trick of *cards*, and leads the next trick, if there is one (H-FOLLOW.1).

    *to_play* lists the seats in the order in which they play the next trick; it is empty after the last trick.
    """

    seat: Seat
    cards: Annotated[tuple[Card, ...], describe("The cards of the trick, in the order played.")]
    to_play: ToPlay = ()


class SeatScore(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The *score* of *seat* for the hand, and its parts.

    *taken* lists the hearts and the queen of spades in the seat's tricks; these cards count *points*. *insurance* is
    the number on the seat's slip. *bid* is the number of points for which the seat bought a card; 0: the seat bought
    no card, or a club for 0 points.
    """

    seat: Seat
    score: Gained
    points: Points = 0
    taken: Annotated[tuple[Card, ...], describe("Hearts and the queen of spades in the tricks of the seat.")] = ()
    insurance: Insurance = 0
    bid: BidPoints = 0


class HandScored(Consequence, frozen=True, kw_only=True):
    """All tricks are played, the slips' numbers are public, and the points are booked (H-SCORE.1, IH.5, IH.6, IH.10).

    *queen* is the seat that took the queen of spades. *shooter* is the seat that took all 26 points; 0: no seat.
    """

    queen: Seat
    scores: Annotated[tuple[SeatScore, ...], Meta(description="The score of each seat, and its parts.")]
    shooter: SomeSeat = 0


class HandFinished(Consequence, frozen=True, kw_only=True):
    """The hand is over; *dealer* deals the next hand, if there is one (H-DEAL.1)."""

    dealer: Seat
