"""What a player may do at a table of Insurance Hearts, beside sitting down, leaving and dealing."""

from typing import Annotated

from msgspec import Meta

from service.cards import Face
from service.games.game import Command

MOST_INSURANCE = 6
PASSED = 3
MOST_BID = 999

CardOfHand = Annotated[Face, Meta(pattern="^[2-9TJQKA][cdhs]$", description="A card of one's own.", examples=["2c"])]
CardOfTable = Annotated[Face, Meta(pattern="^[2-9TJQKA][cdhs]$", description="A card of the four.", examples=["Ts"])]


class WriteSlip(Command, frozen=True, kw_only=True):
    """Choose one's insurance, and whether to call a foot; nobody else learns the number before the hand is scored."""

    insurance: Annotated[
        int, Meta(ge=0, le=MOST_INSURANCE, description="Against taking the queen of spades; 0 where it is not played.")
    ]
    foot: Annotated[bool, Meta(description="Call a foot: once a game, and the hand is called off.")] = False


class PassCards(Command, frozen=True, kw_only=True):
    """Choose the three cards that go to another player; nobody sees them before all have chosen."""

    cards: Annotated[
        tuple[CardOfHand, ...],
        Meta(
            min_length=PASSED,
            max_length=PASSED,
            description="Three cards of one's own.",
            examples=[["2c", "Qs", "Ah"]],
        ),
    ]


class PlaceBid(Command, frozen=True, kw_only=True):
    """Bid points for one of the four cards, and show a card of one's own that decides a tie."""

    card: CardOfTable
    points: Annotated[
        int, Meta(ge=0, le=MOST_BID, description="What the card costs who gets it, in points.", examples=[3])
    ]
    shown: CardOfHand


class MakeNoBid(Command, frozen=True, kw_only=True):
    """Bid for none of the four cards; the card shown decides who chooses first of what is left."""

    shown: CardOfHand


class ChooseLeftover(Command, frozen=True, kw_only=True):
    """Choose one of the four cards that nobody bought."""

    card: CardOfTable


class PlayCard(Command, frozen=True, kw_only=True):
    """Play a card to the trick."""

    card: CardOfHand
