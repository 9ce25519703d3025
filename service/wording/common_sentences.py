"""Sentences about the events that all games share."""

from itertools import groupby
from typing import Any, Final

from service.cards import UNKNOWN
from service.wording.hand_events import HandEvent, Sentences
from service.wording.phrases import cards, chips, first_seat, first_seats, listed, seat, seats

_ASIDE: Final = "aside"
_MOST_SPELLED: Final = 4
"""The maximum number of dealt cards that a sentence names; the page shows all cards of the hand elsewhere."""


def _deck(event: HandEvent) -> str:
    return f"deck {event.made.get('epoch', '').rpartition('/')[2]}"


def _dealt(event: HandEvent) -> str:
    seen: dict[int | str, list[str]] = {}
    dealt = event.dealt or [(to, UNKNOWN) for _, to in event.made["cards"]]
    for to, face in dealt:
        seen.setdefault(to, []).append(face)
    if len(dealt) > _MOST_SPELLED:
        held = sorted(to for to in seen if isinstance(to, int))
        more = "".join(f", and {len(seen[to])} {_place(to)}" for to in seen if isinstance(to, str))
        return f"{len(dealt)} cards were dealt: {len(seen[held[0]])} to each of {seats(held)}{more}."
    return " ".join(
        f"{first_seat(to)} was dealt {cards(faces)}."
        if isinstance(to, int)
        else f"{cards(faces)} {'was' if len(faces) == 1 else 'were'} dealt {_place(to)}."
        for to, faces in seen.items()
    )


def _place(name: str) -> str:
    return "to the side of the table" if name == _ASIDE else f"to the {name.replace('_', ' ')}"


def _shown(event: HandEvent) -> str:
    shown: list[dict[str, Any]] = event.made["cards"]
    parts = []
    for number, group in groupby(shown, key=lambda card: card.get("seat", 0)):
        faces = cards(card["face"] for card in group)
        parts.append(f"{seat(number)} showed {faces}" if number else f"{faces} lay on the table")
    return f"Cards were turned face up: {'; '.join(parts)}."


def _taken(event: HandEvent) -> str:
    bought = f", and bought {chips(number)}" if (number := event.made["chips"]) else ""
    return f"A player took seat {event.made['seat']}{bought}."


def _left(event: HandEvent) -> str:
    paid = f", and was paid {chips(number)}" if (number := event.made["chips"]) else ""
    return f"The player in seat {event.made['seat']} left{paid}."


def _won(event: HandEvent) -> str:
    winners = event.made["winners"]
    return f"The game is over. {first_seats(winners)} won." if winners else "The game is over."


def _with_seeds(event: HandEvent) -> str:
    numbers = event.made.get("seats", [])
    return f"The seeds of {seats(numbers)} are part of it" if numbers else "No player's seed is part of it"


def _by_seat(words: str) -> Any:  # noqa: ANN401 -- a `Sentence`, made of words
    return lambda event: f"{first_seat(event.seat)} {words}."


COMMON: Final[Sentences] = {
    "table_opened": lambda _: "The host opened the table.",
    "seat_taken": _taken,
    "seat_left": _left,
    "player_invited": lambda _: "The host invited a player.",
    "invitation_declined": lambda _: "An invited player declined.",
    "invitation_withdrawn": lambda _: "The host withdrew an invitation.",
    "game_started": lambda _: "The host started the game.",
    "table_closed": lambda event: (
        f"The host closed the table{', and all chips were paid out' if event.made.get('transfers') else ''}."
    ),
    "value_erased": lambda event: (
        f"A sealed value of the event at position {event.made['position']} was erased; its commitment stays."
    ),
    "signing_key_registered": _by_seat("registered a key, which signs its decisions from now on"),
    "signing_key_ended": _by_seat("ended its signing key; its decisions are unsigned from now on"),
    "deck_opened": lambda event: (
        f"The service drew the seed of {_deck(event)}, committed to the seed, and keeps it secret for now."
    ),
    "deck_fixed": lambda event: f"The order of {_deck(event)} was fixed. {_with_seeds(event)}.",
    "deck_revealed": lambda event: (
        f"{_deck(event).capitalize()} is used up: its seed is public now, and so is the order of all its cards."
    ),
    "deck_unused": lambda event: f"No card of {_deck(event)} was ever dealt; its seed is public now.",
    "dealer_drawn": lambda event: f"The draw is over: {seat(event.made['dealer'])} is the first dealer.",
    "draw_tied": lambda event: f"The draw for the dealer is tied: {seats(event.made['seats'])} draw again.",
    "hand_dealt": lambda event: f"{first_seat(event.made['dealer'])} dealt hand {event.made['hand']}.",
    "cards_dealt": _dealt,
    "cards_shown": _shown,
    "cards_bottomed": lambda event: f"{len(event.made['positions'])} used cards went under the deck.",
    "game_ended": _won,
    "deck_seed_committed": _by_seat("committed to a seed of its own for a later deck"),
    "deck_seed_revealed": _by_seat("showed the seed to which it had committed, for a later deck"),
    "deck_seed_omitted": _by_seat("gave no seed for a later deck"),
    "deck_seeds_dropped": lambda event: (
        f"A later deck is made without any player's seed, because {listed(map(seat, event.made['seats']))} "
        "did not show a seed in time."
    ),
    "deck_commitments_closed": lambda _: "From now on nobody may commit to a seed for a later deck.",
    "deck_seeds_settled": lambda event: f"A later deck is ready. {_with_seeds(event)}.",
    "deck_batch_ended": lambda _: "A player came or left, so the next deck is made of new seeds.",
}
"""The sentences by type of event."""
