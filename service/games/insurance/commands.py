"""The commands that only Insurance has."""

from typing import Annotated, ClassVar

from msgspec import Meta

from service.games.game import MOST_CHIPS, Command

Amount = Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="How many chips.")]
OfferedBy = Annotated[int, Meta(ge=1, le=52, description="The seat that made the offer.")]


class PlaceBet(Command, frozen=True, kw_only=True):
    """Place your bet for the hand; the first bet begins the hand (BET)."""

    chips: Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="How many chips.", examples=[10])]


class SitOut(Command, frozen=True, kw_only=True):
    """Sit out this hand or, between hands, the next hand, in the gambling game (I-BET.2)."""

    IS_RARE: ClassVar[bool] = True


class SitIn(Command, frozen=True, kw_only=True):
    """Play the next hand after all, while no bet is on the table (I-BET.2)."""

    IS_RARE: ClassVar[bool] = True


class BuyChips(Command, frozen=True, kw_only=True):
    """Buy chips between hands, in the gambling game (I-BET.2)."""

    IS_RARE: ClassVar[bool] = True

    chips: Amount


class OfferInsurance(Command, frozen=True, kw_only=True):
    """Offer the banker a payment to insure your bet (INSURANCE OFFER)."""

    chips: Amount


class AcceptInsurance(Command, frozen=True, kw_only=True):
    """As the banker, accept an offer and insure the bet (ACCEPTANCE)."""

    seat: OfferedBy


class RefuseInsurance(Command, frozen=True, kw_only=True):
    """As the banker, refuse an offer, whose chips go back (ACCEPTANCE)."""

    seat: OfferedBy
