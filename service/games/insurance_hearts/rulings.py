"""How the sheet of Insurance Hearts is read where it is silent: ours, under their names."""

from collections.abc import Mapping

RULINGS: Mapping[str, str] = {
    "H-DEAL.1": (
        "The first dealer is drawn as in B5.1; the deal moves clockwise after every hand, a cancelled one "
        "included. One card at a time from the dealer's left, thirteen each; with bidding twelve each, and "
        "the last four lie in the middle. A fresh shuffle of 52 for every hand."
    ),
    "H-PASS.1": (
        "Three cards, all players at the same time and sealed until all have chosen, then opened to giver "
        "and receiver only (to all when the deck is retired); left, right, across, none, and again."
    ),
    "H-LEAD.1": "The two of clubs leads the first trick, by whoever holds it after passing and auction.",
    "H-FOLLOW.1": ("Follow suit if able, else any card. Highest of the suit led takes the trick and leads the next."),
    "H-FIRST.1": "No heart and no queen of spades on the first trick, unless the hand holds nothing else.",
    "H-BREAK.1": (
        "A heart may be led only once a heart has been played, or when the hand holds only hearts. The "
        "queen of spades does not break hearts, and may be led at any time; a hand of hearts and the queen "
        "of spades must lead the queen until hearts are broken. Option queen_breaks_hearts (default off)."
    ),
    "H-SCORE.1": (
        "One point a heart, thirteen the queen of spades. All 26 to one player is shooting the moon: 0 for "
        "that player, 26 for each other."
    ),
    "H-END.1": (
        "The game ends after the hand in which a total reaches 100 or more (option target); the lowest "
        "total wins; players level at the lowest win jointly."
    ),
    "IH.1": (
        "Order of a hand: deal; slips (insurance and foot); foot told; pass; the four cards revealed; "
        "auction; leftover choices; tricks; scoring. With a rule switched off its step is left out."
    ),
    "IH.2": (
        "With either insurance or foot on, every player writes one slip before passing: an insurance 0–6 "
        "if insurance is on, and whether a foot is called if foot is on. Slips are sealed, cannot be "
        "changed, and others learn only that a slip is in. With insurance off a slip holds the foot call "
        "alone."
    ),
    "IH.3": (
        "When the last slip is in, foot calls are told, nothing else. Any call cancels the hand: no "
        "scores, every caller has used their one foot, numbers on the slips stay sealed to everybody for "
        "good. The next dealer deals and the pass direction moves on."
    ),
    "IH.4": "A second foot by the same player in one game is refused.",
    "IH.5": (
        "Insurance at the end of the hand: the taker of the queen of spades scores their points less their "
        "own insurance; each other player scores theirs plus their own insurance."
    ),
    "IH.6": (
        "Shooting the moon: the shooter scores 0, each other player 26 less the shooter's insurance; "
        "nobody's own insurance is added."
    ),
    "IH.7": (
        "Auction: each player at the same time, sealed, names either a card of the four and a number of at "
        "least that suit's start-up bid (spades 3, hearts 2, diamonds 1, clubs 0), or no bid; and always "
        "shows one card of their hand as it then is. A named club at 0 is a bid and beats every no-bidder. "
        "There is no upper limit but the service's own guard against absurd numbers (999)."
    ),
    "IH.8": (
        "All four slips and shown cards are revealed together. The highest number for a card takes it; "
        "equal numbers: the stronger shown card (spades, hearts, diamonds, clubs; then ace down to two). "
        "Shown cards go back to their hands."
    ),
    "IH.9": (
        "Those without a card choose from what is left, strongest shown card first, openly and in turn; "
        "the last card goes to the last player without a choice of theirs."
    ),
    "IH.10": (
        "A successful bid's number is added to its bidder's score for the hand, moon or not. Nothing is "
        "added for a leftover card."
    ),
    "IH.11": (
        "Everything in a hand's score (points, insurance, bids) counts toward the target. A hand's score "
        "is never negative by IH.5 (13 less 6 at least)."
    ),
}
