"""What happens at a table of Insurance Hearts, beside what happens at every table."""

# Of a card that may have changed hands unseen an event tells the face alone: its place in the deck would tell who
# passed it (deck/v1, step 5).

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from service.games import common_events
from service.games.annotations import describe
from service.games.game import Consequence, Event, Seat, TimedDecision
from service.games.insurance_hearts.commands import MOST_BID, MOST_INSURANCE

Direction = Annotated[Literal["left", "right", "across"], Meta(description="Where the cards go that are passed.")]
Card = Annotated[str, Meta(pattern="^[2-9TJQKA][cdhs]$", description="A card's face.")]
CardOrNone = Annotated[str, Meta(pattern="^([2-9TJQKA][cdhs])?$", description="A card's face; empty: none.")]
Bid = Annotated[int, Meta(ge=0, le=MOST_BID, description="What was bid, in points.")]
Insurance = Annotated[int, Meta(ge=0, le=MOST_INSURANCE, description="The number on the seat's slip.")]
Points = Annotated[int, Meta(ge=0, le=26, description="One for each heart taken, thirteen for the queen of spades.")]
Gained = Annotated[int, Meta(ge=0, le=MOST_BID + 26, description="What the hand adds to the seat's score, in points.")]
Callers = Annotated[tuple[Seat, ...], Meta(description="Seats that called a foot.")]
SomeSeat = Annotated[int, Meta(ge=0, le=52, description="A seat; 0: none.")]


class SlipsAwaited(Consequence, frozen=True, kw_only=True):
    """The cards are dealt, and each player writes a slip before anything is passed (IH.1, IH.2)."""


class SlipWritten(TimedDecision, frozen=True, kw_only=True):
    """The slip of *seat* is in, sealed under `insurance` and `foot`, as far as they are played (IH.2)."""

    seat: Seat


class FootTold(Consequence, frozen=True, kw_only=True):
    """All slips are in, and *callers* have called a foot: mostly nobody (IH.3)."""

    callers: Callers


class HandCancelled(Consequence, frozen=True, kw_only=True):
    """The hand is off, since *callers* have called a foot; their slips stay sealed for good (IH.3)."""

    callers: Callers


class PassAwaited(Consequence, frozen=True, kw_only=True):
    """Each player chooses three cards, which go in this *direction* (H-PASS.1)."""

    direction: Direction


class PassChosen(TimedDecision, frozen=True, kw_only=True):
    """*seat* has chosen three cards, which are sealed under `cards` (H-PASS.1)."""

    seat: Seat


class CardsPassed(Consequence, frozen=True, kw_only=True):
    """All have chosen, and the cards went in this *direction*; each receiver sees what came (H-PASS.1)."""

    direction: Direction


class BidsAwaited(Consequence, frozen=True, kw_only=True):
    """The four *cards* are up for auction, and each player bids (Bidding, IH.7)."""

    cards: Annotated[tuple[Card, ...], describe("The four cards of the auction.")]


class BidWritten(TimedDecision, frozen=True, kw_only=True):
    """*seat* has bid, or not; card, points and the card shown are sealed under `bid` (IH.7)."""

    seat: Seat


class OpenedBid(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What *seat* bid, and the card that it showed; without a *card* it made no bid."""

    seat: Seat
    shown: Card
    card: CardOrNone = ""
    points: Bid = 0


class BidsOpened(Consequence, frozen=True, kw_only=True):
    """All bids lie open, with the cards shown, which go back to their hands (IH.8)."""

    bids: Annotated[tuple[OpenedBid, ...], Meta(description="The bids, by seat.")]


class Sold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """*seat* bought *card* for *points*."""

    seat: Seat
    card: Card
    points: Bid


class AuctionSettled(Consequence, frozen=True, kw_only=True):
    """The highest bid for each card took it; *choosing* are those without, strongest shown card first (IH.8, IH.9)."""

    sold: Annotated[tuple[Sold, ...], Meta(description="The cards that were bought, as they lay.")]
    choosing: Annotated[tuple[Seat, ...], Meta(description="Seats that get what is left, in their order.")]
    left: Annotated[tuple[Card, ...], Meta(description="Cards that nobody bought.")]


class LeftoverChosen(TimedDecision, frozen=True, kw_only=True):
    """*seat* chose a *card* of those that nobody bought (IH.9)."""

    seat: Seat
    card: Card


class LeftoverGiven(Consequence, frozen=True, kw_only=True):
    """*seat* got the last *card* without a choice (IH.9)."""

    seat: Seat
    card: Card


class PlayBegun(Consequence, frozen=True, kw_only=True):
    """All hands have thirteen cards, and *leader* holds the two of clubs and leads it (H-LEAD.1)."""

    leader: Seat


class CardPlayed(TimedDecision, frozen=True, kw_only=True):
    """*seat* played *card* (H-FOLLOW.1)."""

    seat: Seat
    card: Card


class TrickTaken(Consequence, frozen=True, kw_only=True):
    """*seat* took a trick of *cards*, as they were played, and leads the next one (H-FOLLOW.1)."""

    seat: Seat
    cards: Annotated[tuple[Card, ...], describe("The cards of the trick, as they were played.")]


class SeatScore(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How *seat* comes to its *score* for the hand.

    *taken*: the hearts and the queen of spades in its tricks, worth *points*; *insurance*: the number on its slip;
    *bid*: what it bought a card for.
    """

    seat: Seat
    score: Gained
    points: Points = 0
    taken: Annotated[tuple[Card, ...], describe("Hearts and the queen of spades in the tricks of the seat.")] = ()
    insurance: Insurance = 0
    bid: Bid = 0


class HandScored(Consequence, frozen=True, kw_only=True):
    """The hand is played out, all numbers are told, and its points are on the scores (H-SCORE.1, IH.5, IH.6, IH.10).

    *queen*: who took the queen of spades; *shooter*: who took all 26 points, 0: nobody.
    """

    queen: Seat
    scores: Annotated[tuple[SeatScore, ...], Meta(description="How each seat came to its score.")]
    shooter: SomeSeat = 0


class HandFinished(Consequence, frozen=True, kw_only=True):
    """The hand is over, and *dealer* deals the next one, if there is one (H-DEAL.1)."""

    dealer: Seat


OwnEvent: TypeAlias = (
    common_events.DealerDrawn
    | common_events.HandDealt
    | SlipsAwaited
    | SlipWritten
    | FootTold
    | HandCancelled
    | PassAwaited
    | PassChosen
    | CardsPassed
    | BidsAwaited
    | BidWritten
    | BidsOpened
    | AuctionSettled
    | LeftoverChosen
    | LeftoverGiven
    | PlayBegun
    | CardPlayed
    | TrickTaken
    | HandScored
    | HandFinished
)
HeartsEvent: TypeAlias = OwnEvent | common_events.TableEvent
EVENTS: tuple[type[Event], ...] = (
    *common_events.EVENTS,
    common_events.DealerDrawn,
    common_events.HandDealt,
    SlipsAwaited,
    SlipWritten,
    FootTold,
    HandCancelled,
    PassAwaited,
    PassChosen,
    CardsPassed,
    BidsAwaited,
    BidWritten,
    BidsOpened,
    AuctionSettled,
    LeftoverChosen,
    LeftoverGiven,
    PlayBegun,
    CardPlayed,
    TrickTaken,
    HandScored,
    HandFinished,
)
