"""Why each point was booked at a table of Insurance Hearts."""

from collections.abc import Callable, Mapping, Sequence

from service.cards import Face
from service.games.game import Event
from service.games.insurance_hearts.events import AuctionSettled, HandScored, SeatScore, Sold
from service.games.insurance_hearts.scoring import QUEEN, WORTH_OF_QUEEN, Move, moves
from service.games.payouts import Payout, payout

_REASONS: Mapping[str, tuple[str, Callable[[SeatScore, int], str]]] = {
    "points": ("H-SCORE.1", lambda one, _: _counted(one)),
    "moon": ("H-SCORE.1", lambda _, shooter: f"seat {shooter} took all 26 points: 26 to each other seat"),
    "added": ("IH.5", lambda one, _: f"without the queen of spades, the number on the slip is added: {one.insurance}"),
    "insured": (
        "IH.5",
        lambda one, _: f"with the queen of spades, the number on the slip is taken off: {one.insurance}",
    ),
    "insured moon": ("IH.6", lambda _, shooter: f"the number on the slip of seat {shooter}, who took all 26 points"),
    "bid": ("IH.10", lambda one, _: f"a card of the auction was bought for {one.bid}"),  # which one, if that is known
}
"""The ruling of each reason for a transfer, and how it makes the amount; the number is the seat that shot the moon."""

_OF_MOON = {"moon", "insured moon"}


def explain(event: Event, before: Sequence[Event] = ()) -> tuple[Payout, ...]:
    """Return the payouts that *event* holds, each with rule, ruling, formula and the cards that it follows from.

    That is the card bought, as *before* tells it, or the cards taken.
    """
    if not isinstance(event, HandScored):
        return ()
    taken = {one.seat: one.taken for one in event.scores}
    settled = (one for one in before if isinstance(one, AuctionSettled))
    bought = {sold.seat: sold for one in settled for sold in one.sold}
    return tuple(_explained(event, move, taken, bought) for move in moves(event))


def _explained(
    event: HandScored, move: Move, taken: Mapping[int, tuple[Face, ...]], bought: Mapping[int, Sold]
) -> Payout:
    """Explain a transfer by the cards that its seat took, or, after a moon, by those that made it one."""
    ruling, formula = _REASONS[move.reason]
    if move.reason == "bid" and move.score.seat in bought:
        sold = bought[move.score.seat]
        return payout(move.transfer, ruling, f"{sold.card} was bought in the auction for {sold.points}", (sold.card,))
    cards = taken[event.shooter if move.reason in _OF_MOON else move.score.seat]
    return payout(move.transfer, ruling, formula(move.score, event.shooter), cards)


def _counted(one: SeatScore) -> str:
    """Say how the cards that a seat took make its points."""
    hearts = sum(card != QUEEN for card in one.taken)
    parts = [f"{hearts} for hearts"] if hearts else []
    if QUEEN in one.taken:
        parts.append(f"{WORTH_OF_QUEEN} for the queen of spades")
    return " + ".join(parts) + f" = {one.points}"
