"""How Bankrupt's sheet is read where it is silent: ours, under their names."""

from collections.abc import Mapping

RULINGS: Mapping[str, str] = {
    "B1.1": "2 to 17 players may sit down; 4 is the default.",
    "B5.1": (
        "The first dealer is drawn from a freshly shuffled deck: one card to each seat clockwise from "
        "seat 1; highest rank deals; those tied for highest, and only those, are dealt another, from a "
        "fresh deck should this one not hold a card for each of them. The draw's deck is retired once the "
        "dealer is found. The deck is then shuffled anew for the game."
    ),
    "B5.2": (
        "The deal passes each round to the next seat clockwise still in the game, whether the round was won or dead."
    ),
    "B6.1": (
        "A round starts with the dealer's deal (G.4). Then, before the first card, each player places "
        "this round's ante: nine, or all of a smaller stack."
    ),
    "B6.2": (
        "When a won round or the third dead round is settled, what is left of all antes goes back to its "
        "player's stack at once; the nine of the next round are placed at its start. So between rounds, "
        "outside a dead streak, only stacks and the centre hold chips."
    ),
    "B7.0": (
        "The ritual (shuffle, six and six, the upturned card) follows at once after the draw for the "
        "first dealer and whenever a round is settled in which the upturned card was exposed (unless the "
        "game is over), so that all see the new upturned card before the next deal."
    ),
    "B7.1": (
        "After a shuffle the order from the top is: the 39 remaining cards of the main deck, the upturned "
        "card, the six taken off the top, the six taken off the bottom (each six in the order in which "
        "they lay)."
    ),
    "B7.2": (
        "Used cards go to the bottom when the round ends: seat by seat from the dealer's left, for each "
        "seat first the card it discarded, then its two cards in the order dealt (a replacement stands in "
        "the place of the card it replaced). Set-aside upturned cards do not go back."
    ),
    "B7.3": (
        "The upturned card is exposed as soon as no card lies on it, even when it becomes the top card "
        "through the last card of a round. It is set aside at that moment, dealing goes on from under it, "
        "and the whole deck is reshuffled before the next round."
    ),
    "B7.4": (
        "The upturned card is shown by the table's present view, and by nothing else, from the ritual "
        "until the first card of the next deal leaves the deck; its face enters no event, history or view "
        "of the past before it is exposed."
    ),
    "B7.5": (
        "From five players on a used card can come round again in one deck's life. It is dealt face down "
        "like any other; who remembers it, remembers."
    ),
    "B9.1": (
        "Hands compare as: pair beats no pair; then rank of the highest card; then rank of the second. If "
        "two or more players hold the best hand, the round is dead."
    ),
    "B11.1": (
        "One decision each, in order from the dealer's left, the dealer last: hold, throw in, or exchange "
        "one named card for the top card of the deck."
    ),
    "B11.2": (
        "A player who throws in pays one piece of this round's ante to the centre at once (of the newest "
        "earlier heap that holds any, where this round's ante is empty). Their other pieces stay in front "
        "of them, cannot be won in that round, and they take no part in the upping."
    ),
    "B11.3": (
        "Throwing in is refused to a player who threw in in each of the two rounds before (the table's "
        "agreed number, default two); dead rounds count as rounds."
    ),
    "B11.4": (
        "As soon as only one player is left in the round, it is won uncontested by that player, without a "
        "decision of theirs: the last one left cannot throw in. There is no upping, nothing is claimed "
        "from antes, the centre stays (B12.8 excepted), the dead streak ends, and the winner shows no "
        "card: there is nothing left to resolve."
    ),
    "B11.5": (
        "The kind of a decision is public at once, its cards are not. A player decides once; nobody "
        "throws in after an exchange. A discarded card, and the cards of a player who threw in, are seen "
        "by their player alone until the deck is retired (G.6)."
    ),
    "B11.6": "Which of the two cards was exchanged (first or second dealt) is public; its face is not.",
    "B12.1": (
        "The right to offer goes clockwise from the dealer's left. Only those after the offering player, "
        "up to and including the dealer, answer, in order; it never comes round again to those before."
    ),
    "B12.2": (
        "An offer needs someone to answer it: the right falls only to a player with a non-empty stack "
        "after whom, up to and including the dealer, at least one player still in the round has a "
        "non-empty stack too. Where there is none the upping is over."
    ),
    "B12.3": (
        "Offer or pass. A pass moves the right on. If an offer is declined by all who may answer, the "
        "offered pieces go back, it counts as an offer for collecting, and the upping phase is over. "
        "Offered and accepted pieces lie in the players' offer until the last has answered; if at least "
        "one accepted, all of them then go to the centre together and the right moves on."
    ),
    "B12.4": (
        "A player answers each offer on its own: accepting means laying down that offer's amount, "
        "whatever was declined before."
    ),
    "B12.5": (
        "An offer is a whole number from 1 to the cap: the smallest of six and every stack, taken at that "
        "moment, of the players still in the round whose stack is not empty."
    ),
    "B12.6": (
        "A player still in the round whose stack is empty at their turn takes no part: they neither offer "
        "nor answer, and are passed over without a decision."
    ),
    "B12.7": (
        "The winner collects the whole centre if they made at least one offer or acceptance in this "
        "round. Otherwise the centre stays for later rounds."
    ),
    "B12.8": (
        "The one exception: a winner who declared last legs for this round collects the centre without an "
        "offer or acceptance. A player with a full ante and an empty stack does not."
    ),
    "B15.1": (
        "What one loser owes, before the multiplier: compare the winner's and that loser's highest cards. "
        "Different ranks: the difference of values, at least 1. Same rank: the difference of the second "
        "cards' values, at least 1."
    ),
    "B16.1": (
        "A winning pair against a loser's hand: pair rank lower than the loser's highest card: value of "
        "that card minus value of the pair, at least 1. Pair rank higher: value of the pair minus value "
        "of that card, at least 1. Same rank (the loser holds no pair, or it would be dead): the second "
        "cards decide as in B15.1."
    ),
    "B17.1": (
        "The multiplier is one more than the number of dead rounds in the streak before this round. A "
        "loser pays multiplier × B15.1/B16.1 from the antes in front of them, newest heap first, and "
        "never more than stands there."
    ),
    "B17.2": (
        "After the third dead round in a row (the table's agreed number, default three) the whole centre "
        "is divided evenly among the players still in the game, thrown in or not (one whose last piece "
        "went in this very round included: B20.1 is asked after settlement); what does not divide stays "
        "in the centre. Antes go back (B6.2) and the streak is over."
    ),
    "B18.1": ("Last legs are declared by the service whenever this round's ante is less than nine, zero included."),
    "B18.2": (
        "A winner on last legs claims from each loser at most this round's ante of their own (not the "
        "earlier heaps), after the multiplier."
    ),
    "B19.1": (
        "A player may resign whenever no round is under way: before the first deal, and after a round is "
        "settled until the dealer deals again. What counts is the stack and, in a dead streak, every ante "
        "in front; shares go to the others' stacks. If the dealer to be resigns, the deal passes on. Ten "
        "or more: an even share to each remaining player, the residue to the centre; nine or fewer: all "
        "to the centre."
    ),
    "B20.1": "A player with no piece in stack or antes after a round is settled is bankrupt and out.",
    "B20.2": (
        "When one player remains, the game is over; what lies in the centre is theirs, and antes of a "
        "streak cut short go back to them."
    ),
    "BO1.1": (
        "Option show_one_card (default off): each player still in shows the highest card. The second card "
        "is shown too by those who hold or tie for the best hand with a pair, by those who tie for best "
        "in a dead round, and, where a loser's highest card is of the rank of the winner's, by that loser "
        "and by the winner. A losing pair without that tie shows one card, the first dealt. Cards not "
        "shown stay hidden until the deck is retired (G.6)."
    ),
    "BO2.1": ("Options max_dead_rounds (default 3, 1 or more) and max_throw_ins_in_a_row (default 2, 0 or more)."),
}
