"""How to play Insurance sensibly, from nothing but what a seat may see of its table."""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.bots.bot import Action, Move, Table
from service.cards import RANKS, Face, rank

_SHARE_AT_STAKE: Final = 0.1  # of what one has
_ACE: Final = len(RANKS) + 1


def choose(moves: Sequence[Move], table: Table, dice: Random) -> Action:
    """Return what makes sense for the seat whose decision is due; it sits no hand out and buys nothing."""
    kinds = {move.kind: move for move in moves}
    if "place_bet" in kinds:
        return _bet(kinds["place_bet"], table, dice)
    if "offer_insurance" in kinds:
        return _offer(kinds["offer_insurance"], table)
    if "accept_insurance" in kinds:
        return _answer(next(move.action for move in moves if move.kind == "accept_insurance"), table)
    return kinds["deal_hand"].action


def fair_price(bet: int, banker: Face) -> float:
    """Return for how many chips it is all one to both whether a bet is insured against the *banker*'s card.

    Insured, a loser keeps the bet, and pays the price, which a winner pays as well; a tie costs nothing.
    """
    losing, winning = rank(banker) - rank("2c"), _ACE - rank(banker)
    return bet * losing / (losing + winning)


def _bet(move: Move, table: Table, dice: Random) -> Action:
    """Bet a share of what one has, about, and no more than the bank can pay, where the rules leave a choice."""
    (within,) = move.bounds
    wanted = round(within.most * _SHARE_AT_STAKE * (0.5 + dice.random()))
    in_the_bank = table.view["banker_chips"] - table.view["bets_total"]
    chips = max(within.least, min(wanted, in_the_bank, within.most))
    return {**move.action, "chips": chips}


def _offer(move: Move, table: Table) -> Action:
    (within,) = move.bounds
    price = fair_price(table.balances[f"bet:{table.you}"], _bankers(table))
    return {**move.action, "chips": max(within.least, min(round(price), within.most))}


def _answer(action: Action, table: Table) -> Action:
    """Accept an offer that is worth the risk."""
    seat = action["seat"]
    offered, bet = table.balances[f"offer:{seat}"], table.balances[f"bet:{seat}"]
    is_enough = offered >= round(fair_price(bet, _bankers(table)))
    return action if is_enough else {**action, "type": "refuse_insurance"}


def _bankers(table: Table) -> Face:
    face: Face = table.view["cards"][str(table.view["banker"])]
    return face
