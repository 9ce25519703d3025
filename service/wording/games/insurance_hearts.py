"""Sentences about the events of Insurance Hearts, whose plays are shown in rows, a row for each trick."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from service.cards import UNKNOWN
from service.wording.hand_events import HandEvent, Rows, Sentences
from service.wording.hand_notes import Handed, Notes
from service.wording.phrases import cards, first_seat, first_seats, listed, points, seat, seats

ROWS: Final = Rows(play="card_played", end="trick_taken", name="trick")

_WHITHER: Final = {"left": "to the left", "right": "to the right", "across": "across the table"}


def _slip(event: HandEvent) -> str:
    opened = event.opened
    parts = [f"insurance {opened['insurance']}"] if "insurance" in opened else []
    if "foot" in opened:
        parts.append("a foot" if opened["foot"] else "no foot")
    told = f": {listed(parts)}" if parts else "; what it says is sealed"
    return f"{first_seat(event.made['seat'])} wrote a slip{told}."


def _foot(event: HandEvent) -> str:
    callers = event.made["callers"]
    return f"All slips are in. {first_seats(callers)} called a foot." if callers else "All slips are in. No foot."


def _passed(event: HandEvent) -> str:
    number = event.made["seat"]
    if "cards" not in event.opened:
        return f"{first_seat(number)} chose three cards to pass; they are sealed."
    return f"{first_seat(number)} chose {cards(event.opened['cards'])} to pass."


def _bid(event: HandEvent) -> str:
    number = event.made["seat"]
    if "bid" not in event.opened:
        return f"{first_seat(number)} wrote a bid; it is sealed."
    return f"{first_seat(number)} {_bid_in_words(event.opened['bid'])}."


def _bid_in_words(bid: dict[str, Any]) -> str:
    what = f"bid {points(bid.get('points', 0))} for {bid['card']}" if bid.get("card") else "made no bid"
    return f"{what}, and showed {bid['shown']}"


def _settled(event: HandEvent) -> str:
    made = event.made
    sold = [f"{first_seat(sale['seat'])} bought {sale['card']} for {points(sale['points'])}." for sale in made["sold"]]
    choosing = f" {first_seats(made['choosing'])} choose in this order from {cards(made['left'])}."
    return f"{' '.join(sold) or 'Nobody bought a card.'}{choosing if made['choosing'] else ''}"


def _played(event: HandEvent) -> str:
    broke = ", and hearts are broken" if event.made.get("breaks_hearts") else ""
    return f"{first_seat(event.made['seat'])} played {event.made['card']}{broke}."


def _scored(event: HandEvent) -> str:
    made = event.made
    shooter = made.get("shooter", 0)
    moon = f" {first_seat(shooter)} took all 26 points." if shooter else ""
    scores = listed(f"{points(one['score'])} for {seat(one['seat'])}" for one in made["scores"])
    return f"{first_seat(made['queen'])} took the queen of spades.{moon} The hand counts {scores}."


_SEATS: Final = 4
_STEPS: Final = {"left": 1, "across": 2, "right": 3}
_PASSED: Final = 3


def _handed(events: Sequence[HandEvent]) -> list[Handed]:
    return sorted([*_passes(events), *_sales(events)], key=lambda one: one.position)


def _passes(events: Sequence[HandEvent]) -> Iterator[Handed]:
    """Yield the cards that each seat passed and got; a card that the reader may not see is `??`."""
    chosen = {one.seat: one for one in events if one.type == "pass_chosen"}
    for event in events:
        if event.type != "cards_passed":
            continue
        for giver, choice in sorted(chosen.items()):
            taker = (giver - 1 + _STEPS[event.made["direction"]]) % _SEATS + 1
            faces = tuple(choice.opened.get("cards", (UNKNOWN,) * _PASSED))
            yield Handed(giver, f"passed to {seat(taker)}", faces, choice.position)
            yield Handed(taker, f"got from {seat(giver)}", faces, event.position)


def _sales(events: Sequence[HandEvent]) -> Iterator[Handed]:
    """Yield each card that a seat got in the auction."""
    for event in events:
        if event.type == "auction_settled":
            for sale in event.made["sold"]:
                yield Handed(sale["seat"], f"bought for {points(sale['points'])}", (sale["card"],), event.position)
        elif event.type in {"leftover_chosen", "leftover_given"}:
            how = "chose" if event.type == "leftover_chosen" else "got the last card"
            yield Handed(event.made["seat"], how, (event.made["card"],), event.position)


NOTES: Final = Notes(
    handed=_handed,
    dealt="before passing",
    cancels={"hand_cancelled": lambda event: f"{seats(event.made['callers'])} called a foot"},
    terms={
        "slip": "IH.2",
        "foot": "Foot Rule",
        "insurance": "Insurance",
        "bid": "Bidding",
        "took all 26 points": "H-SCORE.1",
    },
)

SENTENCES: Final[Sentences] = {
    "slips_awaited": lambda _: "Each seat writes a slip.",
    "slip_written": _slip,
    "foot_told": _foot,
    "hand_cancelled": lambda event: (
        f"The hand is cancelled, because {seats(event.made['callers'])} called a foot. Nobody gets points."
    ),
    "pass_awaited": lambda event: f"Each seat chooses three cards to pass {_WHITHER[event.made['direction']]}.",
    "pass_chosen": _passed,
    "cards_passed": lambda event: f"All have chosen. The cards went {_WHITHER[event.made['direction']]}.",
    "bids_awaited": lambda event: f"{cards(event.made['cards'])} are for sale: each seat writes a bid.",
    "bid_written": _bid,
    "bids_opened": lambda event: (
        "All bids are open: "
        + "; ".join(f"{seat(bid['seat'])} {_bid_in_words(bid)}" for bid in event.made["bids"])
        + "."
    ),
    "auction_settled": _settled,
    "leftover_chosen": lambda event: f"{first_seat(event.made['seat'])} chose {event.made['card']}.",
    "leftover_given": lambda event: f"{first_seat(event.made['seat'])} got the last card, {event.made['card']}.",
    "play_begun": lambda event: f"{first_seat(event.made['leader'])} has the two of clubs, and leads it.",
    "card_played": _played,
    "trick_taken": lambda event: f"{first_seat(event.made['seat'])} took the trick {cards(event.made['cards'])}.",
    "hand_scored": _scored,
    "hand_finished": lambda event: f"The hand is over. {first_seat(event.made['dealer'])} deals the next hand.",
}
"""The sentences by type of event."""
