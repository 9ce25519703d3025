"""Our rulings for Bankrupt, by name: how we read the sheet where the sheet is silent or ambiguous."""

from collections.abc import Mapping

RULINGS: Mapping[str, str] = {
    "B1.1": "A table has 2 to 17 seats; the default is 4.",
    "B4.1": (
        "All players buy the same number of pieces (option buy_in, default 50), only before the start (G.7). A piece "
        "may have a worth: for example, five dollars buy fifty pieces at ten cents. The winner is paid out as soon as "
        "the game ends."
    ),
    "B5.1": (
        "The first dealer is drawn from a freshly shuffled deck: each seat gets one card, clockwise from seat 1, "
        "and the highest rank deals. Only the players tied for the highest rank get another card, from a fresh deck "
        "if this one has too few cards for all of them. The decks of the draw are retired once the dealer is drawn; "
        "the game begins with a freshly shuffled deck."
    ),
    "B5.2": ("After each round, won or dead, the deal passes clockwise to the next seat still in the game."),
    "B6.1": (
        "The dealer starts a round (B8.1). Before the first card is dealt, each player places this round's ante: nine "
        "pieces, or all of a smaller stack."
    ),
    "B6.2": (
        "When a won round, or the last dead round of a streak (B17.2), is settled, the rest of every ante goes back to "
        "its player's stack immediately; the next round's ante is placed when that round starts. So between rounds, "
        "except in a dead streak, all chips are in stacks and the centre."
    ),
    "B7.0": (
        "The ritual is: shuffle, count off six cards twice, and turn up a card. It follows immediately after the draw "
        "for the first dealer. Unless the game is over, it also follows immediately after the settlement of a round in "
        "which the upturned card was exposed. So everybody sees the new upturned card before the next deal."
    ),
    "B7.1": (
        "After the ritual the order from the top is: the 39 remaining cards of the main deck, the upturned card, the "
        "six cards from the top, the six cards from the bottom (each six in their order in the deck)."
    ),
    "B7.2": (
        "When the round ends, used cards go to the bottom of the deck: seat by seat from the dealer's left, for each "
        "seat first its discard, then its two cards in the order dealt (a replacement card takes the place of the "
        "discarded card). An upturned card that was set aside does not go back."
    ),
    "B7.3": (
        "The upturned card is exposed as soon as it becomes the top card, even if the last card dealt in a round "
        "uncovers it. The upturned card is set aside immediately, dealing continues with the cards under it, and the "
        "whole deck is shuffled before the next round."
    ),
    "B7.4": (
        "From the ritual until the first card of the next deal leaves the deck, only the present view of the table "
        "shows the upturned card; no event, history or view of the past contains its face before it is exposed."
    ),
    "B7.5": (
        "With five or more players a used card can be dealt again from the same deck. It is dealt face down like any "
        "other card; players may remember it."
    ),
    "B8.1": (
        "The dealer starts the deal of a round (G.4). If time is called (G.3), the service starts the deal for the "
        "dealer."
    ),
    "B9.1": (
        "Hands are compared by pair (a pair beats no pair), then by the rank of the higher card, then by the rank of "
        "the second card. If two or more players have the best hand, the round is dead."
    ),
    "B11.1": (
        "Each player makes one decision, in order from the dealer's left, the dealer last: hold, throw in, or "
        "exchange one named card for the top card of the deck."
    ),
    "B11.2": (
        "A player who throws in immediately pays one piece of this round's ante to the centre (if this round's ante "
        "is empty, one piece of the newest earlier heap that is not empty). The player's other ante pieces stay in "
        "front of them and cannot be won in that round, and the player takes no part in the upping."
    ),
    "B11.3": (
        "A player who threw in during each of the last two rounds (or of as many rounds as the table agreed on) may "
        "not throw in during this round; dead rounds count as rounds."
    ),
    "B11.4": (
        "As soon as only one player is left in the round, that player wins it uncontested, without a decision: the "
        "last player cannot throw in. There is no upping, nothing is claimed from the antes, the centre stays (except "
        "by B12.8), the dead streak ends, and the winner shows no card."
    ),
    "B11.5": (
        "The kind of a decision is public immediately, but not the cards. A player decides once; nobody may throw in "
        "after an exchange. Until the deck is retired (G.6), only the player who discarded a card sees that card, and "
        "only the player who threw in sees the cards thrown in."
    ),
    "B11.6": "It is public whether the first or the second dealt card was exchanged; the card's face is not public.",
    "B11.7": "If time is called (G.3) while a decision on cards is due, the service holds for the player.",
    "B12.1": (
        "The right to offer passes clockwise from the dealer's left. Only the players after the offering player, up "
        "to and including the dealer, answer, in order; neither the right nor an offer returns to earlier players."
    ),
    "B12.2": (
        "An offer needs a player who can answer it: only a player with a non-empty stack has the right to offer, and "
        "only if at least one later player in the round, up to and including the dealer, has a non-empty stack too. "
        "If no player has the right, the upping is over."
    ),
    "B12.3": (
        "The player with the right offers or passes. After a pass the right moves on. If all players who may answer "
        "decline an offer, the offered pieces go back, the offer counts for collecting the centre, and the upping is "
        "over. Offered and accepted pieces stay in the players' offer accounts until the last answer; then, if at "
        "least one player accepted, all these pieces go to the centre together and the right moves on."
    ),
    "B12.4": (
        "A player answers each offer separately: a player who accepts lays down that offer's amount, even after "
        "declining an earlier offer."
    ),
    "B12.5": (
        "An offer is a whole number of pieces from 1 to the cap. The cap is six, or the smallest present non-empty "
        "stack of the players still in the round if that stack has fewer pieces."
    ),
    "B12.6": (
        "A player in the round whose stack is empty at their turn neither offers nor answers, and is skipped without "
        "a decision."
    ),
    "B12.7": (
        "A winner who made or accepted at least one offer in this round collects the whole centre. Otherwise the "
        "centre stays for later rounds."
    ),
    "B12.8": (
        "The one exception to B12.7: a winner on last legs in this round collects the centre without an offer or "
        "acceptance. A winner with a full ante and an empty stack does not collect in this way."
    ),
    "B12.9": (
        "If time is called (G.3) in the upping phase, the service passes for a player who has the right to offer, and "
        "declines for a player whose answer is due."
    ),
    "B15.1": (
        "The debt of one loser, before the multiplier: compare the highest cards of the winner and of that loser. If "
        "their ranks differ, the debt is the difference of the cards' values; if the ranks are equal, the debt is the "
        "difference of the second cards' values. The debt is at least 1."
    ),
    "B16.1": (
        "A winning pair is compared with the loser's highest card. If the pair's rank is lower, the debt is the value "
        "of that card minus the value of the pair's card; if the pair's rank is higher, the debt is the value of the "
        "pair's card minus the value of that card. The debt is at least 1. If the ranks are equal (the loser then "
        "has no pair: otherwise the round would be dead), the second cards decide as in B15.1."
    ),
    "B17.1": (
        "The multiplier is one more than the number of dead rounds in the streak before this round. A loser pays the "
        "multiplier times the debt of B15.1 or B16.1 from the ante heaps in front of them, the newest heap first, and "
        "never more than these heaps have."
    ),
    "B17.2": (
        "After the third dead round in a row (or after as many as the table agreed on) the whole centre is divided "
        "evenly among the players still in the game, whether they threw in or not. A player who lost their last piece "
        "in this round gets a share too, because B20.1 applies only after the settlement. The remainder of the "
        "division stays in the centre. Antes go back (B6.2) and the streak is over."
    ),
    "B18.1": "The service declares last legs for every player whose ante in this round is below nine, zero included.",
    "B18.2": (
        "A winner on last legs claims from each loser, after the multiplier, at most the winner's own ante of this "
        "round (not of earlier heaps)."
    ),
    "B19.1": (
        "A player may resign between rounds: before the first deal, and from the settlement of a round until the next "
        "deal. The player's pieces are the stack and, in a dead streak, all ante heaps. Ten or more pieces are "
        "divided evenly among the stacks of the remaining players, and the residue goes to the centre; nine or fewer "
        "all go to the centre. If the next dealer resigns, the deal passes on."
    ),
    "B20.1": "A player without a piece in stack or antes after the settlement of a round is bankrupt and out.",
    "B20.2": (
        "When one player remains, the game is over; that player gets the centre, and gets back their own antes of an "
        "unfinished streak."
    ),
    "BO1.1": (
        "With the option show_one_card (default off), each player in the round shows the highest card. A second card "
        "is shown by players who win or tie with a pair, by players who tie in a dead round, and, if a loser's highest "
        "card has the rank of the winner's, by that loser and the winner. A losing pair without such a tie shows one "
        "card, the first dealt. Cards that are not shown stay hidden until the deck is retired (G.6)."
    ),
    "BO2.1": (
        "The options max_dead_rounds (1 or more, default 3) and max_throw_ins_in_a_row (0 or more, default 2) set the "
        "limits; the service accepts numbers up to 100."
    ),
}
