"""The commands that only Bankrupt has."""

from typing import Annotated, ClassVar

from msgspec import Meta

from service.games.game import Command


class HoldCards(Command, frozen=True, kw_only=True):
    """Keep both cards (Rule 11)."""


class ExchangeCard(Command, frozen=True, kw_only=True):
    """Discard one card and get the top card of the deck in its place (Rule 11)."""

    card: Annotated[int, Meta(ge=1, le=2, description="Which card to discard; 1: the first dealt, 2: the second.")]


class ThrowIn(Command, frozen=True, kw_only=True):
    """Leave the round; if your ante has any pieces, forfeit one of them to the centre (Rule 11)."""


class OfferUpping(Command, frozen=True, kw_only=True):
    """Offer to up the ante (Rule 12)."""

    chips: Annotated[int, Meta(ge=1, le=6, description="How many pieces to lay down.")]


class PassUpping(Command, frozen=True, kw_only=True):
    """Make no offer; the right to offer passes to the next player, if any (Rule 12)."""


class AcceptUpping(Command, frozen=True, kw_only=True):
    """Accept the offer, and lay down the same number of pieces (Rule 12)."""


class DeclineUpping(Command, frozen=True, kw_only=True):
    """Decline the offer (Rule 12)."""


class Resign(Command, frozen=True, kw_only=True):
    """Give up the game between rounds (Rule 19)."""

    IS_RARE: ClassVar[bool] = True
