"""The bots' strategy for Insurance; it uses only what its seat may see."""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.cards import RANKS, Face, rank
from service.client.table_answers import Action, Move, Table

_SHARE_AT_STAKE: Final = 0.1  # a bet is this share of the player's chips on average
_ACE: Final = len(RANKS) + 1


def choose(moves: Sequence[Move], table: Table, dice: Random) -> Action:
    """Return an action for the seat `you` of *table*; this seat is due.

    The seat never sits out a hand and never buys chips.
    """
    kinds = {move.kind: move for move in moves}
    if "place_bet" in kinds:
        return _bet(kinds["place_bet"], table, dice)
    if "offer_insurance" in kinds:
        return _offer(kinds["offer_insurance"], table)
    if "accept_insurance" in kinds:
        return _answer(next(move.action for move in moves if move.kind == "accept_insurance"), table)
    return kinds["deal_hand"].action


def fair_price(bet: int, banker: Face) -> float:
    """Return the fair price, in chips, of insuring *bet*; *banker* is the banker's card.

    At this price neither side gains by the insurance on average. An insured loser keeps the bet and pays the price; an
    insured winner pays the price too; a tie costs nothing.
    """
    losing, winning = rank(banker) - rank("2c"), _ACE - rank(banker)
    return bet * losing / (losing + winning)


def _bet(move: Move, table: Table, dice: Random) -> Action:
    """Return a bet of 5 to 15 % of the player's chips, as far as the bounds and the chips of the bank allow it."""
    (bound,) = move.bounds
    wanted = round(bound.most * _SHARE_AT_STAKE * (0.5 + dice.random()))
    in_the_bank = table.view["banker_chips"] - table.view["bets_total"]
    chips = max(bound.least, min(wanted, in_the_bank, bound.most))
    return {**move.action, "chips": chips}


def _offer(move: Move, table: Table) -> Action:
    (bound,) = move.bounds
    price = fair_price(table.balances[f"bet:{table.you}"], _banker_card(table))
    return {**move.action, "chips": max(bound.least, min(round(price), bound.most))}


def _answer(action: Action, table: Table) -> Action:
    """Return the answer to an offer: accept at least the fair price, and refuse a lower offer."""
    seat = action["seat"]
    offered, bet = table.balances[f"offer:{seat}"], table.balances[f"bet:{seat}"]
    is_enough = offered >= round(fair_price(bet, _banker_card(table)))
    return action if is_enough else {**action, "type": "refuse_insurance"}


def _banker_card(table: Table) -> Face:
    face: Face = table.view["cards"][str(table.view["banker"])]
    return face
