"""The commands that only Insurance Hearts has."""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from service.cards import Face
from service.games.game import CARD, Command

MOST_INSURANCE = 6
PASSED = 3
MOST_BID = 999

CardOfHand = Annotated[Face, Meta(pattern=CARD, description="A card of your own hand.", examples=["2c"])]
CardOfTable = Annotated[Face, Meta(pattern=CARD, description="One of the four cards of the auction.", examples=["Ts"])]


class WriteSlip(Command, frozen=True, kw_only=True):
    """Write your slip: an insurance number, and whether to call a foot.

    The number stays sealed until the hand is scored, or for good if a foot cancels the hand.
    """

    insurance: Annotated[
        int, Meta(ge=0, le=MOST_INSURANCE, description="The insurance number; 0 at a table without the insurance rule.")
    ]
    foot: Annotated[
        bool, Meta(description="Whether to call a foot, which cancels the hand. A player may call a foot once a game.")
    ] = False


class PassCards(Command, frozen=True, kw_only=True):
    """Choose three cards to pass to another player.

    Once all players have chosen, the receiver can read the choice. Once the deck is revealed, everybody can read the
    choice.
    """

    cards: Annotated[
        tuple[CardOfHand, ...],
        Meta(
            min_length=PASSED,
            max_length=PASSED,
            description="Three cards of your own hand.",
            examples=[["2c", "Qs", "Ah"]],
        ),
    ]


class PlaceBid(Command, frozen=True, kw_only=True):
    """Bid points for one of the four cards, and show a card of your hand; the card that you show decides ties."""

    card: CardOfTable
    points: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_BID,
            description="The bid, in points, which count against you if you get the card.",
            examples=[3],
        ),
    ]
    shown: CardOfHand


class MakeNoBid(Command, frozen=True, kw_only=True):
    """Make no bid; the stronger the card that you show, the earlier you choose from the leftovers."""

    shown: CardOfHand


BidOrNone: TypeAlias = PlaceBid | MakeNoBid
BIDS: Final[tuple[type[BidOrNone], ...]] = (PlaceBid, MakeNoBid)
"""The two commands by which a player makes a bid or no bid."""


class ChooseLeftover(Command, frozen=True, kw_only=True):
    """Choose a leftover: a card of the auction that nobody bought and nobody has chosen yet."""

    card: CardOfTable


class PlayCard(Command, frozen=True, kw_only=True):
    """Play a card to the trick."""

    card: CardOfHand
