"""The reason for each transfer of points at a table of Insurance Hearts (DECISIONS 62)."""

from collections.abc import Callable, Mapping, Sequence

from service.cards import Face
from service.games.game import Event
from service.games.insurance_hearts.events import AuctionSettled, HandScored, SeatScore, Sold
from service.games.insurance_hearts.scoring import QUEEN, WORTH_OF_QUEEN, Booking, bookings
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
    """Return the payouts of *event*, each with its rule, ruling, formula and cards; only `HandScored` has payouts.

    The cards of a payout to or from a seat are the hearts and the queen of spades that the seat took. If the payout is
    for shooting the moon, the cards are the shooter's. For a bid, the only card is the card bought, if *before* has the
    settlement of the auction.
    """
    if not isinstance(event, HandScored):
        return ()
    taken = {score.seat: score.taken for score in event.scores}
    settlements = (earlier for earlier in before if isinstance(earlier, AuctionSettled))
    bought = {sale.seat: sale for settlement in settlements for sale in settlement.sold}
    return tuple(_booking_payout(event, booking, taken, bought) for booking in bookings(event))


def _booking_payout(
    event: HandScored, booking: Booking, taken: Mapping[int, tuple[Face, ...]], bought: Mapping[int, Sold]
) -> Payout:
    """Return the payout of *booking*, with the cards that `explain` describes."""
    ruling, formula = _REASONS[booking.reason]
    if booking.reason == "bid" and booking.score.seat in bought:
        sale = bought[booking.score.seat]
        return payout(
            booking.transfer, ruling, f"{sale.card} was bought in the auction for {sale.points}", (sale.card,)
        )
    cards = taken[event.shooter if booking.reason in _OF_MOON else booking.score.seat]
    return payout(booking.transfer, ruling, formula(booking.score, event.shooter), cards)


def _points_formula(score: SeatScore) -> str:
    """Return the formula of the points for the cards that a seat took."""
    hearts = sum(card != QUEEN for card in score.taken)
    parts = [f"{hearts} for hearts"] if hearts else []
    if QUEEN in score.taken:
        parts.append(f"{WORTH_OF_QUEEN} for the queen of spades")
    return " + ".join(parts) + f" = {score.points}"
