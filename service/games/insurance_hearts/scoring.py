"""What a hand is worth to each seat: cards, insurance and bids (H-SCORE.1, IH.5, IH.6, IH.10)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from service.cards import Face, suit
from service.games.insurance_hearts.events import HandScored, SeatScore
from service.ledger import POOL, Transfer, points, score

QUEEN: Final[Face] = "Qs"
WORTH_OF_QUEEN: Final = 13
ALL: Final = 26


class Move(NamedTuple):
    """A *transfer* of a hand's score, whose *score* it belongs to, and the *reason*."""

    transfer: Transfer
    score: SeatScore
    reason: str


def worth(face: Face) -> int:
    """Return how many points a card counts: one for a heart, thirteen for the queen of spades (H-SCORE.1)."""
    if face == QUEEN:
        return WORTH_OF_QUEEN
    return 1 if suit(face) == "h" else 0


def score_hand(
    seats: Iterable[int],
    taken: Mapping[int, tuple[Face, ...]],
    insurance: Mapping[int, int],
    bids: Mapping[int, int],
) -> HandScored:
    """Score a hand, from the cards that seats have *taken*, the numbers on their slips, and what they bought for."""
    counted = tuple(
        SeatScore(
            seat=seat,
            score=0,
            points=sum(map(worth, taken.get(seat, ()))),
            taken=taken.get(seat, ()),
            insurance=insurance.get(seat, 0),
            bid=bids.get(seat, 0),
        )
        for seat in seats
    )
    queen = next(one.seat for one in counted if QUEEN in one.taken)
    shooter = next((one.seat for one in counted if one.points == ALL), 0)
    # All of it counts toward the target (IH.11).
    unbooked = HandScored(queen=queen, shooter=shooter, scores=counted)
    moved = tuple(move.transfer for move in moves(unbooked))
    scores = tuple(_with_score(one, moved) for one in counted)
    return HandScored(queen=queen, shooter=shooter, scores=scores, transfers=moved)


def moves(scored: HandScored) -> Iterator[Move]:
    """Yield what is booked, seat by seat; what is added comes first, so that no score falls below zero."""
    for one in scored.scores:
        for reason, amount in sorted(_reasons(scored, one), key=lambda each: each[1] < 0):
            own, rule = score(one.seat), _RULE_OF_REASON[reason]
            if amount > 0:
                yield Move(points(POOL, own, amount, rule=rule), one, reason)
            elif amount < 0:
                yield Move(points(own, POOL, -amount, rule=rule), one, reason)


_RULE_OF_REASON: Mapping[str, str] = {
    "points": "standard rules",
    "moon": "standard rules",
    "added": "Insurance",
    "insured": "Insurance",
    "insured moon": "Insurance",
    "bid": "Bidding",
}
"""The rule behind each reason for a transfer."""


def _reasons(scored: HandScored, one: SeatScore) -> Iterator[tuple[str, int]]:
    """Yield why points come to a seat, or leave it, and how many do."""
    if not scored.shooter:
        yield "points", one.points
        yield ("insured", -one.insurance) if one.seat == scored.queen else ("added", one.insurance)
    elif one.seat != scored.shooter:
        yield "moon", ALL
        yield "insured moon", -next(each.insurance for each in scored.scores if each.seat == scored.shooter)
    yield "bid", one.bid


def _with_score(one: SeatScore, moved: Sequence[Transfer]) -> SeatScore:
    own = score(one.seat)
    added = sum(move.amount for move in moved if move.target == own)
    return replace(one, score=added - sum(move.amount for move in moved if move.source == own))
