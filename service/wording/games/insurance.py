"""Sentences about the events of Insurance."""

from typing import Any, Final

from service.wording.hand_events import HandEvent, Sentences
from service.wording.hand_notes import Notes, Unpaid
from service.wording.phrases import chips, first_seat, first_seats, seat, seats


def _begun(event: HandEvent) -> str:
    made = event.made
    others = [number for number in made["players"] if number != made["banker"]]
    bet = "bets" if len(others) == 1 else "bet"
    against = f" {first_seats(others)} {bet} against the banker." if others else ""
    return f"Hand {made['hand']} began. {first_seat(made['banker'])} is the banker.{against}"


def _awaited(event: HandEvent) -> str:
    numbers = event.made["seats"]
    if not numbers:
        return "Nobody has chips left to offer."
    return f"The banker's card calls for offers: {seats(numbers)} must offer a payment to insure the bet."


def _settled(event: HandEvent) -> str:
    results = " ".join(_result(one) for one in event.made["results"])
    return f"The banker, {seat(event.made['banker'])}, had {event.made['card']}. {results}"


def _result(one: dict[str, Any]) -> str:
    card = f" had {one['card']} and" if one.get("card") else ""
    insured = one.get("insurance", 0)
    what = {"won": "won", "lost": "lost", "tied": "tied"}[one["outcome"]]
    covered = f", insured for {chips(insured)}" if insured else ""
    short = f"; {_paid(one)}" if one.get("short") else ""
    return f"{first_seat(one['seat'])}{card} {what} with a bet of {chips(one['bet'])}{covered}{short}."


def _paid(one: dict[str, Any]) -> str:
    """Return in words how much a banker with too few chips paid for a bet that won."""
    paid = one["bet"] - one["short"]
    return f"the banker had {chips(paid)} left, and paid {f'only {paid}' if paid else 'nothing'}"


def _unpaid(event: HandEvent) -> list[Unpaid]:
    return [
        Unpaid(
            seat=one["seat"],
            due=one["bet"],
            paid=one["bet"] - one["short"],
            payer=event.made["banker"],
            who="the banker",
            rule="PAYOUT" if one.get("card") else "FIRST ROUND DEAL",
            ruling="I-PAY.2",
        )
        for one in event.made.get("results", [])
        if one.get("short")
    ]


NOTES: Final = Notes(
    unpaid=_unpaid,
    terms={
        "banker": "INTRODUCTION",
        "insure": "INSURANCE OFFER",
        "sits out": "I-BET.2",
    },
)

SENTENCES: Final[Sentences] = {
    "chips_bought": lambda event: f"{first_seat(event.made['seat'])} bought {chips(event.made['chips'])}.",
    "hand_sat_out": lambda event: f"{first_seat(event.made['seat'])} sits out.",
    "sat_in": lambda event: f"{first_seat(event.made['seat'])} plays the next hand after all.",
    "bet_placed": lambda event: f"{first_seat(event.made['seat'])} bet {chips(event.made['chips'])}.",
    "hand_begun": _begun,
    "deal_begun": lambda event: f"The banker, {seat(event.made['banker'])}, began the deal.",
    "offers_awaited": _awaited,
    "insurance_offered": lambda event: (
        f"{first_seat(event.made['seat'])} offered the banker {chips(event.made['chips'])} to insure its bet."
    ),
    "insurance_accepted": lambda event: (
        f"The banker took the {chips(event.made['chips'])} of {seat(event.made['seat'])}, and so insures its bet."
    ),
    "insurance_refused": lambda event: (
        f"The banker refused to insure the bet of {seat(event.made['seat'])}, "
        f"which took its {chips(event.made['chips'])} back."
    ),
    "hand_settled": _settled,
    "player_knocked_out": lambda event: f"{first_seat(event.made['seat'])} has no chips left, and is out of the game.",
    "hand_ended": lambda _: "The hand is over, and its cards were discarded.",
}
"""The sentences by type of event."""
