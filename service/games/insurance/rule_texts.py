"""The sections of the sheet of Insurance in our words, by heading; RULES.md says the same."""

from collections.abc import Mapping

RULES: Mapping[str, str] = {
    "INTRODUCTION": (
        "Two or more players play, and one of them is the banker; after each hand the next player clockwise becomes "
        "the banker. Our tables have 2 to 52 seats."
    ),
    "RANKS": "The ace is highest, the two lowest.",
    "BET": "Every player but the banker bets ten chips or more.",
    "FIRST ROUND DEAL": (
        "The banker's one card is dealt face up. On a two the banker pays all bets, and on an ace the banker "
        "collects all bets; either card ends the hand."
    ),
    "INSURANCE OFFER": "On any card from a three to a queen, every player offers a payment to insure the bet.",
    "ACCEPTANCE": "The banker accepts a payment, which insures that player's bet, or returns the payment.",
    "SECOND ROUND DEAL": "Each player but the banker is dealt a card, face up, clockwise from the banker's left.",
    "WINNING": (
        "A player wins only with a rank higher than the banker's. If the ranks are equal, bet and insurance go back."
    ),
    "PAYOUT": (
        "Winning bets are paid, insured or not. The banker collects a losing bet that is not insured; an insured "
        "losing bet goes back. The banker keeps accepted insurance whether the player wins or loses."
    ),
    "END OF HAND": (
        "Used cards are discarded. If the deck has too few cards for another hand, the pack is shuffled; then the "
        "next banker deals."
    ),
    "NON-GAMBLING VARIATION": (
        "All players start with the same number of chips. A player without chips is out; the last player in the "
        "game wins. The players may agree on a standard bet, which may rise as players are knocked out."
    ),
}
