"""The reason for each transfer of points at a table of Insurance Hearts (DECISIONS 62)."""

from collections.abc import Callable, Mapping, Sequence

from service.cards import Face
from service.games.game import Event
from service.games.insurance_hearts.events import AuctionSettled, HandScored, SeatScore, Sold
from service.games.insurance_hearts.scoring import QUEEN, WORTH_OF_QUEEN, Move, moves
from service.games.payouts import Payout, payout

_REASONS: Mapping[str, tuple[str, Callable[[SeatScore, int], str]]] = {
    "points": ("H-SCORE.1", lambda score, _: _points_formula(score)),
    "moon": ("H-SCORE.1", lambda _, shooter: f"seat {shooter} took all 26 points: 26 to each other seat"),
    "added": (
        "IH.5",
        lambda score, _: f"without the queen of spades, the number on the slip is added: {score.insurance}",
    ),
    "insured": (
        "IH.5",
        lambda score, _: f"with the queen of spades, the number on the slip is subtracted: {score.insurance}",
    ),
    "insured moon": ("IH.6", lambda _, shooter: f"the number on the slip of seat {shooter}, who took all 26 points"),
    "bid": ("IH.10", lambda score, _: f"a card of the auction was bought for {score.bid}"),
}
"""For each reason of a transfer: its ruling, and a function that takes a score and the shooter's seat (0: nobody).

The function returns the formula of the amount in words.
"""

_OF_MOON = {"moon", "insured moon"}


def explain(event: Event, before: Sequence[Event] = ()) -> tuple[Payout, ...]:
    """Return the payouts of *event*, each with its rule, ruling, formula and cards.

    The cards are the cards that the seat took or, if a player shot the moon, the shooter's cards. For a bid, the only
    card is the card bought, if *before* has the settlement of the auction.
    """
    if not isinstance(event, HandScored):
        return ()
    taken = {score.seat: score.taken for score in event.scores}
    settlements = (earlier for earlier in before if isinstance(earlier, AuctionSettled))
    bought = {sale.seat: sale for settlement in settlements for sale in settlement.sold}
    return tuple(_move_payout(event, move, taken, bought) for move in moves(event))


def _move_payout(
    event: HandScored, move: Move, taken: Mapping[int, tuple[Face, ...]], bought: Mapping[int, Sold]
) -> Payout:
    """Return the payout of *move*, with the cards that explain it.

    For a bid, this is the card bought; if a player shot the moon, the shooter's cards; otherwise, the cards that the
    seat took.
    """
    ruling, formula = _REASONS[move.reason]
    if move.reason == "bid" and move.score.seat in bought:
        sale = bought[move.score.seat]
        return payout(move.transfer, ruling, f"{sale.card} was bought in the auction for {sale.points}", (sale.card,))
    cards = taken[event.shooter if move.reason in _OF_MOON else move.score.seat]
    return payout(move.transfer, ruling, formula(move.score, event.shooter), cards)


def _points_formula(score: SeatScore) -> str:
    """Return the formula of the points for the cards that a seat took."""
    hearts = sum(card != QUEEN for card in score.taken)
    parts = [f"{hearts} for hearts"] if hearts else []
    if QUEEN in score.taken:
        parts.append(f"{WORTH_OF_QUEEN} for the queen of spades")
    return " + ".join(parts) + f" = {score.points}"
