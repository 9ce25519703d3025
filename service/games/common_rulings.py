"""Our rulings for every game, by name."""

from collections.abc import Mapping

COMMON_RULINGS: Mapping[str, str] = {
    "G.1": (
        'Choices that a sheet has players make "at the same time" or "on paper" are sealed: no output of the '
        "service depends on them before they are opened. After the last of them the service opens all in one step, "
        "to the players who may see them by the rules."
    ),
    "G.2": (
        "A table's first event records the game, its edition (of rules and rulings), its options and the SHA-256 "
        "of the author's sheet. A changed ruling makes a new edition; a table keeps the edition that it was opened "
        "with."
    ),
    "G.3": (
        "When the host calls time (always possible), or the table's time limit ends (default: no limit), the "
        "service makes the decision that is due; the event names the seat and says who called time, the host or "
        "the limit. Bankrupt: hold, pass, decline. Insurance: the least bet, an offer of one chip, refuse. Hearts: "
        "a slip of 0 without a foot; pass the three highest cards by rank, then by spades, hearts, diamonds, clubs; "
        "no bid, showing the weakest card; the strongest leftover; the lowest legal card by rank, then by clubs, "
        "diamonds, hearts, spades (strongest and weakest by IH.8). Where several decisions are due at once, the "
        "service decides for the late seats in the order from the dealer's (in Insurance, the banker's) left. "
        "Between hands the service starts a deal that is not started in time, and nothing else, with one exception: "
        "in Insurance's non-gambling variation it also places the first bet, because nobody may leave there and a "
        "player who never bets would block the game. In the gambling game time is not called while no bet is on "
        "the table. A time limit that ended while the service was down starts again and is not enforced."
    ),
    "G.4": (
        "The host starts the game once enough seats are taken. Before the start a player may leave and gets the "
        "buy-in back; after the start nobody takes a seat, except between hands of Insurance's gambling game. The "
        "dealer (Bankrupt, Hearts) or the banker (Insurance, once every bet is placed) starts the deal of a hand; "
        "between hands the service does nothing by itself, so that players may resign, leave, buy in or pause. "
        "Within a hand, every step that no player decides (the second deal of Insurance, showdown, settlement, the "
        "last leftover card, the end of the game) follows at once."
    ),
    "G.5": (
        'A clockwise order "from X\'s left" starts with the next seat after X that takes part, and ends with X '
        "if X takes part."
    ),
    "G.6": (
        "A deck is retired when no card will be dealt from it again (it will be shuffled before the next hand, or "
        "the game is over) and its last hand, or the draw for the dealer, is over. From then on its whole order is "
        "public, with the seed that proves it; before that, only players who may see a card by the rules see it. "
        "Slips of a cancelled hand do not belong to a deck and stay sealed."
    ),
    "G.7": (
        "A buy-in moves chips from the house account, a cash-out moves them back; a table may give a chip a worth "
        "in a currency's minor units (Bankrupt: five dollars buy fifty pieces at ten cents). Bankrupt: equal "
        "buy-ins, at the start only; the winner is paid out as soon as the game ends. Insurance, gambling game: "
        "buy-ins between hands, a cash-out on leaving. Insurance, non-gambling variation: equal buy-ins, at the "
        "start only; the winner is paid out."
    ),
    "G.8": (
        "These rulings are ours; the rules are their authors'. Wherever the service shows a game, it names the "
        "author and the year, and calls our rulings rulings."
    ),
    "G.10": (
        "Players take seats themselves; a host seats only owners that it created, to whom it issued a key. The host "
        "invites other players, as long as players may take seats (G.4). An invited player may see a private table "
        "as everybody sees a public one, and takes a seat or declines; the host may withdraw the invitation. At a "
        "private table only the host, owners that the host seats, and invited players take seats. An invitation "
        "ends when the player takes a seat, when it is declined or withdrawn, and when players may no longer take "
        "seats; a player who leaves needs a new one. It is not a seat and does not count as one. A table has at "
        "most 52 open invitations, and makes at most 1000 in all."
    ),
    "G.11": (
        "A player takes a seat at a table at most five times before the start and, where players may take seats "
        "later, at most five times between two hands."
    ),
    "G.12": (
        "Only the service erases a sealed value, on its operator's command, once no rule can open or use it any "
        "more. The erasure is recorded as an event and does not change the game."
    ),
}
