"""Sentences about the events of Bankrupt."""

from collections.abc import Sequence
from typing import Final

from service.ledger import account_seat
from service.wording.hand_events import HandEvent, Sentences
from service.wording.hand_notes import Notes
from service.wording.phrases import cards, chips, first_seat, first_seats, listed, seat, seats

NOTES: Final = Notes(
    values={**{str(number): number for number in range(2, 10)}, **dict.fromkeys("TJQK", 10), "A": 11},
    terms={
        "ante": "6",
        "threw in": "11",
        "up the ante": "12",
        "dead": "9",
        "last legs": "18",
        "resigned": "19",
    },
)

_TIMES: Final = ("", "", "twice", "three times")
_ORDINALS: Final = ("", "first", "second")


def _antes(event: HandEvent) -> str:
    placed = {account_seat(transfer[0]): transfer[2] for transfer in event.made.get("transfers", [])}
    smaller = event.made.get("last_legs", [])
    if smaller:
        parts = listed(f"{seat(number)} placed {placed.get(number, 0)}" for number in smaller)
        said = f"Each seat placed an ante of nine chips, but {parts}, all that was left: last legs."
    else:
        said = "Each seat placed an ante of nine chips."
    dead = event.made.get("dead_rounds", 0)
    if not dead:
        return said
    before = "The round before was dead" if dead == 1 else f"The {dead} rounds before were dead"
    return f"{said} {before}, so the winner takes {_times(dead + 1)} the difference."


def _times(multiplier: int) -> str:
    return _TIMES[multiplier] if multiplier < len(_TIMES) else f"{multiplier} times"


def _exchanged(event: HandEvent) -> str:
    card = event.made["card"]
    held = event.held.get(event.made["seat"], ())
    face = f", {held[card - 1]}," if len(held) >= card else ""
    return f"{first_seat(event.made['seat'])} exchanged its {_ORDINALS[card]} card{face} for the top card of the deck."


def _thrown_in(event: HandEvent) -> str:
    paid = sum(transfer[2] for transfer in event.made.get("transfers", []))
    cost = f", and {chips(paid)} of its ante went to the centre" if paid else ""
    return f"{first_seat(event.made['seat'])} threw in its hand{cost}."


def _collected(event: HandEvent) -> str:
    laid = sum(transfer[2] for transfer in event.made.get("transfers", []))
    return f"The {chips(laid)} of {seats(event.made['seats'])} went to the centre."


def _won(event: HandEvent) -> str:
    made = event.made
    claims = [f"{chips(claim['taken'])} from {seat(claim['seat'])}" for claim in made["claims"]]
    took = f" It takes {listed(claims)}." if claims else ""
    times = f" Each difference counts {_times(made['multiplier'])}." if made["multiplier"] > 1 else ""
    hand = _hand(event.shown.get(made["winner"], ()))
    return f"{first_seat(made['winner'])} had the best hand{hand} and won the round.{took}{times}{_centre(event)}"


def _hand(shown: Sequence[str]) -> str:
    """Return the winner's cards within a sentence; a pair is called a pair."""
    is_pair = len(shown) > 1 and shown[0][0] == shown[1][0]
    return f", {cards(shown)}{' (a pair)' if is_pair else ''}," if shown else ""


def _uncontested(event: HandEvent) -> str:
    winner = first_seat(event.made["winner"])
    return (
        f"All other seats threw in: {winner.lower()} won the round, claims nothing, and shows no card.{_centre(event)}"
    )


def _centre(event: HandEvent) -> str:
    return " The centre stays on the table." if event.made["centre"] == "stays" else ""


def _divided(event: HandEvent) -> str:
    made = event.made
    rest = f"; {chips(made['residue'])} stayed in the centre" if made["residue"] else ""
    return f"The centre was divided: {chips(made['share'])} for each of {seats(made['seats'])}{rest}."


def _resigned(event: HandEvent) -> str:
    made = event.made
    share = f" Each other seat got {chips(made['share'])}." if made["share"] else ""
    rest = f" The centre got {chips(made['residue'])}." if made["residue"] else ""
    return f"{first_seat(made['seat'])} resigned.{share}{rest}"


def _next_dealer(event: HandEvent) -> str:
    dealer = event.made["dealer"]
    return f"The round is over. {first_seat(dealer)} deals the next round." if dealer else "The round is over."


SENTENCES: Final[Sentences] = {
    "card_upturned": lambda _: (
        "The deck was shuffled. A card was shown to everybody, and lies face up near the bottom of the deck."
    ),
    "upturned_exposed": lambda event: (
        f"The card that had been shown after the shuffle, {event.made['face']}, came to the top and was set aside. "
        "The deck is shuffled before the next round."
    ),
    "antes_placed": _antes,
    "cards_held": lambda event: f"{first_seat(event.made['seat'])} kept both cards.",
    "card_exchanged": _exchanged,
    "hand_thrown_in": _thrown_in,
    "upping_offered": lambda event: (
        f"{first_seat(event.made['seat'])} offered to up the ante by {chips(event.made['chips'])}."
    ),
    "upping_passed": lambda event: f"{first_seat(event.made['seat'])} passed: it made no offer.",
    "upping_accepted": lambda event: (
        f"{first_seat(event.made['seat'])} accepted the offer, and laid down {chips(event.made['chips'])} too."
    ),
    "upping_declined": lambda event: f"{first_seat(event.made['seat'])} declined the offer.",
    "upping_collected": _collected,
    "offer_returned": lambda event: (
        f"Nobody accepted: {seat(event.made['seat'])} took its {chips(event.made['chips'])} back, "
        "and nobody else may offer."
    ),
    "round_won": _won,
    "round_won_uncontested": _uncontested,
    "round_dead": lambda event: (
        f"{first_seats(event.made['seats'])} share the best hand: the round is dead, nobody wins and nobody loses. "
        "All antes and the centre stay on the table."
    ),
    "centre_collected": lambda event: (
        f"{first_seat(event.made['winner'])} collected the centre: {chips(event.made['chips'])}."
    ),
    "centre_divided": _divided,
    "antes_returned": lambda _: "What was left of each ante went back to its player.",
    "player_bankrupt": lambda event: f"{first_seat(event.made['seat'])} has no chips left, and is out of the game.",
    "round_ended": _next_dealer,
    "player_resigned": _resigned,
}
"""The sentences by type of event."""
