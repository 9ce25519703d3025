"""What a player may do at a table of Insurance, beside sitting down, leaving and dealing."""

from typing import Annotated

from msgspec import Meta

from service.games.game import MOST_CHIPS, Command

Amount = Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="How many chips.")]
OfferedBy = Annotated[int, Meta(ge=1, le=52, description="The seat whose offer it is.")]


class PlaceBet(Command, frozen=True, kw_only=True):
    """Place a bet for the next hand (BET)."""

    chips: Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="How many chips.", examples=[10])]


class SitOut(Command, frozen=True, kw_only=True):
    """Sit the next hand out, where one may come and go (I-BET.2)."""


class SitIn(Command, frozen=True, kw_only=True):
    """Play the next hand after all, having said otherwise, while no bet lies on the table (I-BET.2)."""


class BuyChips(Command, frozen=True, kw_only=True):
    """Buy chips between hands, where one may (I-BET.2)."""

    chips: Amount


class OfferInsurance(Command, frozen=True, kw_only=True):
    """Offer the banker a payment to insure the bet (INSURANCE OFFER)."""

    chips: Amount


class AcceptInsurance(Command, frozen=True, kw_only=True):
    """As the banker, insure a bet for what was offered (ACCEPTANCE)."""

    seat: OfferedBy


class RefuseInsurance(Command, frozen=True, kw_only=True):
    """As the banker, push an offer back (ACCEPTANCE)."""

    seat: OfferedBy
