"""Our rulings for Insurance, by name: how we read the sheet where the sheet is silent or ambiguous."""

from collections.abc import Mapping

RULINGS: Mapping[str, str] = {
    "I-BET.1": (
        "Before the deal every player but the banker places a bet, in any order: a whole number of at least ten "
        "chips. A placed bet cannot be changed."
    ),
    "I-BET.2": (
        "Gambling game: while no bet is on the table, a player may buy chips, or leave with their chips. A player who "
        "has not bet may also choose to sit out the hand, however many chips the player has (even with fewer than ten: "
        "by buying chips such a player could become able to play, or even banker), and may take this choice back while "
        "no bet is on the table. A player may not sit out if fewer than two other players are able to play. From the "
        "first bet on, a player with fewer than ten chips sits out the hand and is skipped as banker too. No hand "
        "starts with fewer than two players able to play. A seat that a player has left is free for another player's "
        "buy-in. The host may close the table while no bet is on the table; every player is then paid out. "
        'In these rulings, "between hands" means: while no bet is on the table.'
    ),
    "I-BET.3": (
        "Non-gambling variation: nobody buys in or leaves with chips. If the table has a standard bet, every player "
        "bets exactly that. The standard bet may rise by a schedule with which the table is opened: a list of bets, "
        "none lower than ten or than the bet before. Each knock-out moves the standard bet one step along the list "
        "(two knock-outs in one hand are two steps); the last bet of the list stays. A player who has less than the "
        "least or standard bet bets all their chips."
    ),
    "I-BET.4": (
        "If time is called (G.3) while a bet is due, the service places the least bet for the player. In the gambling "
        "game nobody may call time while no bet is on the table. In the non-gambling variation the service also places "
        "the first bet of a hand, because nobody may leave, and a player who never bets would block the game."
    ),
    "I-BET.5": (
        "Gambling game: a new player takes a seat before the start or between hands, and chooses how many chips to "
        "buy (G.7); the service limits the chips that one seat may buy. Non-gambling variation: all players buy the "
        "same number of chips (option buy_in, default 100), only before the start; the winner is paid out as soon as "
        "the game ends."
    ),
    "I-DEAL1.1": (
        "On a 2 the banker pays every bet one to one; on an ace the banker collects every bet. In both cases the hand "
        "ends without offers and without a second deal."
    ),
    "I-DEAL1.2": (
        "Once every bet is placed, the banker starts the deal (G.4). If time is called (G.3), the service starts the "
        "deal for the banker. Nobody starts the second deal: it follows immediately."
    ),
    "I-OFFER.1": (
        "Players make offers on a 3 up to a queen. On a king there are no offers: the second deal follows immediately, "
        "and no bet is insured."
    ),
    "I-OFFER.2": (
        "Every player must offer, in any order, a whole number of at least one chip from their stack; an offer cannot "
        "be changed. A player with an empty stack cannot offer and is not insured."
    ),
    "I-OFFER.3": "If time is called (G.3) while an offer is due, the service offers one chip for the player.",
    "I-ACC.1": (
        "Once every offer is made, the banker accepts or refuses each offer, in any order. The chips of a refused "
        "offer go back to the player's stack immediately."
    ),
    "I-ACC.2": (
        "If time is called (G.3) while answers of the banker are due, the service refuses the earliest of these offers."
    ),
    "I-DEAL2.1": (
        "Each player but the banker is dealt one card, from the banker's left; then all bets are settled. A player "
        "wins with a rank higher than the banker's, and ties with the same rank."
    ),
    "I-PAY.1": (
        "The order of settlement: first the banker collects the insurance of winners and losers, and the losing bets "
        "that are not insured. Then the insured losing bets, and tied bets with their insurance, go back. Then the "
        "banker pays the winning bets one to one, clockwise from the banker's left."
    ),
    "I-PAY.2": (
        "A banker with too few chips pays in the order of I-PAY.1 until none are left, the last winner in part. The "
        "winners' own bets always go back. The shortfall is recorded, and nobody owes it. In the non-gambling "
        "variation this banker is then knocked out."
    ),
    "I-END.1": (
        "The deck is used from hand to hand, as long as it has enough cards for the next hand: one card for each "
        "player of that hand, the banker included. If the deck has fewer cards, all 52 cards are shuffled before the "
        "next banker deals. In both games the old deck is retired only at that deal, because only then is it certain "
        "who plays, and so how many cards the hand needs."
    ),
    "I-END.2": (
        "The first banker's seat is chosen when the table is opened (default: seat 1). After each hand the next seat "
        "clockwise that is still in the game and able to play becomes the banker. In the gambling game the hand's "
        "first bet determines which seat this is; until then the banker shown is provisional."
    ),
    "I-END.3": "The cards allow two to 52 players; each table sets its own number of seats.",
}
