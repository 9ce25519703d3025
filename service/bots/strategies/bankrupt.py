"""The bots' strategy for Bankrupt; it uses only what its seat may see."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Final

from msgspec import Struct

from service.cards import RANKS, Face, rank
from service.client.table_answers import Action, Move, Table
from service.games.bankrupt.accounts import CENTRE

Strength = tuple[bool, int, int]
"""The sort key of a hand: whether the hand is a pair, then its higher rank, then its lower rank."""

_RANKS: Final = range(2, len(RANKS) + 2)
_ALL_HANDS: Final = 52 * 51 // 2
_PAIRS_OF_A_RANK: Final = 6
_HANDS_OF_TWO_RANKS: Final = 16
_TEN_POINTS: Final = 10
_ACE: Final = 14
_ACE_POINTS: Final = 11
_USUAL_DIFFERENCE: Final = 3  # the usual debt of a loser, in pieces
_PRICE_OF_THROWING_IN: Final = 1
_BOLD: Final = 1.25
"""If the chance to win is above this multiple of 1 / (number of players), the offer grows with the chance to win."""
_OFFERS_ARE_MEANT: Final = 0.85
"""The factor for the chance to win against a player who offers: such a player usually has a good hand."""
_BLUFF: Final = 0.05  # the chance that the bot makes an offer whatever its hand is


class Outlook(Struct, frozen=True, kw_only=True):
    """The facts for a decision: two *cards* against a number of *opponents*, and the stakes, in pieces.

    A loser pays *multiplier* times the debt, and this player at most the *ante*. A winner who took part in the upping
    collects the *centre*; *is_involved* says whether this player took part. *most* is the largest legal offer.
    """

    cards: tuple[Face, Face]
    opponents: int
    multiplier: int
    ante: int
    centre: int
    is_involved: bool
    most: int = 0


def choose(moves: Sequence[Move], table: Table, dice: Random) -> Action:
    """Return an action for the seat `you` of *table*; this seat is due."""
    actions = {move.kind: move.action for move in moves}
    if "deal_hand" in actions:
        return actions["deal_hand"]
    outlook = _outlook(table)
    if "hold_cards" in actions:
        kind, card = on_cards(outlook, may_throw_in="throw_in" in actions)
        return {**actions[kind], **({"card": card} if card else {})}
    if "accept_upping" in actions:
        offer = table.view["offer"]
        laid = offer["chips"] * (1 + len(offer["accepted"]))
        return actions["accept_upping" if would_accept(outlook, offer["chips"], laid) else "decline_upping"]
    chips = to_offer(outlook, dice)
    return {**actions["offer_upping"], "chips": chips} if chips else actions["pass_upping"]


def on_cards(outlook: Outlook, *, may_throw_in: bool) -> tuple[str, int]:
    """Return "hold_cards", "throw_in" or "exchange_card", and the number of the card to exchange, 1 or 2 (0: none)."""
    first, second = outlook.cards
    weak = 1 if rank(first) < rank(second) else 2
    higher = max(rank(first), rank(second))
    hold = chance(strength(rank(first), rank(second)), outlook.opponents)
    exchange = sum(chance(strength(higher, new), outlook.opponents) for new in _RANKS) / len(_RANKS)
    if may_throw_in and _worth(outlook, max(hold, exchange)) < -_PRICE_OF_THROWING_IN:
        return "throw_in", 0
    return ("hold_cards", 0) if hold >= exchange else ("exchange_card", weak)


def to_offer(outlook: Outlook, dice: Random) -> int:
    """Return how many pieces to offer, from 1 to the outlook's `most`, or 0 to pass."""
    winning = _chance(outlook)
    even = 1 / (outlook.opponents + 1)
    if winning > _BOLD * even:
        return max(1, round(winning * outlook.most))
    wants_the_centre = outlook.centre > 0 and not outlook.is_involved and winning >= even
    return 1 if wants_the_centre or dice.random() < _BLUFF else 0


def would_accept(outlook: Outlook, chips: int, laid: int) -> bool:
    """Return whether to accept an offer of *chips*; all players together have laid down *laid* pieces for the offer."""
    winning = _OFFERS_ARE_MEANT * _chance(outlook)
    at_stake = laid + chips if outlook.is_involved else outlook.centre + laid + chips
    return winning * at_stake > chips


def strength(one: int, other: int) -> Strength:
    """Return the strength of a hand of two ranks."""
    return one == other, max(one, other), min(one, other)


def chance(mine: Strength, opponents: int) -> float:
    """Return an estimate of the chance, 0 to 1, that the hand *mine* beats the unknown hands of all *opponents*."""
    return _beaten(mine) ** opponents


@cache
def _beaten(mine: Strength) -> float:
    """Return the share of all hands that *mine* beats; an equal hand counts half."""
    better = 0.0
    for one in _RANKS:
        for other in range(_RANKS[0], one + 1):
            hands = _PAIRS_OF_A_RANK if one == other else _HANDS_OF_TWO_RANKS
            theirs = strength(one, other)
            better += hands * ((theirs < mine) + (theirs == mine) / 2)
    return better / _ALL_HANDS


def _outlook(table: Table) -> Outlook:
    view = table.view
    first, second = view["cards"][str(table.you)]
    return Outlook(
        cards=(first, second),
        opponents=len(view["order"]) - 1,
        multiplier=view["multiplier"],
        ante=table.balances.get(f"ante:{table.you}", 0),
        centre=table.balances.get(CENTRE, 0),
        is_involved=table.you in view["involved"],
        most=view["offer_cap"],
    )


def _chance(outlook: Outlook) -> float:
    first, second = outlook.cards
    return chance(strength(rank(first), rank(second)), outlook.opponents)


def _worth(outlook: Outlook, winning: float) -> float:
    """Return the expected gain, in pieces, of staying in the round; *winning* is the chance to win, 0 to 1."""
    highest = max(_points(face) for face in outlook.cards)
    loss = _USUAL_DIFFERENCE if highest == _ACE_POINTS else _ACE_POINTS - highest
    gain = outlook.opponents * _USUAL_DIFFERENCE * outlook.multiplier + outlook.centre * outlook.is_involved
    return winning * gain - (1 - winning) * min(loss * outlook.multiplier, outlook.ante)


def _points(face: Face) -> int:
    return _ACE_POINTS if rank(face) == _ACE else min(rank(face), _TEN_POINTS)
