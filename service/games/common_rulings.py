"""Rulings for all games: ours, under their names."""

from collections.abc import Mapping

COMMON_RULINGS: Mapping[str, str] = {
    "G.1": (
        'All choices written "at the same time" or "on paper" are sealed: stored so that no output of the '
        "service before the reveal depends on them, and opened, to those whom the rules let see them, in "
        "one step after the last."
    ),
    "G.2": (
        "A table pins, in its first event, the game, its edition (of rules and rulings), its options and "
        "the SHA-256 of the author's sheet as it lies beside this file. A change of a ruling is a new "
        "edition; old tables go on under theirs."
    ),
    "G.3": (
        "When the host calls time (always possible), or a table's time limit runs out (default: none), "
        "the decision due is made by the service, and is marked so, naming the seat. Bankrupt: hold, "
        "pass, decline. Insurance: the least bet, an offer of one, refuse. Hearts: slip 0 without foot; "
        "pass the three highest by rank then spades, hearts, diamonds, clubs; no bid showing the weakest "
        "card; the strongest leftover; the lowest legal card (lowest by rank, then clubs, diamonds, "
        "hearts, spades; strongest and weakest by IH.8). Where several decisions are due at once, those of "
        "seats that are late are made in the order of seats from the dealer's (the banker's) left. A deal "
        "not started in time is started: the one thing that moves by itself between hands; so is the first "
        "bet in Insurance's non-gambling variation, where nobody may leave and a player who never bets would "
        "hold up all. In its gambling form time is not called while no bet lies. The event says who called "
        "time, the host or the limit. A time limit that ran out while the service was down is set anew, never "
        "enforced."
    ),
    "G.4": (
        "The host starts the game once enough seats are taken; until then a player may leave and gets the "
        "buy-in back; after it nobody sits down, except in Insurance's gambling form, between hands. The "
        "dealer (Bankrupt, Hearts) or the banker (Insurance, once every bet is placed) starts the dealing "
        "of a hand; between hands nothing moves by itself, so that players may resign, leave, buy in or "
        "pause. Inside a hand all that nobody decides (the second deal of Insurance, showdown, "
        "settlement, the last leftover card, the end of the game) follows at once."
    ),
    "G.5": (
        'Order of a clockwise walk "from X\'s left" always starts at the next seat still concerned after X '
        "and ends with X where X is concerned."
    ),
    "G.6": (
        "A deck is retired when no card will be dealt from it again (it is to be shuffled before the next "
        "hand, or the game is over) and what it served last, a hand or the draw for the dealer, is over. "
        "From then on its whole order is public, with the seed that proves it; before that a card is seen "
        "only by those the rules let see it. Slips of a cancelled hand are no part of a deck and stay "
        "sealed."
    ),
    "G.7": (
        "Chips enter at a buy-in and leave at a cash-out, both against the house account; a table may "
        "give a chip a worth in a currency's minor units (Bankrupt: five dollars buy fifty pieces at ten "
        "cents). Bankrupt: equal buy-ins at the start only; the winner is paid out at the end, at once. "
        "Insurance gambling game: buy-ins between hands, cash-out on leaving. Insurance non-gambling "
        "variation: equal buy-ins at the start only, the winner is paid out."
    ),
    "G.8": (
        "These rulings are ours; the rules are their authors'. Wherever a game is shown, its author and "
        "year are named and rulings are called rulings."
    ),
    "G.10": (
        "Players sit down by themselves; a host seats only owners that it made, for whom it gave out a key. Anybody "
        "else it invites, while one may sit down (G.4): the invited may see a private table as everybody sees a "
        "public one, and sits down there or declines; the host may take the invitation back. At a private table "
        "only the host, whom it seats and who is invited sit down. An invitation ends when its holder sits down, "
        "when it is declined or taken back, and when nobody may sit down any more; whoever leaves needs a new one. "
        "It is no seat and counts as none. At a table at most 52 are open, and at most 1000 are made in all."
    ),
    "G.11": (
        "A player takes a seat at a table at most five times before the start and, where one may sit down later, "
        "at most five times between two hands."
    ),
    "G.12": (
        "A sealed value is erased by the service alone, on its operator's command, once no rule can open it or ask "
        "for it any more. That it was erased is an event; the game goes on as it was."
    ),
}
