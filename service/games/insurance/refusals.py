"""The conditions of commands of Insurance, and their precedence."""

from typing import Final

from service.games.common_commands import (
    COMMON_REFUSALS,
    CallTime,
    CloseTable,
    DealHand,
    DeclineInvitation,
    InvitePlayer,
    LeaveSeat,
    OpenTable,
    TakeSeat,
    WithdrawInvitation,
)
from service.games.common_refusals import (
    GAME_MUST_BE_UNDER_WAY,
    GAME_MUST_NOT_HAVE_STARTED,
    PLAYER_MUST_HAVE_A_SEAT,
    SEEDS_MUST_BE_IN,
    Condition,
    Precedence,
    buy_in_condition,
    declared,
    options_condition,
    seats_condition,
)
from service.games.insurance import commands
from service.games.insurance.options import SEATS

SEATS_MUST_BE_WITHIN_THE_GAMES: Final = seats_condition(SEATS.least, SEATS.most, ("INTRODUCTION", "I-END.3"))
OPTIONS_MUST_BE_THE_GAMES: Final = options_condition(
    ("", "G.2"),
    ("INTRODUCTION", "I-END.2"),
    ("NON-GAMBLING VARIATION", "I-BET.3"),
    further="only the non-gambling variation has standard bets, no standard bet is lower than the bet before it, and "
    "the first banker's seat exists",
)
BUY_IN_MUST_BE_THE_TABLES: Final = buy_in_condition(
    "chips", ("NON-GAMBLING VARIATION", "I-BET.5"), where="In the non-gambling variation"
)
CHIPS_MUST_BE_WITHIN_THEIR_BOUNDS: Final = Condition(
    "chips_must_be_within_their_bounds",
    "A purchase is at least one chip, and may exceed neither the limit of a stack nor the limit of the table.",
    (("", "I-BET.5"),),
)

TABLE_MUST_BE_FOR_GAMBLING: Final = Condition(
    "table_must_be_for_gambling",
    "In the non-gambling variation nobody may buy more chips, leave with chips, or sit out a hand.",
    (("NON-GAMBLING VARIATION", "I-BET.3"),),
)
HAND_MUST_BE_OVER: Final = Condition(
    "hand_must_be_over", "This is possible only while no bet is on the table.", (("BET", "I-BET.2"),)
)
HAND_MUST_BE_UNDER_WAY: Final = Condition(
    "hand_must_be_under_way",
    "In the gambling game nobody can call time between hands; a hand begins with its first bet.",
    (("BET", "I-BET.4"),),
)
BETS_MUST_BE_OPEN: Final = Condition(
    "bets_must_be_open", "This is possible only before the deal.", (("BET", "G.4"), ("FIRST ROUND DEAL", "G.4"))
)
OFFERS_MUST_BE_AWAITED: Final = Condition(
    "offers_must_be_awaited", "This is possible only while offers are due.", (("INSURANCE OFFER", "G.4"),)
)
OFFERS_MUST_LIE: Final = Condition(
    "offers_must_lie", "This is possible only once every offer is made.", (("ACCEPTANCE", "G.4"),)
)
BANKER_MUST_DO_IT: Final = Condition(
    "banker_must_do_it",
    "Only the hand's banker may do this.",
    (("ACCEPTANCE", "I-ACC.1"), ("FIRST ROUND DEAL", "I-DEAL1.2")),
)

HAND_MUST_BE_ONE_TO_SIT_OUT: Final = Condition(
    "hand_must_be_one_to_sit_out",
    "The hand's banker, a player who has bet, and a player who is not in the hand cannot sit out the hand.",
    (("BET", "I-BET.2"),),
)
PLAYER_MUST_BE_SITTING_OUT: Final = Condition(
    "player_must_be_sitting_out", "Only a player who sits out the next hand can sit in.", (("BET", "I-BET.2"),)
)
ENOUGH_MUST_BE_ABLE_TO_PLAY: Final = Condition(
    "enough_must_be_able_to_play",
    "A hand needs a banker and at least one other player who is able to play.",
    (("BET", "I-BET.2"),),
)
PLAYER_MUST_BE_IN_THE_HAND: Final = Condition(
    "player_must_be_in_the_hand",
    "Only the players of this hand bet. A player who sits out, was knocked out, or, in the gambling "
    "game, has fewer chips than the least bet is not in this hand.",
    (("BET", "I-BET.2"), ("BET", "I-BET.3")),
)
BANKER_MUST_NOT_BET: Final = Condition(
    "banker_must_not_bet", "Every player but the banker bets.", (("BET", "I-BET.1"),)
)
BET_MUST_STAND: Final = Condition("bet_must_stand", "A placed bet cannot be changed.", (("BET", "I-BET.1"),))
BET_MUST_BE_WITHIN_ITS_BOUNDS: Final = Condition(
    "bet_must_be_within_its_bounds",
    "A bet is at least ten chips and at most the player's stack. In the non-gambling variation a bet is exactly the "
    "standard bet, if the table has one; a player with fewer chips than the least or standard bet bets all of them.",
    (("BET", "I-BET.1"), ("NON-GAMBLING VARIATION", "I-BET.3")),
)
BETS_MUST_ALL_LIE: Final = Condition(
    "bets_must_all_lie", "The deal can begin only once every bet is placed.", (("FIRST ROUND DEAL", "I-DEAL1.2"),)
)

OFFER_MUST_BE_AWAITED: Final = Condition(
    "offer_must_be_awaited",
    "Each player with chips left makes one offer; the banker makes none.",
    (("INSURANCE OFFER", "I-OFFER.2"),),
)
OFFER_MUST_BE_WITHIN_ITS_BOUNDS: Final = Condition(
    "offer_must_be_within_its_bounds",
    "An offer is at least one chip and at most the player's stack.",
    (("INSURANCE OFFER", "I-OFFER.2"),),
)
OFFER_MUST_LIE_IN_ITS_ZONE: Final = Condition(
    "offer_must_lie_in_its_zone", "The banker can answer only an open offer.", (("ACCEPTANCE", "I-ACC.1"),)
)

_SEATS_OPEN: Final = (GAME_MUST_NOT_HAVE_STARTED, HAND_MUST_BE_OVER)
_BETWEEN_HANDS: Final = (
    PLAYER_MUST_HAVE_A_SEAT,
    TABLE_MUST_BE_FOR_GAMBLING,
    GAME_MUST_BE_UNDER_WAY,
    HAND_MUST_BE_OVER,
)
_ANSWER: Final = (GAME_MUST_BE_UNDER_WAY, OFFERS_MUST_LIE, BANKER_MUST_DO_IT, OFFER_MUST_LIE_IN_ITS_ZONE)

REFUSALS: Final[Precedence] = declared(
    {
        **COMMON_REFUSALS,
        OpenTable: (SEATS_MUST_BE_WITHIN_THE_GAMES, OPTIONS_MUST_BE_THE_GAMES, *COMMON_REFUSALS[OpenTable]),
        TakeSeat: (
            *_SEATS_OPEN,
            CHIPS_MUST_BE_WITHIN_THEIR_BOUNDS,
            BUY_IN_MUST_BE_THE_TABLES,
            *COMMON_REFUSALS[TakeSeat],
        ),
        LeaveSeat: (*COMMON_REFUSALS[LeaveSeat], TABLE_MUST_BE_FOR_GAMBLING, HAND_MUST_BE_OVER),
        CloseTable: (*COMMON_REFUSALS[CloseTable], TABLE_MUST_BE_FOR_GAMBLING, HAND_MUST_BE_OVER),
        InvitePlayer: (*_SEATS_OPEN, *COMMON_REFUSALS[InvitePlayer][1:]),
        WithdrawInvitation: (*_SEATS_OPEN, *COMMON_REFUSALS[WithdrawInvitation][1:]),
        DeclineInvitation: (*_SEATS_OPEN, *COMMON_REFUSALS[DeclineInvitation][1:]),
        CallTime: (*COMMON_REFUSALS[CallTime], HAND_MUST_BE_UNDER_WAY),
        DealHand: (SEEDS_MUST_BE_IN, GAME_MUST_BE_UNDER_WAY, BETS_MUST_BE_OPEN, BETS_MUST_ALL_LIE, BANKER_MUST_DO_IT),
        commands.PlaceBet: (
            GAME_MUST_BE_UNDER_WAY,
            BETS_MUST_BE_OPEN,
            ENOUGH_MUST_BE_ABLE_TO_PLAY,
            PLAYER_MUST_BE_IN_THE_HAND,
            BANKER_MUST_NOT_BET,
            BET_MUST_STAND,
            BET_MUST_BE_WITHIN_ITS_BOUNDS,
        ),
        commands.SitOut: (
            GAME_MUST_BE_UNDER_WAY,
            BETS_MUST_BE_OPEN,
            PLAYER_MUST_HAVE_A_SEAT,
            TABLE_MUST_BE_FOR_GAMBLING,
            HAND_MUST_BE_ONE_TO_SIT_OUT,
            ENOUGH_MUST_BE_ABLE_TO_PLAY,
        ),
        commands.SitIn: (*_BETWEEN_HANDS, PLAYER_MUST_BE_SITTING_OUT),
        commands.BuyChips: (*_BETWEEN_HANDS, CHIPS_MUST_BE_WITHIN_THEIR_BOUNDS),
        commands.OfferInsurance: (
            GAME_MUST_BE_UNDER_WAY,
            OFFERS_MUST_BE_AWAITED,
            OFFER_MUST_BE_AWAITED,
            OFFER_MUST_BE_WITHIN_ITS_BOUNDS,
        ),
        commands.AcceptInsurance: _ANSWER,
        commands.RefuseInsurance: _ANSWER,
    }
)
