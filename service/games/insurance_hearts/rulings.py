"""Our rulings for Insurance Hearts, by name: how we read the sheet where the sheet is silent or ambiguous."""

from collections.abc import Mapping

RULINGS: Mapping[str, str] = {
    "H-DEAL.1": (
        "The first dealer is drawn as in B5.1; after every hand, a cancelled one included, the deal passes clockwise. "
        "All 52 cards are shuffled for every hand and dealt one at a time from the dealer's left: thirteen to each "
        "player, or, with bidding, twelve to each player and the last four to the table."
    ),
    "H-DEAL.2": (
        "The dealer starts the deal of a hand (G.4). If time is called (G.3), the service starts the deal for the "
        "dealer."
    ),
    "H-PASS.1": (
        "All players choose three cards at the same time. The choices are sealed until all have chosen, and then "
        "opened to giver and receiver only (to everybody once the deck is retired). Cards go left, right, across, and "
        "in the fourth hand nowhere; then this order repeats."
    ),
    "H-PASS.2": (
        "If time is called (G.3) while a player's choice is due, the service passes the player's three highest cards, "
        "by rank, then by spades, hearts, diamonds, clubs."
    ),
    "H-LEAD.1": "The player who has the two of clubs after passing and auction leads it to the first trick.",
    "H-FOLLOW.1": (
        "A player follows suit if able, and otherwise plays any card. The player of the highest card of the suit led "
        "takes the trick and leads the next trick."
    ),
    "H-FOLLOW.2": (
        "If time is called (G.3) while a player's card is due, the service plays the player's lowest legal card, by "
        "rank, then by clubs, diamonds, hearts, spades."
    ),
    "H-FIRST.1": (
        "A player may play a heart or the queen of spades on the first trick only if their hand has nothing else."
    ),
    "H-BREAK.1": (
        "A heart may be led only once a heart has been played, or from a hand of hearts only. The queen of spades "
        "does not break hearts (unless the option queen_breaks_hearts is on; default off), and may be led at any time; "
        "a player with only hearts and the queen of spades must lead the queen until hearts are broken."
    ),
    "H-SCORE.1": (
        "Each heart counts one point, the queen of spades thirteen. A player who takes all 26 points shoots the moon: "
        "that player scores 0, and each other player 26."
    ),
    "H-SCORE.2": (
        "The game is played for points and has no chips (G.7): a seat costs nothing, and a table cannot give chips a "
        "worth."
    ),
    "H-END.1": (
        "The game ends after the hand in which a total reaches 100 or more (option target). The lowest total wins; "
        "players tied at the lowest total win together."
    ),
    "IH.1": (
        "The order of a hand: deal; slips (insurance and foot); foot calls opened; passing; the four cards turned up; "
        "auction; choice of leftovers; tricks; scoring. The steps of a rule that is switched off are left out."
    ),
    "IH.2": (
        "If the insurance rule or the foot rule is on, every player writes one slip before passing: an insurance "
        "number from 0 to 6 if the insurance rule is on, and whether the player calls a foot if the foot rule is on. "
        "Slips are sealed and cannot be changed; the other players see only that a slip is written."
    ),
    "IH.3": (
        "After the last slip the service opens the foot calls and nothing else. Any call cancels the hand: nobody "
        "scores, and every caller has used their one foot. The numbers on the slips are then closed for good: only the "
        "player who wrote a slip may still read its number. The next dealer deals, and the direction of passing moves "
        "on."
    ),
    "IH.4": "A player may call only one foot in a game.",
    "IH.5": (
        "Insurance at the end of the hand: the player who took the queen of spades scores their points minus their own "
        "insurance; each other player scores their points plus their own insurance."
    ),
    "IH.6": (
        "Shooting the moon: the shooter scores 0, and each other player 26 minus the shooter's insurance; no player's "
        "own insurance is added."
    ),
    "IH.7": (
        "Auction: at the same time and sealed, each player makes a bid or no bid, and in both cases shows one card of "
        "their present hand. A bid names one of the four cards and a number of at least its suit's start-up bid "
        "(spades 3, hearts 2, diamonds 1, clubs 0). A bid of 0 for a club is a bid, and beats every player who made no "
        "bid. The only upper limit is the service's own, 999."
    ),
    "IH.8": (
        "All four bids and the cards shown are opened together. The highest bid for a card takes the card; of equal "
        "bids, the bid with the stronger card shown takes the card (spades, hearts, diamonds, clubs; then ace down to "
        "two). The cards shown go back to their hands."
    ),
    "IH.9": (
        "The players without a card choose from the leftovers, openly and in turn; the player who showed the strongest "
        "card chooses first. The last player gets the last card without a choice."
    ),
    "IH.10": (
        "The number of a successful bid is added to the bidder's score for the hand, even if somebody shoots the "
        "moon. Nothing is added for a leftover."
    ),
    "IH.11": (
        "All parts of a hand's score (points, insurance, bids) count toward the target. A hand's score is "
        "never negative: IH.5 subtracts at most 6, from at least 13 points."
    ),
    "IH.12": (
        "If time is called (G.3) while a slip is due, the service writes a slip with the insurance number 0 and "
        "without a foot."
    ),
    "IH.13": (
        "If time is called (G.3) in the auction, the service makes no bid for a player whose bid is due, and shows the "
        "weakest card of that player's hand. For a player whose choice is due, the service chooses the strongest "
        "leftover. IH.8 says which card is weakest or strongest."
    ),
}
