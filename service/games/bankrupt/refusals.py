"""The conditions of commands of Bankrupt, and their precedence."""

from typing import Final

from service.games.bankrupt import commands
from service.games.bankrupt.options import SEATS
from service.games.common_commands import COMMON_REFUSALS, DealHand, OpenTable, TakeSeat
from service.games.common_refusals import (
    GAME_MUST_BE_UNDER_WAY,
    GAME_MUST_NOT_HAVE_STARTED,
    SEEDS_MUST_BE_IN,
    Condition,
    Precedence,
    buy_in_condition,
    declared,
    options_condition,
    seats_condition,
)

SEATS_MUST_BE_WITHIN_THE_GAMES: Final = seats_condition(SEATS.least, SEATS.most, ("1", "B1.1"))
OPTIONS_MUST_BE_THE_GAMES: Final = options_condition(("", "BO2.1"))
BUY_IN_MUST_BE_THE_TABLES: Final = buy_in_condition("pieces", ("4", "B4.1"))

ROUND_MUST_BE_SETTLED: Final = Condition(
    "round_must_be_settled", "This is possible only between rounds.", (("8", "G.4"), ("19", "G.4"))
)
CARDS_MUST_BE_BEING_DECIDED_ON: Final = Condition(
    "cards_must_be_being_decided_on", "This is possible only while players decide on their cards.", (("11", "G.4"),)
)
ANTE_MUST_BE_BEING_UPPED: Final = Condition(
    "ante_must_be_being_upped", "This is possible only in the upping phase.", (("12", "G.4"),)
)
DEALER_MUST_DEAL: Final = Condition("dealer_must_deal", "Only the dealer may deal the round.", (("5", "B8.1"),))
PLAYER_MUST_BE_IN_THE_GAME: Final = Condition(
    "player_must_be_in_the_game", "Only a player who is still in the game may do this.", (("20", "B20.1"),)
)
TURN_MUST_BE_YOURS: Final = Condition(
    "turn_must_be_yours", "A player may do this only when it is the player's turn.", (("11", "B11.1"), ("12", "B12.1"))
)

CARD_MUST_BE_FIRST_OR_SECOND: Final = Condition(
    "card_must_be_first_or_second", "A hand has two cards, 1 and 2.", (("11", "B11.6"),)
)
THROW_INS_IN_A_ROW_MUST_BE_WITHIN_THE_LIMIT: Final = Condition(
    "throw_ins_in_a_row_must_be_within_the_limit",
    "A player may throw in only in as many rounds in a row as the table's options allow.",
    (("11", "B11.3"),),
)

OFFER_MUST_BE_ANSWERED_FIRST: Final = Condition(
    "offer_must_be_answered_first", "Nobody may offer or pass while an offer is open.", (("12", "B12.3"),)
)
OFFER_MUST_HAVE_BEEN_MADE: Final = Condition(
    "offer_must_have_been_made", "A player can answer only an open offer.", (("12", "B12.3"),)
)
OFFER_MUST_BE_WITHIN_THE_CAP: Final = Condition(
    "offer_must_be_within_the_cap",
    "An offer is at least one piece, at most six, and no more than the smallest non-empty stack in the round.",
    (("12", "B12.5"),),
)

_CHOICE: Final = (
    GAME_MUST_BE_UNDER_WAY,
    CARDS_MUST_BE_BEING_DECIDED_ON,
    PLAYER_MUST_BE_IN_THE_GAME,
    TURN_MUST_BE_YOURS,
)
_OFFER: Final = (
    GAME_MUST_BE_UNDER_WAY,
    ANTE_MUST_BE_BEING_UPPED,
    OFFER_MUST_BE_ANSWERED_FIRST,
    PLAYER_MUST_BE_IN_THE_GAME,
    TURN_MUST_BE_YOURS,
)
_ANSWER: Final = (
    GAME_MUST_BE_UNDER_WAY,
    ANTE_MUST_BE_BEING_UPPED,
    OFFER_MUST_HAVE_BEEN_MADE,
    PLAYER_MUST_BE_IN_THE_GAME,
    TURN_MUST_BE_YOURS,
)

REFUSALS: Final[Precedence] = declared(
    {
        **COMMON_REFUSALS,
        OpenTable: (
            SEATS_MUST_BE_WITHIN_THE_GAMES,
            OPTIONS_MUST_BE_THE_GAMES,
            *COMMON_REFUSALS[OpenTable],
        ),
        TakeSeat: (
            GAME_MUST_NOT_HAVE_STARTED,
            BUY_IN_MUST_BE_THE_TABLES,
            *COMMON_REFUSALS[TakeSeat],
        ),
        DealHand: (SEEDS_MUST_BE_IN, GAME_MUST_BE_UNDER_WAY, ROUND_MUST_BE_SETTLED, DEALER_MUST_DEAL),
        commands.HoldCards: _CHOICE,
        commands.ExchangeCard: (*_CHOICE, CARD_MUST_BE_FIRST_OR_SECOND),
        commands.ThrowIn: (*_CHOICE, THROW_INS_IN_A_ROW_MUST_BE_WITHIN_THE_LIMIT),
        commands.OfferUpping: (*_OFFER, OFFER_MUST_BE_WITHIN_THE_CAP),
        commands.PassUpping: _OFFER,
        commands.AcceptUpping: _ANSWER,
        commands.DeclineUpping: _ANSWER,
        commands.Resign: (GAME_MUST_BE_UNDER_WAY, ROUND_MUST_BE_SETTLED, PLAYER_MUST_BE_IN_THE_GAME),
    }
)
