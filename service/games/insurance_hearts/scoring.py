"""The score of a hand: points for cards, insurance and bids (H-SCORE.1, IH.5, IH.6, IH.10) (DECISIONS 36)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from service.cards import Face, suit
from service.games.insurance_hearts.events import HandScored, SeatScore
from service.games.insurance_hearts.refusals import STANDARD
from service.ledger import POOL, Transfer, points, score

QUEEN: Final[Face] = "Qs"
WORTH_OF_QUEEN: Final = 13
ALL: Final = 26


class Booking(NamedTuple):
    """A *transfer* of points, its *reason*, and the *score* of the seat that gains or loses the points."""

    transfer: Transfer
    score: SeatScore
    reason: str


def worth(face: Face) -> int:
    """Return the points of a card: one for a heart, thirteen for the queen of spades, else zero (H-SCORE.1)."""
    if face == QUEEN:
        return WORTH_OF_QUEEN
    return 1 if suit(face) == "h" else 0


def with_points(cards: Iterable[Face]) -> tuple[Face, ...]:
    """Return the hearts and the queen of spades among *cards*, in their order."""
    return tuple(card for card in cards if worth(card))


def score_hand(
    seats: Iterable[int],
    taken: Mapping[int, tuple[Face, ...]],
    insurance: Mapping[int, int],
    bids: Mapping[int, int],
) -> HandScored:
    """Return the score of a hand.

    *taken* has the cards that each seat took, *insurance* the number on each slip, and *bids* the points of each bid
    that bought a card, all by seat.
    """
    counted = tuple(
        SeatScore(
            seat=seat,
            score=0,
            points=sum(map(worth, taken.get(seat, ()))),
            taken=with_points(taken.get(seat, ())),
            insurance=insurance.get(seat, 0),
            bid=bids.get(seat, 0),
        )
        for seat in seats
    )
    queen = next(seat_score.seat for seat_score in counted if QUEEN in seat_score.taken)
    shooter = next((seat_score.seat for seat_score in counted if seat_score.points == ALL), 0)
    # Points, insurance and bids all count toward the target (IH.11).
    unbooked = HandScored(queen=queen, shooter=shooter, scores=counted)
    transfers = tuple(booking.transfer for booking in bookings(unbooked))
    scores = tuple(_with_score(seat_score, transfers) for seat_score in counted)
    return HandScored(queen=queen, shooter=shooter, scores=scores, transfers=transfers)


def bookings(scored: HandScored) -> Iterator[Booking]:
    """Yield the bookings, seat by seat; additions come before subtractions, so that no score falls below zero."""
    for seat_score in scored.scores:
        for reason, amount in sorted(_amounts(scored, seat_score), key=lambda reason_amount: reason_amount[1] < 0):
            account, rule = score(seat_score.seat), _RULE_OF_REASON[reason]
            if amount > 0:
                yield Booking(points(POOL, account, amount, rule=rule), seat_score, reason)
            elif amount < 0:
                yield Booking(points(account, POOL, -amount, rule=rule), seat_score, reason)


_RULE_OF_REASON: Mapping[str, str] = {
    "points": STANDARD,
    "moon": STANDARD,
    "added": "Insurance",
    "insured": "Insurance",
    "insured moon": "Insurance",
    "bid": "Bidding",
}
"""The rule for each reason of a transfer."""


def _amounts(scored: HandScored, seat_score: SeatScore) -> Iterator[tuple[str, int]]:
    """Yield the reasons for which a seat's score changes, each with the points to add (negative: to subtract)."""
    if not scored.shooter:
        yield "points", seat_score.points
        insurance = seat_score.insurance
        yield ("insured", -insurance) if seat_score.seat == scored.queen else ("added", insurance)
    elif seat_score.seat != scored.shooter:
        yield "moon", ALL
        yield "insured moon", -next(other.insurance for other in scored.scores if other.seat == scored.shooter)
    yield "bid", seat_score.bid


def _with_score(seat_score: SeatScore, transfers: Sequence[Transfer]) -> SeatScore:
    account = score(seat_score.seat)
    added = sum(transfer.amount for transfer in transfers if transfer.target == account)
    subtracted = sum(transfer.amount for transfer in transfers if transfer.source == account)
    return replace(seat_score, score=added - subtracted)
