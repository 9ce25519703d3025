"""Our rulings for every game, by name."""

from collections.abc import Mapping

COMMON_RULINGS: Mapping[str, str] = {
    "G.1": (
        'If a sheet says that players choose "at the same time" or "on paper", their choices are sealed: no output of '
        "the service depends on these choices before the service opens them. After the last choice the service opens "
        "all of them in one step, to the players who may see them by the rules."
    ),
    "G.2": (
        "A table's first event records the game, its edition (of rules and rulings), its options and the SHA-256 "
        "of the author's sheet. A changed ruling makes a new edition; a table keeps the edition that it was opened "
        "with."
    ),
    "G.3": (
        "When the host calls time, or the table's time limit ends (default: no limit), the service makes the decision "
        'that is due. The event names the seat, and its member "called" says who called time: the host or the limit. '
        "Each game has rulings on the decisions that the service makes; a ruling of a game may say when nobody may "
        "call time. If several decisions are due at the same time, the service decides for the late seats in order, "
        "from the left of the player who deals. Between hands the service starts a deal that is not started in time, "
        "and does nothing else, unless a ruling of the game says so. A time limit that ended while the service was "
        "down is not enforced; it starts again."
    ),
    "G.4": (
        "The host starts the game once enough seats are taken. Before the start a player may leave and gets the "
        "buy-in back, and the host may close the table, which returns every buy-in. After the start nobody may take "
        "a seat or leave, and the host may not close the table, unless a ruling of the game says otherwise. Each game "
        "has a ruling on who starts the deal of a hand. Between hands the service does nothing by itself, so that "
        "players may do what their game allows between hands, or pause. Within a hand, every step that no player "
        "decides (such as the settlement, or the end of the game) follows immediately."
    ),
    "G.5": (
        'A clockwise order "from X\'s left" starts with the next seat after X that takes part, and ends with X '
        "if X takes part."
    ),
    "G.6": (
        "A deck is retired when no card will be dealt from it again (the cards will be shuffled before the next "
        "hand, or the game is over) and its last hand, or the draw for the dealer, is over. From then on the whole "
        "order of the deck is public, with the seed that proves the order; before, only the players who may see a "
        "card by the rules see that card. Slips of a cancelled hand do not belong to a deck and stay sealed."
    ),
    "G.7": (
        "A buy-in moves chips from the house account to a player. A cash-out moves a player's chips back: when the "
        "player leaves, when the host closes the table, or when the player has won the game. A table may give a chip "
        "a worth in a currency's minor units. Each game has a ruling on who may buy chips, how many and when, or on "
        "what it has in place of chips."
    ),
    "G.8": (
        "These rulings are ours; the rules are their authors'. Wherever the service shows a game, it names the "
        "author and the year, and calls our rulings rulings."
    ),
    "G.9": (
        "A table may be opened with players' seeds. Then the service commits to its decks in batches. For each "
        "batch every player in the game first commits to a seed of their own. Once all have committed, or time "
        "was called for the others, everybody who has committed shows the seed. The seeds go into every deck of "
        "the batch. If a seed is not shown when time is called, no player's seed goes into the batch, and the "
        "event names who owed a seed. The next batch is collected while hands are played. The start of the game "
        "waits for the first seeds, and the draw for the dealer, if the game has one, follows at once. Later, if "
        "the next deal needs a shuffle and no deck is ready, the deal waits too, with everything that must come "
        "before it; a settlement never waits. While the game waits, the players who owe a seed are due, and time "
        "may be called for them (G.3). If a player takes a seat or leaves during the game, the decks of the batch "
        "that are not fixed yet are never used; their seeds are revealed once the seeds of the next batch are "
        "shown or dropped."
    ),
    "G.10": (
        "Players take seats themselves; a host may seat only owners for whom the host has made a key. The host may "
        "invite any other owner while players may take seats (G.4). An invited owner may see a private table as "
        "everybody sees a public table, and may take a seat or decline; the host may withdraw the invitation. At a "
        "private table only the host, owners that the host seats, and invited owners may take seats. An invitation "
        "ends when its owner takes a seat or declines, when the host withdraws the invitation, and when no more "
        "seats may be taken for the rest of the game; a player who leaves needs a new invitation. An invitation "
        "does not reserve a seat, and does not count as a seat. A table may have at most 52 open invitations, and "
        "at most 1000 invitations in all."
    ),
    "G.11": (
        "An owner may take a seat at a table at most five times before the start and, if seats may be taken later, at "
        "most five times between two hands."
    ),
    "G.12": (
        "Only the service may erase a sealed value, on its operator's command, and only once no rule can open or use "
        "the value any more. The erasure is recorded as an event and does not change the game."
    ),
    "G.13": (
        "A player may register a signing key for the player's own seat while no hand is played; the host may do so "
        "for its own seat only. From then on every decision of the seat needs a signature by this key, except the end "
        "of the key, which the player may declare at any time. Another key needs the signatures of both keys. Without "
        "a key the decisions of a seat are unsigned. A decision that the service makes when time is called (G.3) needs "
        "no signature. A key ends when the player leaves the seat."
    ),
}
