"""The bots' strategy for Insurance Hearts; it uses only what its seat may see."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final

from service.bots.strategies.insurance_hearts.hearts_tricks import ABOVE_QUEEN, QUEEN, Outlook, to_play
from service.cards import SUITS, UNKNOWN, Face, rank, suit
from service.client.table_answers import Action, Move, Table

_MOST_INSURANCE: Final = 6
_PASSED: Final = 3  # the number of cards that a player passes
_BAD: Final = 13.0  # if a hand costs more than this after passing, the player calls a foot: about one hand in thirty
_SHARE_OFFERED: Final = 3
"""A bid is one point above the least bid for each three points that the card saves beyond the least bid."""
_MOST_OFFERED: Final = 2  # the maximum number of points that a bid adds to the least bid


def choose(moves: Sequence[Move], table: Table, _dice: Random) -> Action:
    """Return an action for the seat `you` of *table*; this seat is due."""
    hand = _hand(table)
    return _STRATEGIES[moves[0].kind](moves, hand, table)


def cost(card: Face, hand: Sequence[Face]) -> float:
    """Return an estimate of the points that *card* costs a player who has the other cards of *hand* too.

    This estimate decides on passes, bids, leftovers and foot calls.
    """
    others = [one for one in hand if one != card and suit(one) == suit(card)]
    lower = sum(rank(one) < rank(card) for one in others)
    if card == QUEEN:
        return max(1.0, 9.0 - 2.0 * len(others))
    if suit(card) == "s":
        return max(0.3, 4.0 - lower) if card in ABOVE_QUEEN and QUEEN not in others else -0.3
    height = (rank(card) - 2) / 12
    is_covered = lower >= 3  # noqa: PLR2004  # the player can play three lower cards first
    of_suit = 3.0 if suit(card) == "h" else 1.8
    return of_suit * height * (0.4 if is_covered else 1.0)


def hand_cost(hand: Sequence[Face]) -> float:
    """Return an estimate of the points that all cards of *hand* cost together."""
    return sum(cost(card, hand) for card in hand)


def chance_of_queen(hand: Sequence[Face], *, passes: bool) -> float:
    """Return an estimate of the chance, 0.05 to 0.95, that the player takes the queen of spades in this hand.

    *passes* says whether cards are passed in this hand: then the player can pass the queen on.
    """
    spades = [card for card in hand if suit(card) == "s"]
    high = sum(card in ABOVE_QUEEN for card in spades)
    low = len(spades) - high - (QUEEN in hand)
    if QUEEN in hand:
        return _within(0.3 - 0.05 * low if passes else 0.85 - 0.2 * (len(spades) - 1))
    is_bare = low < 3  # noqa: PLR2004  # three low spades can be played before a high one
    if not passes:
        return _within(0.12 + 0.3 * high * is_bare)
    return _within(0.36 - 0.07 * low + 0.08 * high * is_bare)


def insurance(hand: Sequence[Face], *, passes: bool) -> int:
    """Return the insurance number: the likelier the player is to take the queen of spades, the higher the number.

    The player who took the queen subtracts their number from their points, and every other player adds theirs (IH.5),
    unless one player took all points (IH.6).
    """
    chance = chance_of_queen(hand, passes=passes)
    return max(0, min(_MOST_INSURANCE, round((chance - 0.4) * 5 * _MOST_INSURANCE)))


def to_pass(hand: Sequence[Face], count: int) -> tuple[Face, ...]:
    """Return *count* cards of *hand* to pass: cards that cost many points, and cards of short suits."""
    rest, passed = list(hand), []
    for _ in range(count):
        worst = max(rest, key=lambda card: (cost(card, rest) + _to_void(card, rest), rank(card)))
        rest.remove(worst)
        passed.append(worst)
    return tuple(passed)


def to_bid(cards: Sequence[Face], least: Mapping[Face, int], hand: Sequence[Face]) -> tuple[Face, int]:
    """Return which of the four *cards* to bid for, and the bid; or "" and 0, if no card saves more than its least bid.

    A card saves the difference between the mean cost of the other three cards and its own cost, in points. *least* has
    the least bid for each card. If the least bid is 0, the bid is 0.
    """
    saved = {card: _mean(cost(one, hand) for one in cards if one != card) - cost(card, hand) for card in cards}
    card = max(cards, key=lambda one: (saved[one] - least[one], -rank(one)))
    gain = saved[card] - least[card]
    if gain <= 0:
        return "", 0
    return card, least[card] + (min(_MOST_OFFERED, int(gain / _SHARE_OFFERED)) if least[card] else 0)


def to_show(hand: Sequence[Face]) -> Face:
    """Return the card of *hand* to show: the strongest card, but the queen of spades only if she is the only card.

    The shown cards decide between equal bids, and which player chooses a leftover first.
    """
    return max(hand, key=lambda card: (card != QUEEN, SUITS.index(suit(card)), rank(card)))


def _within(chance: float) -> float:
    return max(0.05, min(0.95, chance))


def _mean(numbers: Iterable[float]) -> float:
    values = list(numbers)
    return sum(values) / len(values)


def _to_void(card: Face, hand: Sequence[Face]) -> float:
    """Return an estimate of the points that the player saves because passing *card* shortens its suit.

    The shorter the suit, the more points; spades save none.
    """
    length = sum(suit(one) == suit(card) for one in hand)
    return 0.0 if suit(card) == "s" else max(0.0, 1.2 - 0.3 * length)


def _hand(table: Table) -> tuple[Face, ...]:
    cards: Sequence[Face] = table.view["hands"].get(str(table.you), ())
    return tuple(card for card in cards if card != UNKNOWN)


def _deal(moves: Sequence[Move], _hand: Sequence[Face], _table: Table) -> Action:
    return moves[0].action


def _slip(moves: Sequence[Move], hand: Sequence[Face], table: Table) -> Action:
    """Return the slip: it calls a foot if the rules allow this and the hand is very bad.

    Any other slip has an insurance number, which is 0 at a table without insurance.
    """
    foot = next((move for move in moves if move.action.get("foot")), None)
    if foot and hand_cost(hand) - _relief_of_passing(hand, table) > _BAD:
        return foot.action
    move = next(move for move in moves if not move.action.get("foot"))
    if not move.bounds:
        return move.action
    return {**move.action, "insurance": insurance(hand, passes=_passes(table))}


def _relief_of_passing(hand: Sequence[Face], table: Table) -> float:
    """Return the points by which passing cards reduces the cost of *hand*."""
    if not _passes(table):
        return 0.0
    passed = to_pass(hand, min(_PASSED, len(hand)))
    return hand_cost(hand) - hand_cost([card for card in hand if card not in passed])


def _passes(table: Table) -> bool:
    return bool(table.view["direction"] != "none")


def _pass(moves: Sequence[Move], _hand: Sequence[Face], _table: Table) -> Action:
    (choice,) = moves[0].choices
    return {**moves[0].action, "cards": list(to_pass(choice.among, choice.count))}


def _bid(moves: Sequence[Move], hand: Sequence[Face], _table: Table) -> Action:
    bids = {move.action["card"]: move for move in moves if move.kind == "place_bid"}
    least = {card: bound.least for card, move in bids.items() for bound in move.bounds}
    card, offered = to_bid(tuple(bids), least, hand)
    shown = to_show(moves[0].choices[0].among)
    if card:
        return {**bids[card].action, "points": offered, "shown": shown}
    return {**next(move.action for move in moves if move.kind == "make_no_bid"), "shown": shown}


def _choose(moves: Sequence[Move], hand: Sequence[Face], _table: Table) -> Action:
    return min((move.action for move in moves), key=lambda action: cost(action["card"], hand))


def _play(moves: Sequence[Move], hand: Sequence[Face], table: Table) -> Action:
    view: Mapping[str, Any] = table.view
    actions = {move.action["card"]: move.action for move in moves}
    outlook = Outlook(
        you=table.you,
        hand=tuple(hand),
        legal=tuple(actions),
        trick=tuple((one["seat"], one["card"]) for one in view["trick"]),
        taken={int(seat): tuple(cards) for seat, cards in view["taken"].items()},
        tricks=sum(view["tricks"].values()),
    )
    return actions[to_play(outlook)]


_STRATEGIES: Final[Mapping[str, Callable[[Sequence[Move], Sequence[Face], Table], Action]]] = {
    "deal_hand": _deal,
    "write_slip": _slip,
    "pass_cards": _pass,
    "place_bid": _bid,
    "make_no_bid": _bid,
    "choose_leftover": _choose,
    "play_card": _play,
}


def seals(action: Action, options: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the type of the decision that *action* makes, and the values that it seals at a table with *options*.

    If *action* seals no value, return "" and no values.
    """
    match action["type"]:
        case "write_slip":
            rules = [field for field in ("foot", "insurance") if options[field]]
            return "slip_written", {field: action.get(field, False) for field in rules}
        case "pass_cards":
            return "pass_chosen", {"cards": action["cards"]}
        case "place_bid" | "make_no_bid":
            bid = {"card": action.get("card", ""), "points": action.get("points", 0), "shown": action["shown"]}
            return "bid_written", {"bid": bid}
        case _:
            return "", {}
