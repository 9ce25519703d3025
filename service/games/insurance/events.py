"""The events that only Insurance has."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from service.games.game import (
    CARD,
    CARD_OR_NONE,
    MOST_CHIPS,
    Chips,
    Consequence,
    Decision,
    Seat,
    TimedDecision,
    describe,
)

Outcome = Annotated[Literal["won", "lost", "tied"], Meta(description="The outcome of the hand for the player.")]
InsuranceChips = Annotated[
    int, Meta(ge=0, le=MOST_CHIPS, description="The payment that insures the bet, in chips; 0: the bet is not insured.")
]
Shortfall = Annotated[int, Meta(ge=0, le=MOST_CHIPS, description="Chips that the banker could not pay (I-PAY.2).")]
BetChips = Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="The bet, in chips.")]
Banker = Annotated[int, Meta(ge=1, le=52, description="The banker's seat.")]
Players = Annotated[tuple[Seat, ...], Meta(description="Seats in the hand, the banker included.")]
PlayersCard = Annotated[
    str, Meta(pattern=CARD_OR_NONE, description="The player's card; empty: the banker's card alone decided.")
]


class ChipsBought(Decision, frozen=True, kw_only=True):
    """*seat* bought *chips* between hands (I-BET.2, G.7)."""

    seat: Seat
    chips: Chips


class HandSatOut(Decision, frozen=True, kw_only=True):
    """*seat* sits out this hand or, between hands, the next hand (I-BET.2)."""

    seat: Seat


class SatIn(Decision, frozen=True, kw_only=True):
    """*seat* plays the next hand after all (I-BET.2)."""

    seat: Seat


class BetPlaced(TimedDecision, frozen=True, kw_only=True):
    """*seat* placed a bet of *chips* (BET, I-BET.1).

    *begins_hand*: the number of the hand that this bet begins, or 0 if the hand has already begun (I-END.2).
    """

    seat: Seat
    chips: Chips
    begins_hand: Annotated[
        int, describe("The number of the hand that this bet begins; 0: the hand has already begun.", 0, 2**31 - 1)
    ] = 0


class HandBegun(Consequence, frozen=True, kw_only=True):
    """The first bet began hand number *hand*, with its *banker* and its *players*, the banker included (I-END.2)."""

    hand: Annotated[int, Meta(ge=1, description="The hand's number, from 1.")]
    banker: Banker
    players: Players


class DealBegun(TimedDecision, frozen=True, kw_only=True):
    """Every bet is placed, and *banker* began the deal (FIRST ROUND DEAL, I-DEAL1.2)."""

    banker: Banker


class OffersAwaited(Consequence, frozen=True, kw_only=True):
    """The banker's card calls for offers: *seats*, the players with chips left, must offer (I-OFFER.1, I-OFFER.2)."""

    seats: Annotated[tuple[Seat, ...], describe("Seats that must make an offer.")]


class InsuranceOffered(TimedDecision, frozen=True, kw_only=True):
    """*seat* offered *chips* to insure its bet (INSURANCE OFFER).

    *all_have_offered*: whether this is the last offer of the hand, after which the banker answers (I-ACC.1).
    """

    seat: Seat
    chips: Chips
    all_have_offered: Annotated[bool, describe("Whether this is the last offer of the hand.")] = False


class InsuranceAccepted(Decision, frozen=True, kw_only=True):
    """The banker accepted the offer of *seat*, and insures the bet for *chips* (ACCEPTANCE)."""

    seat: Seat
    chips: Chips


class InsuranceRefused(TimedDecision, frozen=True, kw_only=True):
    """The banker refused to insure the bet of *seat*, and the offered *chips* went back (ACCEPTANCE, I-ACC.1)."""

    seat: Seat
    chips: Chips


class Result(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The outcome of the hand for *seat*, with its *bet* and the *insurance* on the bet (0: not insured).

    *card* is the seat's own card, or empty if the banker's card alone decided. *short* is the number of chips that the
    banker could not pay; nobody owes these chips (I-PAY.2).
    """

    seat: Seat
    outcome: Outcome
    bet: BetChips
    insurance: InsuranceChips = 0
    card: PlayersCard = ""
    short: Shortfall = 0


Results = Annotated[
    tuple[Result, ...], Meta(description="The result of each player but the banker, from the banker's left.")
]


class HandSettled(Consequence, frozen=True, kw_only=True):
    """The bets were settled against the card of *banker*, in the order of I-PAY.1 (WINNING, PAYOUT)."""

    banker: Banker
    card: Annotated[str, Meta(pattern=CARD, description="The banker's card.")]
    results: Results


class PlayerKnockedOut(Consequence, frozen=True, kw_only=True):
    """*seat* ran out of chips and is out of the game (NON-GAMBLING VARIATION)."""

    seat: Seat


class HandEnded(Consequence, frozen=True, kw_only=True):
    """The hand is over, and its cards were discarded; *banker* was the hand's banker (END OF HAND)."""

    banker: Banker
