"""The rules of the sheet of Insurance Hearts in our words, by heading; RULES.md says the same."""

from collections.abc import Mapping

RULES: Mapping[str, str] = {
    "standard rules": (
        "Four players play thirteen tricks a hand. Before the tricks each player passes three cards: to the left in "
        "the first hand, to the right in the second, and across in the third; nobody passes in the fourth hand, and "
        "then this order repeats. The two of clubs leads, and players follow suit. No card with points is played on "
        "the first trick, and no heart is led until hearts are broken. Each heart taken counts one point, the queen "
        "of spades thirteen; if one player takes all these points, the points count against each of the other "
        "players instead. After the hand in which a total reaches the target, the lowest total wins."
    ),
    "Insurance": (
        "After the deal and before passing, each player secretly writes down a number from zero to six. At the end "
        "of the hand, the player who took the queen of spades subtracts their number from their points; every other "
        "player adds theirs. If one player takes all points, that player's number is subtracted from the points of "
        "each other player."
    ),
    "Bidding": (
        "Each player is dealt twelve cards. The last four cards go to the table, and are turned up after passing. "
        "Each player writes down a bid in points for one of these four cards, or no bid. A bid is at least the "
        "start-up bid of the card's suit. Each player also shows a card of their hand. The highest bid for a card "
        "buys the card; of equal bids, the bid with the stronger card shown buys the card. The points of the bid "
        "are added to the buyer's score. The players who bought no card choose from the leftovers; the player who "
        "showed the strongest card chooses first."
    ),
    "Foot Rule": (
        "Each player may call a foot once a game, on the slip; a call cancels the hand. After the last slip the "
        "calls are made public. If anybody called, the hand ends without a score: the next dealer deals, and cards "
        "are passed in the next direction."
    ),
}
