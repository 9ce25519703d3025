"""The rules and options of the sheet of Bankrupt in our words, by number; RULES.md says the same."""

from collections.abc import Mapping

RULES: Mapping[str, str] = {
    "1": "Four players are ideal, each for themselves. Our tables have 2 to 17 seats.",
    "2": "The pack has 52 cards, no jokers. Suits never matter.",
    "3": (
        "Ranks run from two to ace. A number card has the value of its number; a jack, a queen and a king each have "
        "the value ten, and an ace has eleven."
    ),
    "4": "All players start with the same number of pieces of the same worth.",
    "5": (
        "The player who draws the highest card deals first; only players who tie for the highest card draw again. "
        "The deal then passes clockwise, round by round."
    ),
    "6": "At the start of every round each player places an ante of nine pieces.",
    "7": (
        "After a shuffle six cards are taken off the top and six off the bottom. The top card of the main deck is "
        "shown to everybody and put, face up, under the main deck and on top of those twelve. Nobody may look at "
        "this card again until it is the top card. Then the card is set aside, the deal continues with the card "
        "below, and the deck is shuffled before the next round. Used cards go under the deck."
    ),
    "8": "Each player is dealt two cards, face down, one at a time, from the dealer's left.",
    "9": (
        "The highest card wins; in a tie the second card decides. If the second cards tie too, the round is dead: "
        "nobody wins or loses."
    ),
    "10": (
        "A pair beats every hand without a pair, and a higher pair beats a lower. If the highest pairs are equal, "
        "the round is dead."
    ),
    "11": (
        "From the dealer's left each player holds (keeps both cards), throws in the hand, or exchanges one card for "
        "the top card of the deck. A player who throws in leaves the round and forfeits one piece of the ante to "
        "the centre; nobody may do this in more than two rounds in a row."
    ),
    "12": (
        "Upping the ante: from the dealer's left each player but the dealer may offer one to six pieces, but no "
        "more than the smallest non-empty stack in the round. Each player after the offering player, up to and "
        "including the dealer, lays down the same number of pieces or declines. If all decline, the offer goes back "
        "and the upping is over, but the offer still counts for collecting the centre. A player with an empty stack is "
        "skipped. The laid pieces go to the centre, and only a winner who offered or accepted collects the centre "
        "(rule 18 has an exception)."
    ),
    "13": "All players still in the round show both cards.",
    "14": "A winner who offered or accepted takes the whole centre. After a dead round the centre stays.",
    "15": (
        "Clockwise from the winner's left, the winner takes from each loser's ante the value of the winner's "
        "highest card minus the value of the loser's highest card; if these two cards have the same rank, the "
        "second cards decide. The winner takes at least one piece from each loser."
    ),
    "16": (
        "A winning pair that is lower than the loser's highest card takes the value of this card minus the value of "
        "one card of the pair, and at least one piece; any other pair takes as in rule 15."
    ),
    "17": (
        "After a dead round each player places another ante beside the first, and the winner of the next round "
        "takes twice as much; after two dead rounds in a row, three times as much. After a third dead round in a "
        "row the centre is divided evenly among the players in the game; the remainder stays, and the antes go "
        "back."
    ),
    "18": (
        "A player who cannot place nine pieces places the rest of the stack and is on last legs. A winner on last "
        "legs takes from each loser at most the ante that the winner placed this round, and takes the centre "
        "without an offer or acceptance. A loser on last legs owes the full amount, and pays it from the antes in "
        "front of them."
    ),
    "19": (
        "Between rounds a player may resign. If this player has ten or more pieces, the pieces are divided evenly "
        "among the other players, and the remainder goes to the centre; nine or fewer all go to the centre."
    ),
    "20": "A player with no pieces left is bankrupt and out. The last player in the game wins everything.",
    "option 1": "Players show only one card if this card settles the round.",
    "option 2": (
        "Players may agree on another limit for dead rounds in a row, and on another limit for rounds in a row in "
        "which one player throws in."
    ),
}
