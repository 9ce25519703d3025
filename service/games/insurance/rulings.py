"""How the sheet of Insurance is read where it is silent: ours, under their names."""

from collections.abc import Mapping

RULINGS: Mapping[str, str] = {
    "I-BET.1": (
        "Every player but the banker places a bet before the deal, in any order, a whole number of at "
        "least ten; a bet placed stands."
    ),
    "I-BET.2": (
        "Gambling game: a player may buy chips, and may leave with theirs, while no bet lies on the "
        "table. A player may also say, before betting, that they sit this hand out. From the first bet "
        "on, a player with fewer than ten chips sits the hand out, and is passed over as banker too. No "
        "hand starts with fewer than two able to play. A seat left is free again for another player's "
        'buy-in. The host may close the table while no bet lies; everyone is then cashed out. "Between '
        'hands" means here: while no bet lies.'
    ),
    "I-BET.3": (
        "Non-gambling variation: nobody buys in or leaves with chips. With a standard bet set, everyone "
        "bets exactly that; it may be raised by the schedule agreed at the outset: a list of bets, none "
        "below ten and none below the one before, one step a knock-out (two in one hand are two steps), "
        "the last step staying. A player who has less than the least or standard bet bets all they have."
    ),
    "I-DEAL1.1": (
        "On a 2 the banker pays every bet one to one; on an ace the banker collects every bet; in both "
        "cases the hand ends with no offers and no second deal."
    ),
    "I-OFFER.1": (
        "Offers are made on a 3 up to a queen. On a king there are none: the second deal follows at once "
        "and everyone is uninsured."
    ),
    "I-OFFER.2": (
        "Every player must offer, in any order, a whole number of at least one from their stack; an offer "
        "placed cannot be changed. A player whose stack is empty cannot offer, and is uninsured."
    ),
    "I-ACC.1": (
        "Once every offer lies in its zone the banker accepts or refuses each, in any order. A refused "
        "payment goes back to the stack at once."
    ),
    "I-DEAL2.1": (
        "One card each from the banker's left; then all hands are settled. Win: the player's rank is "
        "higher than the banker's. Tie: same rank."
    ),
    "I-PAY.1": (
        "Order of settlement: first what the banker collects (insurance of winners and losers, losing "
        "uninsured bets) and what goes back (insured losing bets, tied bets and their insurance); then "
        "the winning bets are paid one to one, clockwise from the banker's left."
    ),
    "I-PAY.2": (
        "A banker whose chips run out pays as far as they go, in that order, the last one in part; the "
        "winners' own bets always go back; the shortfall is recorded as such and is owed by nobody. In "
        "the non-gambling variation he is then knocked out."
    ),
    "I-END.1": (
        "The deck carries over from hand to hand. Enough cards for another hand means one for each player "
        "in the next hand, the banker included. If there are fewer, all 52 are shuffled before the next "
        "banker deals."
    ),
    "I-END.2": (
        "The first banker is named when the table is opened (seat 1 if not). The place moves after each "
        "hand to the next seat clockwise still in the game and able to play; in the gambling game who "
        "that is, is settled with the hand's first bet, and shown provisionally until then."
    ),
    "I-END.3": "Two to 52 players by the cards; a table sets its own number of seats.",
}
