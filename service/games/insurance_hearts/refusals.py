"""The conditions of commands of Insurance Hearts, and their precedence."""

from typing import Final

from service.games.common_commands import COMMON_REFUSALS, DealHand, OpenTable, TakeSeat
from service.games.common_refusals import (
    GAME_MUST_BE_UNDER_WAY,
    GAME_MUST_NOT_HAVE_STARTED,
    PLAYER_MUST_HAVE_A_SEAT,
    SEEDS_MUST_BE_IN,
    Condition,
    Precedence,
    declared,
    options_condition,
    seats_condition,
)
from service.games.insurance_hearts import commands
from service.games.insurance_hearts.options import SEATS

STANDARD: Final = "standard rules"
"""The name by which actions, refusals and transfers cite the standard rules of Hearts."""

SEATS_MUST_BE_WITHIN_THE_GAMES: Final = seats_condition(SEATS.least, SEATS.most, (STANDARD, "H-DEAL.1"))
WORTH_MUST_BE_OF_CHIPS: Final = Condition(
    "worth_must_be_of_chips",
    "This game is played for points: it has no chips that could have a worth.",
    (("", "H-SCORE.2"),),
)
OPTIONS_MUST_BE_THE_GAMES: Final = options_condition(("", "G.2"))
SEAT_MUST_COST_NOTHING: Final = Condition(
    "seat_must_cost_nothing", "This game has no chips: a seat costs 0.", (("", "H-SCORE.2"),)
)

HAND_MUST_BE_OVER: Final = Condition("hand_must_be_over", "This is possible only between hands.", ((STANDARD, "G.4"),))
SLIPS_MUST_BE_AWAITED: Final = Condition(
    "slips_must_be_awaited",
    "This is possible only after the deal, at a table with insurance or the foot rule.",
    (("Insurance", "G.4"), ("Foot Rule", "G.4")),
)
PASSES_MUST_BE_AWAITED: Final = Condition(
    "passes_must_be_awaited", "This is possible only while players choose cards to pass.", ((STANDARD, "G.4"),)
)
BIDS_MUST_BE_AWAITED: Final = Condition(
    "bids_must_be_awaited", "This is possible only while players bid.", (("Bidding", "G.4"),)
)
LEFTOVERS_MUST_LIE: Final = Condition(
    "leftovers_must_lie", "This is possible only while players choose leftovers of the auction.", (("Bidding", "G.4"),)
)
TRICKS_MUST_BE_PLAYED: Final = Condition(
    "tricks_must_be_played", "This is possible only while tricks are played.", ((STANDARD, "G.4"),)
)

DEALER_MUST_DEAL: Final = Condition("dealer_must_deal", "Only the dealer may deal the hand.", ((STANDARD, "H-DEAL.2"),))
TURN_MUST_BE_YOURS: Final = Condition(
    "turn_must_be_yours",
    "A player may do this only when it is the player's turn.",
    ((STANDARD, "H-FOLLOW.1"), ("Bidding", "IH.9")),
)
CHOICE_MUST_STAND: Final = Condition(
    "choice_must_stand",
    "Your choice is sealed and cannot be changed.",
    ((STANDARD, "H-PASS.1"), ("Insurance", "IH.2"), ("Bidding", "IH.7"), ("Foot Rule", "IH.2")),
)
CARD_MUST_BE_HELD: Final = Condition(
    "card_must_be_held",
    "A player can use only cards of the player's own hand.",
    ((STANDARD, "H-PASS.1"), (STANDARD, "H-FOLLOW.1"), ("Bidding", "IH.7")),
)

INSURANCE_MUST_BE_WITHIN_ITS_BOUNDS: Final = Condition(
    "insurance_must_be_within_its_bounds",
    f"The insurance is a number from 0 to {commands.MOST_INSURANCE}; at a table without insurance it is 0.",
    (("Insurance", "IH.2"),),
)
FOOT_MUST_BE_PLAYED: Final = Condition(
    "foot_must_be_played", "A foot can be called only at a table with the foot rule.", (("Foot Rule", "IH.2"),)
)
FOOT_MUST_BE_LEFT: Final = Condition(
    "foot_must_be_left", "A player may call a foot only once a game.", (("Foot Rule", "IH.4"),)
)
PASSED_CARDS_MUST_BE_THREE: Final = Condition(
    "passed_cards_must_be_three", "Pass three different cards.", ((STANDARD, "H-PASS.1"),)
)

CARD_MUST_BE_UP_FOR_AUCTION: Final = Condition(
    "card_must_be_up_for_auction", "A bid must be for one of the four cards of the auction.", (("Bidding", "IH.7"),)
)
BID_MUST_BE_WITHIN_ITS_BOUNDS: Final = Condition(
    "bid_must_be_within_its_bounds",
    f"A bid is at least the least bid for the card, and at most {commands.MOST_BID} points.",
    (("Bidding", "IH.7"),),
)
CARD_MUST_BE_LEFT: Final = Condition(
    "card_must_be_left", "The card must be a leftover that no player has chosen.", (("Bidding", "IH.9"),)
)

TWO_OF_CLUBS_MUST_LEAD: Final = Condition(
    "two_of_clubs_must_lead", "The two of clubs leads the first trick.", ((STANDARD, "H-LEAD.1"),)
)
HEARTS_MUST_BE_BROKEN: Final = Condition(
    "hearts_must_be_broken",
    "A heart may be led only once hearts are broken, or if the hand has nothing but hearts.",
    ((STANDARD, "H-BREAK.1"),),
)
SUIT_MUST_BE_FOLLOWED: Final = Condition(
    "suit_must_be_followed",
    "A player whose hand has a card of the suit led must follow suit.",
    ((STANDARD, "H-FOLLOW.1"),),
)
FIRST_TRICK_MUST_BE_FREE_OF_POINTS: Final = Condition(
    "first_trick_must_be_free_of_points",
    "Play neither a heart nor the queen of spades on the first trick, unless you have nothing else.",
    ((STANDARD, "H-FIRST.1"),),
)


def _choice(phase: Condition) -> tuple[Condition, ...]:
    """Return the conditions that come first for a sealed choice; *phase* is the condition on the table's phase."""
    return GAME_MUST_BE_UNDER_WAY, phase, PLAYER_MUST_HAVE_A_SEAT, CHOICE_MUST_STAND


def _turn(phase: Condition) -> tuple[Condition, ...]:
    """Return the conditions that come first for a player's turn; *phase* is the condition on the table's phase."""
    return GAME_MUST_BE_UNDER_WAY, phase, PLAYER_MUST_HAVE_A_SEAT, TURN_MUST_BE_YOURS


REFUSALS: Final[Precedence] = declared(
    {
        **COMMON_REFUSALS,
        OpenTable: (
            SEATS_MUST_BE_WITHIN_THE_GAMES,
            WORTH_MUST_BE_OF_CHIPS,
            OPTIONS_MUST_BE_THE_GAMES,
            *COMMON_REFUSALS[OpenTable],
        ),
        TakeSeat: (GAME_MUST_NOT_HAVE_STARTED, SEAT_MUST_COST_NOTHING, *COMMON_REFUSALS[TakeSeat]),
        DealHand: (SEEDS_MUST_BE_IN, GAME_MUST_BE_UNDER_WAY, HAND_MUST_BE_OVER, DEALER_MUST_DEAL),
        commands.WriteSlip: (
            *_choice(SLIPS_MUST_BE_AWAITED),
            INSURANCE_MUST_BE_WITHIN_ITS_BOUNDS,
            FOOT_MUST_BE_PLAYED,
            FOOT_MUST_BE_LEFT,
        ),
        commands.PassCards: (*_choice(PASSES_MUST_BE_AWAITED), PASSED_CARDS_MUST_BE_THREE, CARD_MUST_BE_HELD),
        commands.PlaceBid: (
            *_choice(BIDS_MUST_BE_AWAITED),
            CARD_MUST_BE_UP_FOR_AUCTION,
            BID_MUST_BE_WITHIN_ITS_BOUNDS,
            CARD_MUST_BE_HELD,
        ),
        commands.MakeNoBid: (*_choice(BIDS_MUST_BE_AWAITED), CARD_MUST_BE_HELD),
        commands.ChooseLeftover: (*_turn(LEFTOVERS_MUST_LIE), CARD_MUST_BE_LEFT),
        commands.PlayCard: (
            *_turn(TRICKS_MUST_BE_PLAYED),
            CARD_MUST_BE_HELD,
            TWO_OF_CLUBS_MUST_LEAD,
            HEARTS_MUST_BE_BROKEN,
            SUIT_MUST_BE_FOLLOWED,
            FIRST_TRICK_MUST_BE_FREE_OF_POINTS,
        ),
    }
)
